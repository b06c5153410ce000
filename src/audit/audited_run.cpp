#include <utility>

#include <jme/audit/audited_run.hpp>

namespace jme {
namespace {

/// Remembers what the stream is given.
RunningStream::Watch recorder(GivenToStream& given) {
  return {.rows =
              [&given](const MatrixView& rows) {
                given.columns = rows.columns;
                for (std::size_t r = 0; r < rows.rows; ++r) {
                  for (std::size_t i = 0; i < rows.columns; ++i) given.cells.push_back(rows.at(r, i));
                }
              },
          .block = [&given](const BlockSum& block) { given.blocks.push_back(block); }};
}

}  // namespace

AuditedRun audited_run(const PreparedRun& run, RowSource& rows) {
  AuditedRun result;
  RowFeed feed = run.feed([&](const Release& release) { result.releases.push_back(release); });
  feed.stream().watch(recorder(result.given));
  feed.take_all(rows);
  feed.end_input();
  return result;
}

}  // namespace jme
