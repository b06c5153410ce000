// A stream that survives its process.
//
// Every process reads the input from its first row. Rows that were taken before are recognised and not taken
// again, and what was released is given out again, the same to the last digit. Here a first process ends in
// the middle of a block.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

namespace {

std::vector<double> row_of(int t) {
  return {0.5, 0.001 * t};
}

void show(jme::DurableStream& stream) {
  // Only what is on disk comes out.
  while (const jme::Release* release = stream.next()) {
    fmt::print("  {:>4} rows: {:+.6f} {:+.6f}\n", release->rows(), release->first()[0], release->first()[1]);
  }
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "jme-example-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const jme::Mechanism mechanism({.budget = {.epsilon = 1.0, .delta = 1e-6},
                                  .rows = 500,
                                  .every = 100,
                                  .dimension = 2,
                                  .norm_bound = 1.0});
  jme::DurableOptions options;
  options.directory = folder;
  options.source = "an example";

  fmt::print("the first process\n");
  {
    jme::DurableStream stream(mechanism, options);
    for (int t = 0; t < 250; ++t) stream.push(row_of(t));
    stream.commit();
    show(stream);
  }  // here the process ends

  fmt::print("the second one\n");
  {
    jme::DurableStream stream(mechanism, options);
    for (int t = 0; t < 500; ++t) stream.push(row_of(t));
    stream.end_input();
    show(stream);
  }

  for (const jme::SourceTotal& total : jme::Ledger::read(folder).totals()) {
    fmt::print("spent on {}: epsilon = {:.3f} at delta = {:g}\n", total.source, total.epsilon, total.delta);
  }
  std::filesystem::remove_all(folder);
}
