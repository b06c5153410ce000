#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "data/row_reader.hpp"
#include "sample_file.hpp"

namespace jme {
namespace {

struct Interrupted {};

/// A pipe by its name, holding `text` and closed for writing.
class NamedPipe {
 public:
  explicit NamedPipe(const std::string& text) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
    if (::write(ends[1], text.data(), text.size()) != std::ssize(text)) throw std::runtime_error("write");
    ::close(ends[1]);
    descriptor_ = ends[0];
  }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;
  ~NamedPipe() { ::close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::size_t rows_in(const std::string& path, const InputOptions& options) {
  RowReader reader(path, options);
  std::vector<double> row(reader.dimension());
  std::size_t rows = 0;
  while (reader.next(row)) ++rows;
  return rows;
}

TEST(BeforeRead, ComesBeforeEveryReadOfAPipe) {
  for (const auto& [format, text] :
       {std::pair{InputFormat::csv, "x,y\n1,2\n3,4\n"},
        std::pair{InputFormat::ndjson, "{\"x\":1,\"y\":2}\n{\"x\":3,\"y\":4}\n"}}) {
    const NamedPipe pipe(text);
    int calls = 0;
    InputOptions options{.format = format, .columns = {"x", "y"}};
    options.before_read = [&](int descriptor) {
      EXPECT_GE(descriptor, 0);
      ++calls;
    };
    EXPECT_EQ(rows_in(pipe.path(), options), 2U);
    EXPECT_GE(calls, 2) << "the bytes, and the end";
  }
}

TEST(BeforeRead, MayEndTheReading) {
  const NamedPipe pipe("x,y\n1,2\n3,4\n");
  int calls = 0;
  InputOptions options;
  options.before_read = [&](int) {
    if (++calls == 2) throw Interrupted();
  };
  EXPECT_THROW(rows_in(pipe.path(), options), Interrupted);
}

TEST(BeforeRead, LeavesFilesAlone) {
  const testing::SampleDirectory directory;
  InputOptions options;
  options.before_read = [](int) { FAIL() << "a file never has to be waited for"; };
  EXPECT_EQ(rows_in(directory.write("rows.csv", "x\n1\n"), options), 1U);
}

}  // namespace
}  // namespace jme
