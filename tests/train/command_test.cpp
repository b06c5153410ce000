// The program itself, on a small part of Fashion-MNIST: this is all that ./test runs of a whole training.
#include "cli/command.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "command_line.hpp"
#include "small_pictures.hpp"

namespace jme::train {
namespace {

using test::CommandResult;
using ::testing::HasSubstr;

CommandResult train(const std::string& arguments) {
  return test::jme(arguments);  // JME_BINARY is jme-train here
}

void write_idx(const std::string& path, const std::vector<std::uint32_t>& sizes,
               const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  for (const char byte : {'\0', '\0', '\x08', static_cast<char>(sizes.size())}) file.put(byte);
  for (const std::uint32_t size : sizes)
    for (const int shift : {24, 16, 8, 0}) file.put(static_cast<char>(size >> shift & 0xff));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// With a small data set in the form of Fashion-MNIST.
class Command : public test::InDirectory {
 protected:
  Command() {
    for (const auto& [part, pictures] : {std::pair{"train", halves(640, 1)}, {"t10k", halves(50, 2)}}) {
      const auto count = static_cast<std::uint32_t>(pictures.size());
      write_idx(path(std::string(part) + "-images-idx3-ubyte.gz"), {count, 8, 8}, pictures.pixels);
      write_idx(path(std::string(part) + "-labels-idx1-ubyte.gz"), {count}, pictures.labels);
    }
  }
  [[nodiscard]] std::string data() const { return "--data " + path("") + " "; }
  [[nodiscard]] std::string run() const { return "run --batch 64 --threads 1 " + data(); }
};

TEST_F(Command, RunTrainsOnFashionMnistAndStatesItsPrivacy) {
  const CommandResult result =
      train("run --fraction 0.01 --batch 64 --threads 1 --sigma 1 --epochs 0.5 --json --out " + path("out"));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json.at("dataset"), "fashion-mnist");
  EXPECT_EQ(json.at("method"), "jme");
  EXPECT_EQ(json.at("examples"), 600);
  EXPECT_GT(json.at("epsilon"), 0);
  EXPECT_EQ(json.at("adjacency"), "add-remove");
  EXPECT_EQ(json.at("results").back().at("step"), 5);
  EXPECT_EQ(json.at("results").back().at("epsilon"), json.at("epsilon"));
  EXPECT_EQ(nlohmann::json::parse(test::read_text(path("out/results.json"))), json);
  EXPECT_THAT(test::read_text(path("out/curve.svg")), HasSubstr("<svg"));
  EXPECT_THAT(test::read_text(path("out/network.safetensors")), HasSubstr("linear.bias"));
  // How long steps take shows how large their batches were.
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("seconds")));
  std::filesystem::create_directory(path("again"));
  std::filesystem::copy(path("out/results.json"), path("again/results.json"));
  const CommandResult chart = train("chart " + path("out/results.json") + " " + path("again/results.json") +
                                    " --out " + path("both.svg"));
  EXPECT_EQ(chart.code, 0) << chart.err;
  // Runs of one method are told apart by their folders.
  EXPECT_THAT(test::read_text(path("both.svg")), HasSubstr(">jme, out<"));
  EXPECT_THAT(test::read_text(path("both.svg")), HasSubstr(">jme, again<"));
  EXPECT_EQ(train("chart " + path("out/curve.svg") + " --out " + path("none.svg")).code, 3);
}

TEST_F(Command, RunGoesOnFromItsCheckpoint) {
  const std::string common = run() + "--sigma 1 --epochs 0.5 --insecure-test-seed 3 --json ";
  const std::string state = "--checkpoint " + path("state") + " ";
  const CommandResult whole = train(common);
  const CommandResult part = train(common + state + "--steps 2");
  const CommandResult rest = train(common + state);
  ASSERT_EQ(whole.code, 0) << whole.err;
  ASSERT_EQ(part.code, 0) << part.err;
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(part.json().at("results").back().at("step"), 2);
  EXPECT_EQ(rest.json().at("results").back().at("accuracy"),
            whole.json().at("results").back().at("accuracy"));
  EXPECT_EQ(rest.json().at("results").size(), 2U);
  const CommandResult other = train(common + state + "--lr 0.5");
  EXPECT_EQ(other.code, 5);
  EXPECT_THAT(other.err, HasSubstr("another configuration"));
  const CommandResult bounded = train(common + state + "--square-clip 0.1,linear=0.2");
  EXPECT_EQ(bounded.code, 5);
  EXPECT_THAT(bounded.err, HasSubstr("square_clip: {\"all\":0.1,\"linear\":0.2} instead of none"));
}

/// The same folder, for what takes long.
using SlowCommand = Command;

TEST_F(SlowCommand, ReproduceFillsTheTableAndDoesNothingTwice) {
  const std::string common =
      "reproduce --dataset fashion-mnist --steps 1 --seeds 1 --threads 1 " + data() + "--out " + path("out");
  const CommandResult first = train(common);
  ASSERT_EQ(first.code, 0) << first.err;
  for (const char* text : {"jme-paper", "joint-clip", "pp-debiased", "no epsilon"})
    EXPECT_THAT(first.out, HasSubstr(text));
  const auto runs = nlohmann::json::parse(test::read_text(path("out/results.json"))).at("runs");
  ASSERT_EQ(runs.size(), 10U);  // five methods in two settings
  for (const auto& run : runs) EXPECT_EQ(run.at("epsilon").is_null(), run.at("method") == "jme-paper");
  EXPECT_THAT(test::read_text(path("out/high.svg")), HasSubstr("<svg"));
  const CommandResult second = train(common);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out.find("seed 1"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(test::read_text(path("out/results.json"))).at("runs"), runs);
  // A result that was saved and not written when the process ended is written now.
  std::filesystem::remove(path("out/medium/pp-1.json"));
  EXPECT_EQ(train(common).code, 0);
  EXPECT_EQ(nlohmann::json::parse(test::read_text(path("out/results.json"))).at("runs"), runs);
  // The paper's figures are for its own data set.
  EXPECT_THAT(first.out, ::testing::Not(HasSubstr("paper:")));
  const CommandResult table = train("reproduce --table --out " + path("out"));
  EXPECT_THAT(table.out, HasSubstr("joint-clip"));
}

TEST_F(Command, ALostResultIsAnError) {
  const CommandResult result = test::jme(run() + "--sigma 1 --steps 1 --json", {.output_file = "/dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("standard output"));
}

TEST_F(Command, BadParametersAndMissingDataHaveTheirExitCodes) {
  const auto refused = [&](const std::string& arguments, int code, const std::string& text) {
    const CommandResult result = test::jme(arguments, {.instead = command_line});
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, HasSubstr("jme-train: error: ")) << arguments;
    EXPECT_THAT(result.err, HasSubstr(text)) << arguments;
  };
  refused("", 2, "subcommand");
  refused(run(), 2, "exactly one");
  refused(run() + "--epsilon 1 --sigma 1", 2, "exactly one");
  refused(run() + "--method jme-batch-mean --sigma 1", 2, "fixed size");
  refused(run() + "--method jme-paper --epsilon 1", 2, "sigma");
  refused(run() + "--method none --sigma 1", 2, "method");
  refused(run() + "--method mean --sigma 1", 2, "joint-clip or none");
  refused(run() + "--method pp --lambda 1 --sigma 1", 2, "lambda");
  refused(run() + "--method pp --square-clip 0.1 --sigma 1", 2, "square-clip");
  refused(run() + "--sigma 1 --square-clip much", 2, "square-clip");
  refused(run() + "--sigma 1 --square-clip 2", 2, "square-clip");
  refused(run() + "--sigma 1 --square-clip blocks.9=0.1", 2, "blocks.0.conv.weight");
  refused(run() + "--sigma 0", 2, "sigma");
  refused(run() + "--sigma much", 2, "--sigma");
  refused(run() + "--sigma 1 --steps -1", 2, "--steps");
  refused(run() + "--sigma 1 --threads 0", 2, "--threads");
  refused(run() + "--sigma 1 --lr -1", 2, "lr");
  refused(run() + "--sigma 1 --clip 1e-30", 2, "clip");
  refused(run() + "--epsilon 0", 2, "epsilon");
  refused(run() + "--sigma 1 --out /proc/nowhere", 2, "out");
  refused(run() + "--sigma 1 --checkpoint /tmp", 5, "is not a checkpoint");
  refused("walk", 2, "run, reproduce or chart");
  refused("reproduce --table --out /nowhere", 3, "no runs");
  refused("reproduce --method none --data /nowhere", 2, "method");
  refused("chart /tmp --out x.svg", 3, "file");
  refused(run() + "--sigma 1 --fraction 0", 2, "fraction");
  refused(run() + "--sigma 1 --batch 1e9", 2, "batch");
  refused("run --sigma 1 --dataset cifar10", 2, "get-cifar10");
  refused("run --sigma 1 --dataset cifar10 --data /nowhere", 3, "data_batch_1.bin");
  refused("reproduce --epochs 11 --data /nowhere", 2, "epochs");
}

TEST_F(Command, HelpHasExamplesAndWarningsNameWhatIsNotPrivate) {
  for (const char* command : {"run --help", "reproduce --help", "chart --help"}) {
    const CommandResult result = train(command);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Examples:"));
  }
  EXPECT_THAT(train("--version").out, HasSubstr("jme-train "));
  EXPECT_THAT(train(run() + "--method none --epochs 0.1").err, HasSubstr("not private"));
  EXPECT_THAT(train(run() + "--method jme-paper --sigma 1 --epochs 0.1").err, HasSubstr("no epsilon"));
  EXPECT_THAT(train(run() + "--sigma 1 --epochs 0.1 --insecure-test-seed 1").err,
              HasSubstr("nothing is private"));
}

}  // namespace
}  // namespace jme::train
