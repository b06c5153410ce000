// A whole run through the library, as `jme run --bounds --missing --emit --report --state` does it.
//
// Rows come from an array, with NaN for missing cells. Releases go to standard output; a page is written.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "jme-example-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;

  // Everything public, before the first row.
  jme::RunConfig config;
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

  // Rows go in, and releases come out: each is on disk before.
  jme::ReleaseWriter writer(jme::units_of(run.bounds()), run.emit(), run.columns());
  jme::ReportCollector collected(about, run.columns());
  jme::RowFeed feed = run.feed([&](const jme::Release& release) {
    fmt::print("{}", writer.line(release));
    collected.add(release);
  });
  for (int t = 0; t < 5000; ++t) {
    std::vector<double> row{12 + 7 * std::sin(0.01 * t), 20 + 5 * std::cos(0.03 * t)};
    if (t % 50 == 0) row[1] = std::numeric_limits<double>::quiet_NaN();
    feed.push(row);  // a bad row throws DataError, which says row and column
  }
  feed.end_input();

  const jme::report::Page page = jme::report_page(
      {.run = about, .collected = collected, .last = *collected.last(), .title = "An example"});
  std::ofstream(folder + "/report.html") << page.html();
  // Only the writer may see these counts, because they are data.
  for (const jme::Note& note : feed.notes()) {
    if (note.kind == jme::Note::Kind::filled_rows) fmt::print(stderr, "{} rows were filled\n", note.count);
  }
  fmt::print(stderr, "{} bytes of report\n", std::filesystem::file_size(folder + "/report.html"));
  std::filesystem::remove_all(folder);
}
