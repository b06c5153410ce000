#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include <jme/mechanism/stream_fields.hpp>
#include <jme/store/stream_settings.hpp>

#include "store/bytes.hpp"
#include "store/sha256.hpp"

namespace jme {

namespace {

std::string number(double value) {
  return fmt::format("{}", value);  // the shortest text that reads back as the same double
}

// A matrix from a file is identified by its content, wherever the file is.
std::string text_of(const FieldValue& value) {
  return std::visit(
      [](const auto& known) -> std::string {
        using Value = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<Value, MatrixName>) {
          return "matrix";
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          return fmt::format("{}", fmt::join(known, ","));
        } else {
          return fmt::format("{}", known);
        }
      },
      value);
}

/// Every number a filter is made of.
class FilterDigest {
 public:
  explicit FilterDigest(const Filter& filter) {
    put_count(filter.steps());
    put_count(filter.is_dense() ? 1 : 0);
    if (filter.is_dense()) {
      put({filter.matrix().data(), static_cast<std::size_t>(filter.matrix().size())});
    } else {
      put_core(filter.core());
      put_schedule(filter.row(), filter.steps());
      put_schedule(filter.column(), filter.steps());
    }
    if (filter.last_row()) put(*filter.last_row());
    if (filter.last_mode_weight()) put({&*filter.last_mode_weight(), 1});
  }

  [[nodiscard]] std::string text() {
    std::string hex;
    const auto digest = hash_.digest();
    for (std::size_t i = 0; i < 16; ++i) hex += fmt::format("{:02x}", static_cast<unsigned>(digest[i]));
    return hex;
  }

 private:
  void put_count(std::uint64_t value) { hash_.add(std::as_bytes(std::span(&value, 1))); }
  void put(std::span<const double> values) {
    put_count(values.size());
    hash_.add(std::as_bytes(values));
  }
  void put_core(const Toeplitz& core) {
    put(core.taps);
    put_count(core.modes.size());
    for (const Mode& mode : core.modes) put(std::array{mode.weight, mode.pole});
    put_count(core.inverted ? 1 : 0);
    put(core.inverse_taps);
    put_count(core.lag_taps.size());
    for (const LagTap& tap : core.lag_taps) {
      put_count(tap.lag);
      put({&tap.weight, 1});
    }
  }
  // A schedule is made of a few numbers or written out. Short schedules are taken whole. Of long ones, which
  // are made of a few numbers, the beginning, the end and blocks in between are taken: other parameters
  // change all of these.
  void put_schedule(const Schedule& schedule, std::size_t steps) {
    put_count(schedule.is_one() ? 1 : 0);
    if (schedule.is_one()) return;
    constexpr std::size_t most_blocks = 192;
    const std::size_t blocks = (steps + Schedule::block - 1) / Schedule::block;
    std::vector<double> values(Schedule::block);
    const auto put_block = [&](std::size_t block) {
      const std::size_t begin = block * Schedule::block;
      const std::size_t count = std::min(Schedule::block, steps - begin);
      schedule.fill(begin, {values.data(), count});
      put({values.data(), count});
    };
    if (blocks <= most_blocks) {
      for (std::size_t block = 0; block < blocks; ++block) put_block(block);
      return;
    }
    constexpr std::size_t part = most_blocks / 3;
    for (std::size_t i = 0; i < part; ++i) put_block(i);
    for (std::size_t i = 0; i < part; ++i) put_block(part + i * (blocks - 2 * part) / part);
    for (std::size_t i = 0; i < part; ++i) put_block(blocks - part + i);
  }
  store::Sha256 hash_;
};

}  // namespace

std::string_view value_of(const Settings& settings, std::string_view name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? std::string_view() : std::string_view(found->value);
}

void add_setting(Settings& settings, std::string_view field, const FieldValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return;
  std::string name(field);
  std::replace(name.begin(), name.end(), '_', '-');
  settings.push_back({.name = std::move(name), .value = text_of(value)});
}

Settings settings_of(const Mechanism& mechanism) {
  const Calibration& noise = mechanism.calibration();
  Settings settings;
  const auto add = [&](std::string_view name, std::string_view value) {
    settings.push_back({.name = std::string(name), .value = std::string(value)});
  };
  const auto real = [&](std::string_view name, double value) { add(name, number(value)); };

  add(mechanism_version_setting, mechanism_version);
  for (const StreamField& field : stream_fields())
    add_setting(settings, field.name, field.in_force(mechanism));
  real("noise multiplier", mechanism.sigma());
  real("noise of the first moment", noise.std_first);
  real("noise of the second moment", noise.std_second);
  real("noise off its diagonal", noise.std_off_diagonal);
  real("noise of counts of cells", noise.std_count);
  real("noise of counts of pairs", noise.std_pair_count);
  real("noise of the count of rows", noise.std_rows);
  if (noise.std_trace > 0) real("noise of the trace", noise.std_trace);
  real("lattice of the first moment", mechanism.lattice().first);
  real("lattice of the second moment", mechanism.lattice().second);
  add("numbers of the workload", FilterDigest(mechanism.a1()).text());
  add("numbers of the second workload", FilterDigest(mechanism.a2()).text());
  add("numbers of the shape", FilterDigest(mechanism.c1()).text());
  add("numbers of the second shape", FilterDigest(mechanism.c2()).text());
  return settings;
}

}  // namespace jme
