// A whole run through the library, as `jme run --bounds --missing --emit --report --state` does it: rows come
// from an array with NaN for missing cells, releases go to standard output, a page about them to a file.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "jme-example-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  jme::RunConfig config;  // everything public, before the first row
  config.stream.budget = {.epsilon = 1.0, .delta = 1e-6};
  config.stream.rows = 5000;
  config.stream.every = 1000;
  config.columns = {"temp", "co"};
  config.bounds = jme::ColumnBounds::of(config.columns, std::vector{-20.0, 0.0}, std::vector{45.0, 100.0});
  config.missing = jme::MissingRules::parse("mean,co=0");
  config.emit.values = jme::parse_emit("mean,covariance,pca:1");
  config.state = jme::DurableOptions{.directory = folder + "/state"};
  const jme::PreparedRun run(config);  // throws InvalidParameter, which names the field
  const jme::RunDescription about = run.description();
  fmt::print("{}", jme::metadata_line(about, run.columns()));
  jme::ReleaseWriter writer(jme::units_of(run.bounds()), run.emit(), run.columns());
  jme::ReportCollector collected(about, run.columns());
  jme::RowFeed feed = run.feed([&](const jme::Release& release) {  // which is on disk already
    fmt::print("{}", writer.line(release));
    collected.add(release);
  });
  for (int t = 0; t < 5000; ++t)  // a bad row throws DataError, which says row and column
    feed.push(std::vector{12 + 7 * std::sin(0.01 * t), t % 50 == 0 ? NAN : 20 + 5 * std::cos(0.03 * t)});
  feed.end_input();
  std::ofstream(folder + "/report.html") << jme::report_page({about, collected, *collected.last()}).html();
  for (const jme::Note& note : feed.notes())  // for the owner of the rows alone
    fmt::print(stderr, "{} of {} rows or cells were changed\n", note.count, note.rows);
  std::filesystem::remove_all(folder);
}
