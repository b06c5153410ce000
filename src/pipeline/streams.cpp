#include "pipeline/streams.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme {

namespace {

constexpr std::size_t longest_record = std::size_t{1} << 20;

class PassingStream final : public RunningStream {
 public:
  PassingStream(MomentStream stream, Publish publish)
      : stream_(std::move(stream)), publish_(std::move(publish)) {}

  void push(std::span<const double> row, std::span<const double> /*as_read*/) override {
    give(stream_.push(row));
  }
  void push_rows(const MatrixView& rows, const MatrixView& /*as_read*/) override {
    stream_.push_rows(rows);
    give_kept();
  }
  void push_block(std::string_view /*id*/, const BlockSum& block) override {
    stream_.push_block(block);
    give_kept();
  }
  void end_input() override { give(stream_.finish()); }
  [[nodiscard]] const Release* newest() const override {
    return stream_.release().steps() > 0 ? &stream_.release() : nullptr;
  }
  [[nodiscard]] std::size_t rows() const override { return stream_.rows(); }

 private:
  void give(const Release& release) const {
    if (release.is_new()) publish_(release);
  }
  void give_kept() {
    const Releases releases = stream_.take_releases();
    for (std::size_t i = 0; i < releases.size(); ++i) publish_(releases[i]);
  }
  MomentStream stream_;
  Publish publish_;
};

class KeptStream final : public RunningStream {
 public:
  KeptStream(DurableStream stream, std::size_t every, bool leave_open, Publish publish)
      : stream_(std::move(stream)), every_(every), leave_open_(leave_open), publish_(std::move(publish)) {}

  void push(std::span<const double> row, std::span<const double> as_read) override {
    if ((stream_.rows() + 1) % every_ == 0) keep_people_of_block();
    stream_.push(row, as_read);
    drain();
  }
  void push_block(std::string_view id, const BlockSum& block) override {
    const Release release = stream_.push_block(id, block);
    drain();
    publish_(release);
  }
  [[nodiscard]] bool can_keep() const override { return true; }
  // One commit: what is kept of an open slot, and the people whose rows it holds.
  void keep(std::span<const std::byte> bytes) override {
    keep_people_of_block();
    stream_.keep(bytes);
  }
  [[nodiscard]] std::vector<std::byte> kept() const override { return stream_.kept(); }
  void publish_stored() override { stream_.releases_before(publish_); }
  void keep_people(std::span<const std::byte> records, People which) override {
    if (stream_.rows() < stream_.rows_before()) return;
    if (which == People::all) {
      people_.clear();
      all_people_ = true;
    }
    people_.insert(people_.end(), records.begin(), records.end());
  }
  [[nodiscard]] std::vector<std::byte> people_before() const override {
    std::vector<std::byte> all;
    stream_.journal_before(
        [&](std::span<const std::byte> record) { all.insert(all.end(), record.begin(), record.end()); });
    return all;
  }
  void resume() override { stream_.resume_at(stream_.rows_before()); }
  void end_input() override {
    if (!leave_open_) keep_people_of_block();
    stream_.end_input(leave_open_ ? DurableStream::PartialBlock::leave
                                  : DurableStream::PartialBlock::release);
    drain();
  }
  void flush() override {
    stream_.commit();
    drain();
  }
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> commit_due() const override {
    return stream_.commit_due();
  }
  [[nodiscard]] std::optional<std::uint64_t> committed_rows() const override {
    return stream_.committed_rows();
  }
  [[nodiscard]] const Release* newest() const override { return stream_.newest(); }
  [[nodiscard]] std::size_t rows() const override { return stream_.rows(); }

 private:
  // The rows of a block that is still open come again after a crash, so their people are not kept before its
  // last row.
  void keep_people_of_block() {
    if (std::exchange(all_people_, false)) stream_.begin_journal();
    // In pieces, since a database holds no record of any length.
    for (auto rest = std::span<const std::byte>(people_); !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), longest_record));
      stream_.journal(piece);
      rest = rest.subspan(piece.size());
    }
    people_.clear();
  }
  void drain() {
    while (const Release* release = stream_.next()) publish_(*release);
  }
  DurableStream stream_;
  std::size_t every_;
  std::vector<std::byte> people_;  // of the open block
  bool all_people_ = false;        // they take the place of those before
  bool leave_open_;
  Publish publish_;
};

}  // namespace

void RunningStream::push_rows(const MatrixView& rows, const MatrixView& as_read) {
  std::vector<double> row(rows.columns), read(as_read.columns);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = rows.at(r, j);
    for (std::size_t j = 0; j < read.size(); ++j) read[j] = as_read.at(r, j);
    push(row, read);
  }
}

void RunningStream::resume() {
  throw StateError("a stream in memory has nothing to go on from");
}

std::unique_ptr<RunningStream> passing_stream(const Mechanism& mechanism,
                                              std::optional<InsecureTestSeed> seed,
                                              RunningStream::Publish publish) {
  return std::make_unique<PassingStream>(seed ? MomentStream(mechanism, *seed) : MomentStream(mechanism),
                                         std::move(publish));
}

std::unique_ptr<RunningStream> durable_stream(const Mechanism& mechanism, const DurableOptions& options,
                                              bool leave_open, RunningStream::Publish publish) {
  DurableStream stream(mechanism, options);
  // Slots are known by their ids and need not come again.
  if (mechanism.horizon().has_slots()) stream.resume_at(stream.rows_before());
  return std::make_unique<KeptStream>(std::move(stream), mechanism.horizon().every(), leave_open,
                                      std::move(publish));
}

}  // namespace jme
