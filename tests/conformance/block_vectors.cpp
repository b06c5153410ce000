#include "conformance/block_vectors.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>

#include "moments/lattice_row.hpp"
#include "one_row.hpp"
#include "store/hmac.hpp"

namespace jme::conformance {
namespace {

using Bytes = std::vector<std::byte>;
using Row = std::vector<double>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double unreadable = std::numeric_limits<double>::infinity();

/// What a worker knows: the settings of a run, as a settings file has them.
struct Worker {
  std::string name, config;
  std::vector<std::string> columns;
  Pairs settings;                       ///< those that rows depend on, as the page says
  std::vector<std::string> on_missing;  ///< by column: bad, absent or a number; empty: bad
};

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string cell(double value) {
  if (std::isnan(value)) return "missing";
  return std::isinf(value) ? "unreadable" : fmt::format("{:a}", value);
}

std::array<std::byte, 32> details_of(const Pairs& settings) {
  store::Hmac digest(Key(std::array<std::uint8_t, 32>{}));
  const auto add = [&](const std::string& text) {
    const std::uint64_t length = text.size();
    digest.add(std::as_bytes(std::span(&length, 1)));
    digest.add(std::as_bytes(std::span(text)));
  };
  for (const auto& [name, value] : settings) {
    add(name);
    add(value);
  }
  return digest.digest();
}

/// Numbers between -1 and 1 that look random and are the same everywhere.
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 11)) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_ = 20;
};

class Vectors {
 public:
  std::string text =
      "# Test vectors of the block format: docs/block-format.md#test-vectors says how to read them.\n"
      "# Written by conformance_tests with JME_WRITE_VECTORS=1.\n";

  BlockSum add(const Worker& worker, const std::vector<Row>& rows) {
    const RunConfig config = run_config(RunSettings::from_json(worker.config, worker.name));
    PreparedRun run(config);
    run.adopt_columns(worker.columns);
    const RowMap map = run.row_map();
    if (details_of(worker.settings) != map.details) {
      throw std::logic_error(worker.name + ": the settings that rows depend on are others");
    }
    head(worker, run, map);
    RowRules rules = run.rules();
    BlockSum sum(map);
    for (Row row : rows) {
      text += "row";
      for (const double value : row) text += " " + cell(value);
      row = test::take_row(rules, row);
      Row units(map.layout.first_size());
      snap_row(map, row, units);
      text += " ->";
      for (const double unit : units) text += fmt::format(" {}", static_cast<std::int64_t>(unit));
      text += "\n";
      sum.add(row);
    }
    text += "bytes " + hex(sum.bytes()) + "\n";
    names_.emplace(worker.name, sum);
    return sum;
  }

  /// Sums that were named before, together.
  void merge(const std::string& name, const std::vector<std::string>& parts) {
    BlockSum sum(names_.at(parts.front()).map());
    text += fmt::format("\nmerge {} {}\n", name, fmt::join(parts, " "));
    try {
      for (const std::string& part : parts) sum.merge(names_.at(part));
      text += "bytes " + hex(sum.bytes()) + "\n";
      names_.emplace(name, sum);
    } catch (const InvalidParameter&) {
      text += "refused\n";
    }
  }

  /// Bytes that somebody sends to a stream whose rows are made as those of `name`.
  void send(const std::string& what, const std::string& name, const Bytes& bytes) {
    std::string verdict = "taken";
    try {
      static_cast<void>(BlockSum::from_bytes(bytes, names_.at(name).map()));
    } catch (const DataError& error) {
      verdict = reason(error.what());
    }
    text += fmt::format("\nsend {} {}\nbytes {}\n{}\n", what, name, hex(bytes), verdict);
  }

  [[nodiscard]] Bytes bytes_of(const std::string& name) const { return names_.at(name).bytes(); }

 private:
  static std::string reason(std::string_view message) {
    const std::map<std::string_view, std::string> known{{"not sums of this version", "version"},
                                                        {"sums are of other columns", "map"},
                                                        {"length of their dimension", "length"},
                                                        {"damaged on their way", "checksum"},
                                                        {"no rows have these", "impossible"}};
    for (const auto& [part, name] : known) {
      if (message.find(part) != std::string_view::npos) return "refused " + name;
    }
    throw std::logic_error("an unknown reason");
  }

  void head(const Worker& worker, const PreparedRun& run, const RowMap& map) {
    const ReleaseLayout& layout = map.layout;
    text += fmt::format("\ncase {}\ndimension {}\ngeometry {}\nsecond {}\ncell_counts {}\nrow_count {}\n",
                        worker.name, layout.dimension, jme::name(map.geometry), jme::name(layout.second),
                        static_cast<int>(layout.cell_counts), static_cast<int>(layout.row_count));
    text += fmt::format("norm_bound {:a}\n", map.norm_bound);
    for (const auto& [name, value] : worker.settings) text += fmt::format("setting {}={}\n", name, value);
    text += "details " + hex(map.details) + "\n";
    if (run.bounds().is_none()) return;
    const std::vector<ColumnRange> ranges = parse_ranges(run.bounds().text());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      text += fmt::format("column {:a} {:a} {}\n", ranges[i].low, ranges[i].high,
                          worker.on_missing.empty() ? "bad" : worker.on_missing[i]);
    }
  }

  std::map<std::string, BlockSum> names_;
};

const std::string budget = R"("epsilon": 1, "delta": 1e-6)";

/// As the page says: names of columns first, then the other settings in the order of its table.
Pairs rows_depend_on(const std::vector<std::string>& columns, const Pairs& others) {
  Pairs all;
  for (std::size_t i = 0; i < columns.size(); ++i)
    all.emplace_back(fmt::format("column {}", i + 1), columns[i]);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Worker ball(const std::string& name, std::size_t dimension, const std::string& more) {
  std::vector<std::string> columns;
  for (std::size_t i = 1; i <= dimension; ++i) columns.push_back(fmt::format("{}", i));
  return {.name = name,
          .config = fmt::format(R"({{{}, "rows": 100, "dimension": {}, {}}})", budget, dimension, more),
          .columns = columns,
          .settings = rows_depend_on(columns, {}),
          .on_missing = {}};
}

void add_balls(Vectors& vectors) {
  constexpr double tie = 0x1p-21;  // half a lattice unit of a bound of 1
  vectors.add(ball("ball-1", 1, R"("norm_bound": 1)"), {{0},
                                                        {-0.0},
                                                        {0.5},
                                                        {-0.3},
                                                        {1},
                                                        {-1},
                                                        {1.0000001},
                                                        {-1e308},
                                                        {5e-324},
                                                        {tie},
                                                        {-tie},
                                                        {3 * tie},
                                                        {-3 * tie},
                                                        {0.1 + tie}});
  Numbers numbers;
  std::vector<Row> rows{{0, 0}, {3, 4}, {-1.5, 2}, {1.5, -2}, {1e300, -1e-300}, {1e-300, 2e-300}, {2.5, 0}};
  // On the circle: after snapping the norm must be checked again.
  for (int i = 0; i < 12; ++i) {
    const double angle = numbers.next() * 3;
    rows.push_back({2.5 * std::cos(angle), 2.5 * std::sin(angle)});
  }
  // cos and sin may differ from machine to machine: only numbers of 32 bits are used.
  for (Row& row : rows)
    for (double& value : row)
      if (std::abs(value) < 1e10 && std::abs(value) > 1e-10) value = std::round(value * 0x1p32) * 0x1p-32;
  vectors.add(ball("ball-2", 2, R"("norm_bound": 2.5)"), rows);
  vectors.add(ball("ball-diagonal", 3, R"("norm_bound": 1, "second": "diagonal")"),
              {{0.25, -0.5, 0.125}, {1, 1, 1}, {-0.1, 0.2, -0.3}});
  vectors.add(ball("ball-none", 2, R"("norm_bound": 1, "second": "none")"), {{0.25, -0.5}, {1, -1}});
  vectors.add(ball("ball-empty", 2, R"("norm_bound": 1)"), {});
}

const std::vector<std::string> two{"temp", "co"};
const std::string two_bounds = R"("bounds": {"temp": [-20.1, 45.7], "co": [0, 0.001]})";
const std::pair<std::string, std::string> two_ranges{"bounds", "temp=-20.1:45.7,co=0:0.001"};

Worker box(const std::string& name, const std::string& more, const Pairs& settings,
           std::vector<std::string> on_missing = {}) {
  return {.name = name,
          .config = fmt::format("{{{}, {}, {}}}", budget, two_bounds, more),
          .columns = two,
          .settings = rows_depend_on(two, settings),
          .on_missing = std::move(on_missing)};
}

const std::vector<Row> plain_rows{{-20.1, 0},    {45.7, 0.001}, {12.8, 0.0005},
                                  {-100, 1e300}, {100, -1e300}, {0, 0},
                                  {20.3, 3e-4},  {-0.0, 1e-9},  {12.80003, 5.00001e-4}};
const std::vector<Row> rows_with_holes{{10, 2e-4},         {missing, 2e-4}, {10, missing},
                                       {missing, missing}, {unreadable, 0}, {missing, unreadable},
                                       {-3, 9e-4}};

void add_boxes(Vectors& vectors) {
  const std::string zero = R"("rows": 100, "on_bad_row": "zero")";
  vectors.add(box("box-2", R"("rows": 100)", {two_ranges}), plain_rows);
  vectors.add(box("box-2-empty", R"("rows": 100)", {two_ranges}), {});
  vectors.add(box("box-bad-rows", zero, {two_ranges}), rows_with_holes);
  vectors.add(box("box-centre", zero + R"(, "missing": "centre")", {two_ranges, {"missing", "centre"}},
                  {"0x0p+0", "0x0p+0"}),
              rows_with_holes);
  // A public value is mapped as a cell is.
  const double value = (0.00025 - 0.0005) / 0.0005;
  vectors.add(box("box-values", zero + R"(, "missing": "co=0.00025")",
                  {two_ranges, {"missing", "co=0.00025"}}, {"bad", fmt::format("{:a}", value)}),
              rows_with_holes);
  vectors.add(box("box-private-count", zero + R"(, "private_count": true)", {two_ranges}), rows_with_holes);
  vectors.add(box("box-observed", zero + R"(, "missing": "observed")", {two_ranges, {"missing", "observed"}},
                  {"absent", "absent"}),
              rows_with_holes);
  vectors.add(box("box-observed-diagonal", zero + R"(, "missing": "observed", "second": "diagonal")",
                  {two_ranges, {"missing", "observed"}}, {"absent", "absent"}),
              rows_with_holes);
  vectors.add(
      box("slots",
          R"("every": "1h", "time": "when", "from": "2026-01-01", "until": "2026-01-02", "on_bad_row": "zero")",
          {two_ranges,
           {"time", "when"},
           {"from", "2026-01-01T00:00:00Z"},
           {"until", "2026-01-02T00:00:00Z"}}),
      rows_with_holes);
  // Cells on the lattice, half-way between its points, and one bit beside that.
  Worker ties{.name = "box-ties",
              .config = fmt::format(R"({{{}, "bounds": {{"x": [-1, 1]}}, "rows": 100}})", budget),
              .columns = {"x"},
              .settings = rows_depend_on({"x"}, {{"bounds", "x=-1:1"}}),
              .on_missing = {}};
  std::vector<Row> rows;
  for (const double half : {1.0, -1.0, 3.0, -3.0, 1048575.0 * 2 - 1, -(1048576.0 * 2 - 1), 7.0}) {
    const double tie = half * 0x1p-21;
    rows.push_back({tie});
    rows.push_back({std::nextafter(tie, 2)});
    rows.push_back({std::nextafter(tie, -2)});
  }
  vectors.add(ties, rows);
}

Worker ten(const std::string& name, const std::string& more) {
  std::vector<std::string> columns;
  std::string bounds, text;
  for (int i = 0; i < 10; ++i) {
    const double low = -1.0 / (i + 3), high = 10.7 * (i + 1);
    columns.push_back(fmt::format("c{}", i));
    bounds += fmt::format(R"({}"c{}": [{}, {}])", i == 0 ? "" : ", ", i, low, high);
    text += fmt::format("{}c{}={}:{}", i == 0 ? "" : ",", i, low, high);
  }
  return {.name = name,
          .config = fmt::format(R"({{{}, "rows": 1000, "bounds": {{{}}}{}}})", budget, bounds, more),
          .columns = columns,
          .settings = rows_depend_on(columns, {{"bounds", text}}),
          .on_missing = {}};
}

std::vector<Row> rows_of_ten(std::size_t count, double scale) {
  Numbers numbers;
  std::vector<Row> rows(count, Row(10));
  for (Row& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = (numbers.next() + 0.8) * scale * double(j + 1);
  return rows;
}

void add_tens(Vectors& vectors) {
  const std::vector<Row> rows = rows_of_ten(30, 7.0);
  vectors.add(ten("box-10", ""), rows);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::vector<Row>(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                            rows.begin() + static_cast<std::ptrdiff_t>(end));
  };
  vectors.add(ten("box-10-a", ""), part(0, 11));
  vectors.add(ten("box-10-b", ""), part(11, 12));
  vectors.add(ten("box-10-c", ""), part(12, 30));
  vectors.merge("box-10-together", {"box-10-c", "box-10-a", "box-10-b"});  // the bytes of box-10
  // A norm bound that cuts the corners of the box off.
  vectors.add(ten("box-10-clipped", R"(, "norm_bound": 1.5)"), rows_of_ten(20, 20.0));
  // 2^31 rows are the most.
  vectors.add(ball("full", 1, R"("norm_bound": 1)"), {{-1}});
  for (int k = 0; k < 31; ++k) {
    const std::string before = k == 0 ? "full" : fmt::format("full-{}", k);
    vectors.merge(fmt::format("full-{}", k + 1), {before, before});
  }
  vectors.merge("too-many", {"full-31", "full"});
  vectors.merge("other-map", {"box-2", "box-centre"});
}

Bytes changed(Bytes bytes, std::size_t at, std::int64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

Bytes with_checksum(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes[i])) * 0x100000001b3;
  }
  std::memcpy(bytes.data() + bytes.size() - 8, &hash, sizeof hash);
  return bytes;
}

void add_sent(Vectors& vectors) {
  const Bytes good = vectors.bytes_of("box-2");
  constexpr std::size_t rows_at = 64, first_at = 72, products_at = first_at + 16;
  vectors.send("as-it-is", "box-2", good);
  vectors.send("another-empty-block", "box-2", vectors.bytes_of("box-2-empty"));
  vectors.send("other-missing-cells", "box-2", vectors.bytes_of("box-centre"));
  vectors.send("other-counts", "box-2", vectors.bytes_of("box-private-count"));
  vectors.send("other-dimension", "box-2", vectors.bytes_of("box-10"));
  vectors.send("nothing", "box-2", {});
  vectors.send("cut-in-the-header", "box-2", Bytes(good.begin(), good.begin() + 40));
  vectors.send("cut-in-the-sums", "box-2", Bytes(good.begin(), good.end() - 9));
  Bytes longer = good, damaged = good, version = good;
  longer.push_back(std::byte{0});
  damaged[products_at + 3] ^= std::byte{16};
  version[8] = std::byte{1};
  vectors.send("longer", "box-2", longer);
  vectors.send("damaged", "box-2", damaged);
  vectors.send("version-1", "box-2", with_checksum(version));
  vectors.send("no-rows-with-sums", "box-2", with_checksum(changed(good, rows_at, 0)));
  vectors.send("rows-beyond-2^31", "box-2",
               with_checksum(changed(good, rows_at, (std::int64_t{1} << 31) + 1)));
  vectors.send("sum-too-large", "box-2", with_checksum(changed(good, first_at, 10 << 20)));
  vectors.send("square-below-zero", "box-2", with_checksum(changed(good, products_at + 8, -1)));
  vectors.send("square-too-large", "box-2",
               with_checksum(changed(good, products_at, std::int64_t{10} << 40)));
  vectors.send("sums-without-squares", "box-2", with_checksum(changed(good, products_at, 0)));
  const Bytes counted = vectors.bytes_of("box-observed");
  constexpr std::size_t counts_at = first_at + 16;
  vectors.send("count-not-whole", "box-observed", with_checksum(changed(counted, counts_at, (2 << 20) + 1)));
  vectors.send("more-cells-than-rows", "box-observed", with_checksum(changed(counted, counts_at, 7 << 20)));
}

}  // namespace

std::string block_vectors() {
  Vectors vectors;
  add_balls(vectors);
  add_boxes(vectors);
  add_tens(vectors);
  add_sent(vectors);
  return vectors.text;
}

}  // namespace jme::conformance
