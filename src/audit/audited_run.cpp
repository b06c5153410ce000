#include <utility>

#include <jme/audit/audited_run.hpp>

namespace jme {
namespace {

/// A stream that remembers what it was given.
class Recorder final : public RunningStream {
 public:
  Recorder(std::unique_ptr<RunningStream> stream, GivenToStream& given)
      : stream_(std::move(stream)), given_(given) {}

  using RunningStream::push;
  void push(std::span<const double> row, std::span<const double> as_read) override {
    given_.columns = row.size();
    given_.cells.insert(given_.cells.end(), row.begin(), row.end());
    stream_->push(row, as_read);
  }
  void push_rows(const MatrixView& rows, const MatrixView& as_read) override {
    given_.columns = rows.columns;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t i = 0; i < rows.columns; ++i) given_.cells.push_back(rows.at(r, i));
    }
    stream_->push_rows(rows, as_read);
  }
  void push_block(std::string_view id, const BlockSum& block) override {
    given_.blocks.push_back(block);
    stream_->push_block(id, block);
  }
  void end_input() override { stream_->end_input(); }
  [[nodiscard]] const Release* newest() const override { return stream_->newest(); }
  [[nodiscard]] std::size_t rows() const override { return stream_->rows(); }

 private:
  std::unique_ptr<RunningStream> stream_;
  GivenToStream& given_;
};

}  // namespace

AuditedRun audited_run(const PreparedRun& run, RowSource& rows) {
  AuditedRun result;
  auto publish = [&](const Release& release) { result.releases.push_back(release); };
  RowFeed feed = run.feed(std::make_unique<Recorder>(run.open(publish), result.given));
  feed.take_all(rows);
  feed.end_input();
  return result;
}

}  // namespace jme
