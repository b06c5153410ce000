#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme {
namespace {

RunSettings read(const std::string& json) {
  return RunSettings::from_json(json, "run.json");
}

std::string refusal(const std::string& json) {
  try {
    static_cast<void>(read(json));
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(RunFields, HaveNamesOfTheirOwnAndARuleAndHelpEach) {
  std::set<std::string> names;
  for (const RunField& field : run_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(field.name.find('-'), std::string::npos) << field.name;
    EXPECT_NE(field.allowed(), "") << field.name;
    EXPECT_NE(field.help, "") << field.name;
    EXPECT_EQ(find_run_field(field.name), &field);
  }
  EXPECT_EQ(find_run_field("epsilom"), nullptr);
}

TEST(RunFields, ReadTheWordsThatCompletionsOffer) {
  std::size_t read_words = 0;
  for (const RunField& field : run_fields()) {
    RunConfig config;
    if (field.read == nullptr) continue;
    for (const std::string& word : field.words) {
      if (word.ends_with(':')) continue;  // a name has to follow
      EXPECT_NO_THROW(field.read(config, word)) << field.name << ' ' << word;
      ++read_words;
    }
  }
  for (const StreamField& field : stream_fields()) {
    StreamConfig config;
    if (field.read == nullptr) continue;
    for (const std::string& word : field.words) {
      EXPECT_NO_THROW(field.read(config, word)) << field.name << ' ' << word;
      ++read_words;
    }
    if (field.type == Field::Type::text && !field.words.empty()) {
      EXPECT_THROW(field.read(config, "no such word"), InvalidParameter) << field.name;
    }
  }
  EXPECT_GT(read_words, 20U);
}

TEST(RunSettings, AreReadAsJsonHasThem) {
  const RunSettings settings = read(
      R"({"epsilon": 1, "delta": 1e-6, "bounds": {"temp": [-20, 45.5], "co": [0, 1e3]}, "rows": 5000,
          "every": 1e3, "workload": "mean", "emit": ["mean", "pca:2"], "psd": true, "raw": false})");
  EXPECT_EQ(settings["epsilon"], "1");
  EXPECT_EQ(settings["delta"], "1e-06");
  EXPECT_EQ(settings["bounds"], "temp=-20:45.5,co=0:1000");
  EXPECT_EQ(settings["rows"], "5000");
  EXPECT_EQ(settings["every"], "1000");
  EXPECT_EQ(settings["workload"], "mean");
  EXPECT_EQ(settings["emit"], "mean,pca:2");
  EXPECT_TRUE(settings.is_on("psd"));
  EXPECT_FALSE(settings.is_on("raw"));
  EXPECT_FALSE(settings.is_on("no_header"));
  EXPECT_FALSE(settings["sigma"]);
  const RunSettings words =
      read(R"({"rows": "unbounded", "bounds": "a=0:1", "emit": "mean", "balance": "free"})");
  EXPECT_EQ(words["rows"], "unbounded");
  EXPECT_EQ(words["bounds"], "a=0:1");
}

TEST(RunSettings, RefuseAnUnknownKeyAndNameTheNearest) {
  EXPECT_EQ(refusal(R"({"epsilom": 1})"),
            "config: run.json has the unknown key epsilom; the nearest known one is epsilon");
  EXPECT_EQ(refusal(R"({"norm-bound": 1})"),
            "config: run.json has the unknown key norm-bound; the nearest known one is norm_bound");
  EXPECT_THROW(static_cast<void>(RunSettings()["epsilom"]), InvalidParameter);
}

TEST(RunSettings, RefuseWhatIsNoObjectOrOfTheWrongType) {
  EXPECT_EQ(refusal("{\"epsilon\": 1"), "config: run.json is not JSON: it has an error at byte 14");
  EXPECT_EQ(refusal("[1]"), "config: run.json must be one JSON object");
  EXPECT_EQ(refusal(R"({"epsilon": 1, "epsilon": 2})"), "config: run.json sets epsilon twice");
  EXPECT_EQ(refusal(R"({"epsilon": true})"), "epsilon: must be a finite number above 0");
  EXPECT_EQ(refusal(R"({"psd": "yes"})"), "psd: must be true or false");
  EXPECT_EQ(refusal(R"({"emit": [1]})"), "emit: must be a list of names");
  EXPECT_EQ(refusal(R"({"bounds": {"a": [1]}})"), "bounds: a must have [low, high], two finite numbers");
  EXPECT_EQ(refusal(R"({"bounds": {"a": [0, null]}})"),
            "bounds: a must have [low, high], two finite numbers");
  EXPECT_EQ(refusal(R"({"bounds": {"a": [1, 0]}})"), "bounds: a needs LOW < HIGH");
  EXPECT_EQ(refusal(R"({"workload": 3})"), "workload: must be text");
}

TEST(RunSettings, OnTopWinFieldByField) {
  RunSettings top;
  top.set("rows", "7");
  const RunSettings both = top.over(read(R"({"rows": 5, "every": 2})"));
  EXPECT_EQ(both["rows"], "7");
  EXPECT_EQ(both["every"], "2");
}

TEST(RunSettings, PrintedAndReadBackMeanTheSameAndSayTheDefaults) {
  RunSettings settings;
  settings.set("epsilon", "0.1");
  settings.set("delta", "1e-6");
  settings.set("rows", "unbounded");
  settings.set("bounds", "temp=-20:45,co=0.1:1e3");
  settings.set("emit", "mean,regression:co");
  settings.set("no_header", "true");
  const std::string printed = settings.to_json();
  const auto object = nlohmann::json::parse(printed);
  EXPECT_EQ(object["epsilon"], 0.1);
  EXPECT_EQ(object["rows"], "unbounded");
  EXPECT_EQ(object["every"], 1);
  EXPECT_EQ(object["method"], "jme");
  EXPECT_EQ(object["bounds"]["co"], nlohmann::json({0.1, 1000.0}));
  EXPECT_EQ(object["emit"], nlohmann::json({"mean", "regression:co"}));
  EXPECT_EQ(object["no_header"], true);
  EXPECT_EQ(object["psd"], false);
  EXPECT_EQ(read(printed).to_json(), printed);
}

TEST(RunSettings, MakeTheConfigurationOfARun) {
  const RunConfig config = run_config(read(
      R"({"epsilon": 1, "delta": 1e-6, "bounds": {"temp": [-20, 45], "co": [0, 100]}, "rows": 5000,
          "every": 1000, "workload": "decay:0.9", "emit": ["mean"], "on_bad_row": "zero", "missing": "mean",
          "state": "folder", "source": "sensors", "leave_open": true, "participations": 3})"));
  EXPECT_EQ(config.stream.budget.epsilon, 1);
  EXPECT_EQ(config.stream.rows, 5000U);
  EXPECT_EQ(config.stream.dimension, 2U);
  EXPECT_EQ(config.stream.workload.name(), "decay:0.9");
  EXPECT_EQ(config.stream.participation.rows, 3U);
  EXPECT_EQ(config.columns, (std::vector<std::string>{"temp", "co"}));
  EXPECT_EQ(config.bounds->text(), "temp=-20:45,co=0:100");
  EXPECT_EQ(config.on_bad_row, OnBadRow::zero);
  EXPECT_EQ(config.missing.text(), "mean");
  EXPECT_EQ(config.state->source, "sensors");
  EXPECT_TRUE(config.leave_open);
}

TEST(RunSettings, ThatAreIncompleteOrContradictoryAreRefusedByField) {
  const auto field = [](const std::string& json) -> std::string {
    try {
      static_cast<void>(run_config(read(json)));
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "none";
  };
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "norm_bound": 1})"), "none");
  EXPECT_EQ(field(R"({"rows": 9, "norm_bound": 1})"), "epsilon");
  EXPECT_EQ(field(R"({"sigma": 1, "norm_bound": 1})"), "rows");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9})"), "bounds");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "bounds": {"a": [0, 1]}, "dimension": 2})"), "dimension");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "norm_bound": 1, "source": "x"})"), "source");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "norm_bound": 1, "threads": 5000})"), "threads");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "norm_bound": 1, "on_bad_row": "skip"})"), "on_bad_row");
  EXPECT_EQ(field(R"({"sigma": 1, "rows": 9, "norm_bound": 1, "workload": "@m.npy"})"), "workload");
}

TEST(RunSettings, ThatChangeNothingAreReturnedAsNotes) {
  const RunSettings given = read(
      R"({"sigma": 1, "rows": 9, "norm_bound": 1, "separation": 4, "method": "cs", "alpha": 0.3, "tau": 2})");
  const auto notes = notes_on(given, given, run_config(given).stream);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].field, "separation");
  EXPECT_EQ(notes[0].kind, SettingNote::Kind::needs_participations);
  EXPECT_EQ(notes[1].field, "alpha");
  EXPECT_EQ(notes[1].kind, SettingNote::Kind::other_method);
  // What a file says is complete, and does not count as given on purpose.
  EXPECT_TRUE(notes_on(RunSettings(), given, run_config(given).stream).empty());
  const RunSettings many = read(R"({"sigma": 1, "rows": 9, "norm_bound": 1, "participations": 20})");
  const auto beyond = notes_on(many, many, run_config(many).stream);
  ASSERT_EQ(beyond.size(), 1U);
  EXPECT_EQ(beyond[0].count, 9U);
}

}  // namespace
}  // namespace jme
