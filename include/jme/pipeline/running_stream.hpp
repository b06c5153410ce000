#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <jme/moments/moment_stream.hpp>

namespace jme::cli {

/// Rows in, releases out in their order: in memory, or durable.
class RunningStream {
 public:
  using Publish = std::function<void(const Release&)>;

  virtual ~RunningStream() = default;
  /// `as_read`: the row before missing cells were filled.
  virtual void push(std::span<const double> row, std::span<const double> as_read) = 0;
  virtual void end_input() = 0;
  /// The input failed: publishes what was made before and may still be published.
  virtual void flush() {}
  /// The process shall end: the same, and says how to go on.
  virtual void stop() {}
  /// The release of the last block that ended; null before the first.
  [[nodiscard]] virtual const Release* newest() const = 0;
  /// Rows of the input so far.
  [[nodiscard]] virtual std::size_t rows() const = 0;
};

/// A stream that lives as long as the process.
class PassingStream final : public RunningStream {
 public:
  PassingStream(MomentStream& stream, Publish publish) : stream_(stream), publish_(std::move(publish)) {}

  void push(std::span<const double> row, std::span<const double> /*as_read*/) override {
    give(stream_.push(row));
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
  MomentStream& stream_;
  Publish publish_;
};

}  // namespace jme::cli
