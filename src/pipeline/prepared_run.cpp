#include "prepared_run.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

// Filters, noise levels and limits do not depend on the dimension, so a stream of this one finds every
// wrong parameter before the data tells the real one.
constexpr std::size_t stand_in_dimension = 2;

}  // namespace

PreparedRun::PreparedRun(InputFlags::Input input, const StreamFlags& stream, EmitOptions emit,
                         std::optional<std::uint64_t> seed)
    : input_(std::move(input)),
      emit_(std::move(emit)),
      seed_(seed),
      dimension_is_known_(input_.from_columns().dimension || stream.dimension),
      config_(checked_config(stream)),
      mechanism_(config_),
      stream_(new_stream()),
      bounds_(ColumnBounds::none(config_.dimension)),
      missing_(config_.dimension) {}

StreamConfig PreparedRun::checked_config(const StreamFlags& flags) {
  StreamFlags::FromColumns known = input_.from_columns();
  if (!dimension_is_known_) known.dimension = stand_in_dimension;
  StreamConfig config = flags.config(known);
  if (emit_.values.empty()) emit_.values = default_emit(config.second);
  for (const UnusedEmitOption option : check_emit(emit_, config, input_.bounds_text.has_value())) {
    print_note(option == UnusedEmitOption::psd
                   ? "--psd changes the covariance only, which is not emitted"
                   : "--raw changes the covariance and what is made of it, which is not emitted");
  }
  input_.check_missing(config);
  if (!input_.options.columns.empty()) find_columns(emit_, input_.options.columns);
  // No row may say how many columns there are.
  if (dimension_is_known_ && input_.options.columns.empty() && !input_.has_header()) {
    input_.options.width = config.dimension;
  }
  return config;
}

MomentStream PreparedRun::new_stream() const {
  return seed_ ? MomentStream(mechanism_, InsecureTestSeed{*seed_}) : MomentStream(mechanism_);
}

void PreparedRun::adopt_dimension(std::size_t dimension) {
  if (dimension == config_.dimension) return;
  if (dimension_is_known_) {
    throw InvalidParameter("dimension", static_cast<double>(config_.dimension),
                           fmt::format("{}, the number of columns", dimension));
  }
  config_.dimension = dimension;
  config_.shape = mechanism_.shape_first();
  if (mechanism_.has_second()) config_.shape_second = mechanism_.shape_second();
  mechanism_ = Mechanism(config_);
  stream_ = new_stream();
}

void PreparedRun::adopt_columns(std::vector<std::string> names) {
  adopt_dimension(names.size());
  columns_ = std::move(names);
  find_columns(emit_, columns_);
  bounds_ = input_.bounds(columns_);
  missing_ = input_.missing(columns_);
}

RunDescription PreparedRun::description() const {
  return {.mechanism = mechanism_,
          .bounds = bounds_,
          .emit = emit_,
          .insecure_seed = seed_,
          .missing = input_.missing_text.value_or(""),
          .on_bad_row = input_.options.on_bad_row,
          .records = input_.records_name()};
}

}  // namespace jme::cli
