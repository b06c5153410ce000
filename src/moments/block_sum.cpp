#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_sum.hpp>

#include "base/packed_triangle.hpp"
#include "moments/check_rows.hpp"
#include "moments/row_batch.hpp"
#include "moments/second_sum.hpp"

namespace jme {
namespace {

static_assert(std::endian::native == std::endian::little, "sums travel as little-endian numbers");

constexpr std::string_view magic = "jmeblock";
constexpr std::uint32_t wire_version = 2;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 31;
constexpr std::size_t rows_in_panel = 256;
constexpr std::int64_t row_bound = 1 << 20;
constexpr std::int64_t most_first = static_cast<std::int64_t>(most_rows) * row_bound;
constexpr WideInt most_product = static_cast<WideInt>(most_first) * row_bound;

/// a + b, but within 2^62: each way of cutting off is a map that brings no two sums farther apart.
std::int64_t sum_within(std::int64_t a, std::int64_t b) {
  constexpr WideInt most = WideInt{1} << 62;
  return static_cast<std::int64_t>(std::clamp(static_cast<WideInt>(a) + b, -most, most));
}

template <class Value>
void write(std::vector<std::byte>& bytes, const Value& value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(Value));
}

template <class Value>
void take(std::span<const std::byte>& bytes, Value* to, std::size_t count) {
  if (count != 0) std::memcpy(to, bytes.data(), count * sizeof(Value));
  bytes = bytes.subspan(count * sizeof(Value));
}

/// FNV-1a: it detects accidental damage, not deliberate changes.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

std::vector<std::byte> header(const RowMap& map) {
  std::vector<std::byte> bytes;
  for (const char letter : magic) write(bytes, letter);
  write(bytes, wire_version);
  const ReleaseLayout& layout = map.layout;
  write(bytes, static_cast<std::uint8_t>(layout.second));
  write(bytes, static_cast<std::uint8_t>(map.geometry));
  write(bytes, static_cast<std::uint8_t>(layout.cell_counts));
  write(bytes, static_cast<std::uint8_t>(layout.row_count));
  write(bytes, static_cast<std::uint64_t>(layout.dimension));
  write(bytes, map.norm_bound);
  write(bytes, map.details);
  return bytes;
}

}  // namespace

/// Rows that came in since the sums were last asked for.
struct BlockSum::Adding {
  explicit Adding(const RowMap& map) : batch(map), first(map.layout.first_size(), 0.0) {
    const std::size_t dimension = map.layout.dimension;
    const SecondMoment kind = map.layout.second;
    if (kind != SecondMoment::none) {
      second.emplace(dimension, kind, rows_in_panel, 1.0, SecondSum::Rows::lattice);
    }
    if (map.layout.count_of_pairs() > 0) {
      pairs.emplace(dimension, SecondMoment::full, rows_in_panel, 1.0, SecondSum::Rows::lattice);
    }
  }
  RowBatch batch;
  std::vector<double> first;
  std::optional<SecondSum> second, pairs;
};

BlockSum::BlockSum(const RowMap& map, Of of)
    : map_(map),
      of_(of),
      first_(map.layout.first_size(), 0),
      products_(map.layout.moment_size(), 0),
      pairs_(map.layout.count_of_pairs() > 0 ? map.layout.moment_size() : 0, 0) {
  if (map.layout.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  static_cast<void>(NormBound(map.norm_bound));
}

BlockSum::BlockSum(const BlockSum& other) : map_(other.map_), of_(other.of_) {
  *this = other;
}

BlockSum& BlockSum::operator=(const BlockSum& other) {
  if (this == &other) return *this;
  other.collect();
  map_ = other.map_;
  of_ = other.of_;
  rows_ = other.rows_;
  not_collected_ = 0;
  first_ = other.first_;
  products_ = other.products_;
  pairs_ = other.pairs_;
  adding_.reset();
  return *this;
}

BlockSum::BlockSum(BlockSum&&) noexcept = default;
BlockSum& BlockSum::operator=(BlockSum&&) noexcept = default;
BlockSum::~BlockSum() = default;

void BlockSum::check_room(std::uint64_t rows) const {
  if (of_ == Of::slot || rows <= most_rows - rows_) return;
  throw InvalidParameter("block", "it has more than 2^31 rows");
}

void BlockSum::add_rows(const MatrixView& rows) {
  check_rows(rows, map_.layout.dimension, map_.allows_absent());
  check_room(rows.rows);
  not_collected_ += rows.rows;
  if (not_collected_ > most_rows) {
    collect();
    not_collected_ = rows.rows;
  }
  if (!adding_) adding_ = std::make_unique<Adding>(map_);
  for (std::size_t done = 0; done < rows.rows;) {
    const std::size_t count = std::min(adding_->batch.capacity(), rows.rows - done);
    adding_->batch.take(rows.part(done, count));
    if (adding_->second) adding_->second->add(adding_->batch.units(), count);
    if (adding_->pairs) adding_->pairs->add(adding_->batch.present(), count);
    done += count;
  }
  rows_ += rows.rows;
}

void BlockSum::add(std::span<const double> row) {
  add_rows(MatrixView{.data = row.data(), .rows = 1, .columns = row.size(), .row_stride = 0});
}

// At most 2^31 rows of 2^20 units: exact in the doubles of `first`.
void BlockSum::collect() const {
  if (!adding_) return;
  adding_->batch.add_sum_to(adding_->first);
  for (std::size_t i = 0; i < first_.size(); ++i) {
    first_[i] = sum_within(first_[i], static_cast<std::int64_t>(std::exchange(adding_->first[i], 0.0)));
  }
  if (adding_->second) adding_->second->move_to(products_);
  if (adding_->pairs) adding_->pairs->move_to(pairs_);
}

void BlockSum::merge(const BlockSum& other) {
  if (map_ != other.map_) throw InvalidParameter("block", "the other sums are of another row map");
  check_room(other.rows_);
  collect();
  other.collect();
  for (std::size_t i = 0; i < first_.size(); ++i) first_[i] = sum_within(first_[i], other.first_[i]);
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i] += other.products_[i];
  for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i] += other.pairs_[i];
  rows_ += other.rows_;
}

std::span<const std::int64_t> BlockSum::first() const {
  collect();
  return first_;
}
std::span<const WideInt> BlockSum::products() const {
  collect();
  return products_;
}

std::span<const WideInt> BlockSum::pairs() const {
  collect();
  return pairs_;
}

std::int64_t BlockSum::saturated(std::int64_t sum) {
  return std::clamp(sum, -most_first, most_first);
}

WideInt BlockSum::saturated(WideInt product) {
  return std::clamp(product, -most_product, most_product);
}

std::vector<std::byte> BlockSum::bytes() const {
  collect();
  std::vector<std::byte> bytes = header(map_);
  write(bytes, rows_);
  for (const std::span<const std::byte> part :
       {std::as_bytes(std::span(first_)), std::as_bytes(std::span(products_)),
        std::as_bytes(std::span(pairs_))}) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  write(bytes, checksum(bytes));
  return bytes;
}

BlockSum BlockSum::from_bytes(std::span<const std::byte> bytes, const RowMap& map, Of of) {
  BlockSum sum(map, of);
  const std::vector<std::byte> expected = header(map);
  const std::size_t length = sizeof(sum.rows_) + sum.first_.size() * sizeof(std::int64_t) +
                             (sum.products_.size() + sum.pairs_.size()) * sizeof(WideInt);
  const std::size_t name = magic.size() + sizeof(wire_version);
  if (bytes.size() < expected.size() ||
      !std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(name), bytes.begin())) {
    throw DataError("block: these are not sums of this version");
  }
  if (!std::equal(expected.begin(), expected.end(), bytes.begin())) {
    throw DataError("block: the sums are of other columns, bounds, missing cells or moments");
  }
  if (bytes.size() != expected.size() + length + sizeof(std::uint64_t)) {
    throw DataError("block: the sums do not have the length of their dimension");
  }
  std::uint64_t found = 0;
  std::span<const std::byte> end = bytes.last(sizeof found);
  take(end, &found, 1);
  if (found != checksum(bytes.first(bytes.size() - sizeof found))) {
    throw DataError("block: the sums were damaged on their way");
  }
  std::span<const std::byte> rest = bytes.subspan(expected.size());
  take(rest, &sum.rows_, 1);
  take(rest, sum.first_.data(), sum.first_.size());
  take(rest, sum.products_.data(), sum.products_.size());
  take(rest, sum.pairs_.data(), sum.pairs_.size());
  // Of so many rows only a slot of our own has sums.
  if (of == Of::block || sum.rows_ <= most_rows) sum.check_possible();
  return sum;
}

// What rows of lattice units can add up to: at most 2^20 in every cell, in the ball at most 2^20 in length.
// It is a guard against mistakes: sums that pass need not be sums of rows.
void BlockSum::check_possible() const {
  const auto refuse = [] { throw DataError("block: no rows have these sums"); };
  if (rows_ > most_rows) refuse();
  const std::size_t d = map_.layout.dimension;
  const WideInt rows = static_cast<WideInt>(rows_), most = rows * row_bound * row_bound;
  const WideInt widest = map_.geometry == Geometry::ball ? most : most * static_cast<WideInt>(d);
  WideInt squares = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const WideInt sum = first_[i];
    if (sum > rows * row_bound || sum < -rows * row_bound) refuse();
    squares += sum * sum;
  }
  if (squares > rows * widest) refuse();  // |sum of rows| <= rows x bound
  check_possible_counts();
  if (map_.layout.second == SecondMoment::none) return;
  const PackedTriangle triangle{d};
  WideInt trace = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const WideInt square = products_[map_.layout.second == SecondMoment::full ? triangle.diagonal(i) : i];
    const WideInt sum = first_[i];
    if (square < 0 || square > most || sum * sum > rows * square) refuse();
    trace += square;
  }
  if (trace > widest) refuse();
  for (const WideInt product : products_) {
    if (product > most || product < -most) refuse();
  }
}

// Whole numbers of cells, pairs and rows, no more than there are rows, and sums no larger than their cells
// allow.
void BlockSum::check_possible_counts() const {
  const auto refuse = [] { throw DataError("block: no rows have these counts"); };
  const std::size_t d = map_.layout.dimension;
  const WideInt most = static_cast<WideInt>(rows_) * row_bound;
  for (std::size_t i = d; i < first_.size(); ++i) {
    if (first_[i] < 0 || first_[i] > most || first_[i] % row_bound != 0) refuse();
  }
  for (std::size_t i = 0; i < map_.layout.count_of_cells(); ++i) {
    if (first_[i] > first_[d + i] || first_[i] < -first_[d + i]) refuse();
    if (map_.layout.row_count && first_[d + i] > first_.back()) refuse();
  }
  const PackedTriangle triangle{d};
  for (std::size_t i = 0, k = 0; i < d && !pairs_.empty(); ++i) {
    if (pairs_[triangle.diagonal(i)] != static_cast<WideInt>(first_[d + i]) * row_bound) refuse();
    for (std::size_t j = i; j < d; ++j, ++k) {
      const WideInt least = std::min(first_[d + i], first_[d + j]);
      if (pairs_[k] < 0 || pairs_[k] > least * row_bound || pairs_[k] % (row_bound * row_bound) != 0)
        refuse();
    }
  }
}

void BlockSum::check_fits(const Mechanism& mechanism) const {
  if (map_ == RowMap::of(mechanism, map_.details)) return;
  throw InvalidParameter(
      "block",
      "its sums are of another dimension, norm bound, geometry, second moment or counts than the stream's");
}

bool BlockSum::operator==(const BlockSum& other) const {
  collect();
  other.collect();
  return map_ == other.map_ && rows_ == other.rows_ && first_ == other.first_ &&
         products_ == other.products_ && pairs_ == other.pairs_;
}

}  // namespace jme
