#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/pipeline/running_stream.hpp>

namespace jme {

/// A durable stream whose rows come from a source that can go on where it was, such as the partitions of a
/// log: rows that were taken do not come again. In the commit of every block, and with whatever else is kept,
/// it keeps the source's place, sealed. So a process that is killed neither loses a row nor takes one twice:
/// the next one goes on with the place of the last commit, and with what that commit had.
class PlacedStream final : public RunningStream {
 public:
  /// Where the source has read to: the row that is pushed next is the last one before it.
  using Place = std::function<std::vector<std::byte>()>;

  /// Goes on after the rows that earlier processes committed; publish_stored() publishes their releases.
  /// Throws StateError for a stream whose rows came from elsewhere.
  PlacedStream(std::unique_ptr<RunningStream> stream, const Horizon& horizon);

  /// The place of the last commit of an earlier process; empty where there was none.
  [[nodiscard]] const std::vector<std::byte>& place_before() const { return place_before_; }
  /// Comes before the first row.
  void keep_place(Place place) { place_ = std::move(place); }

  using RunningStream::push;
  void push(std::span<const double> row, std::span<const double> as_read) override;
  void push_block(std::string_view id, const BlockSum& block) override;
  [[nodiscard]] bool can_keep() const override { return stream_->can_keep(); }
  void keep(std::span<const std::byte> bytes) override;
  [[nodiscard]] std::vector<std::byte> kept() const override { return kept_; }
  void publish_stored() override { stream_->publish_stored(); }
  void keep_people(std::span<const std::byte> records, People which = People::more) override {
    stream_->keep_people(records, which);
  }
  [[nodiscard]] std::vector<std::byte> people_before() const override { return stream_->people_before(); }
  void end_input() override;
  void flush() override { stream_->flush(); }
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> commit_due() const override {
    return stream_->commit_due();
  }
  [[nodiscard]] std::optional<std::uint64_t> committed_rows() const override {
    return stream_->committed_rows();
  }
  [[nodiscard]] const Release* newest() const override { return stream_->newest(); }
  [[nodiscard]] std::size_t rows() const override { return stream_->rows(); }

 private:
  void stage();
  std::unique_ptr<RunningStream> stream_;
  Horizon horizon_;
  Place place_{};
  std::vector<std::byte> place_before_, kept_;
  bool has_staged_ = false;
  bool in_block_ = false;  // rows were pushed after the last block that ended
};

}  // namespace jme
