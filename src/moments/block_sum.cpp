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
constexpr std::uint32_t wire_version = 1;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 31;
constexpr std::size_t rows_in_panel = 256;
constexpr std::int64_t row_bound = 1 << 20;

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
  write(bytes, static_cast<std::uint32_t>(map.second));
  write(bytes, static_cast<std::uint64_t>(map.dimension));
  write(bytes, map.norm_bound);
  write(bytes, map.details);
  return bytes;
}

}  // namespace

RowMap RowMap::of(const StreamConfig& config, const std::array<std::byte, 32>& details) {
  return {.dimension = config.dimension,
          .second = config.second,
          .norm_bound = config.norm_bound,
          .details = details};
}

/// Rows that came in since the sums were last asked for.
struct BlockSum::Adding {
  explicit Adding(const RowMap& map) : batch(map.dimension, map.norm_bound), first(map.dimension, 0.0) {
    if (map.second == SecondMoment::none) return;
    second.emplace(map.dimension, map.second, rows_in_panel, 1.0, SecondSum::Rows::lattice);
  }
  RowBatch batch;
  std::vector<double> first;
  std::optional<SecondSum> second;
};

BlockSum::BlockSum(const RowMap& map)
    : map_(map), first_(map.dimension, 0), products_(second_moment_size(map.second, map.dimension), 0) {
  if (map.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  static_cast<void>(NormBound(map.norm_bound));
}

BlockSum::BlockSum(const BlockSum& other) : map_(other.map_) {
  *this = other;
}

BlockSum& BlockSum::operator=(const BlockSum& other) {
  if (this == &other) return *this;
  other.collect();
  map_ = other.map_;
  rows_ = other.rows_;
  first_ = other.first_;
  products_ = other.products_;
  adding_.reset();
  return *this;
}

BlockSum::BlockSum(BlockSum&&) noexcept = default;
BlockSum& BlockSum::operator=(BlockSum&&) noexcept = default;
BlockSum::~BlockSum() = default;

void BlockSum::add_rows(const MatrixView& rows) {
  check_rows(rows, map_.dimension);
  if (rows.rows > most_rows - rows_) throw InvalidParameter("block", "it has more than 2^31 rows");
  if (!adding_) adding_ = std::make_unique<Adding>(map_);
  for (std::size_t done = 0; done < rows.rows;) {
    const std::size_t count = std::min(adding_->batch.capacity(), rows.rows - done);
    adding_->batch.take(rows.part(done, count));
    if (adding_->second) adding_->second->add(adding_->batch, count);
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
    first_[i] += static_cast<std::int64_t>(std::exchange(adding_->first[i], 0.0));
  }
  if (adding_->second) adding_->second->move_to(products_);
}

void BlockSum::merge(const BlockSum& other) {
  if (map_ != other.map_) throw InvalidParameter("block", "the other sums are of another row map");
  if (other.rows_ > most_rows - rows_) throw InvalidParameter("block", "it has more than 2^31 rows");
  collect();
  other.collect();
  for (std::size_t i = 0; i < first_.size(); ++i) first_[i] += other.first_[i];
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i] += other.products_[i];
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

std::vector<std::byte> BlockSum::bytes() const {
  collect();
  std::vector<std::byte> bytes = header(map_);
  write(bytes, rows_);
  for (const std::span<const std::byte> part :
       {std::as_bytes(std::span(first_)), std::as_bytes(std::span(products_))}) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  write(bytes, checksum(bytes));
  return bytes;
}

BlockSum BlockSum::from_bytes(std::span<const std::byte> bytes, const RowMap& map) {
  BlockSum sum(map);
  const std::vector<std::byte> expected = header(map);
  const std::size_t length =
      sizeof(sum.rows_) + sum.first_.size() * sizeof(std::int64_t) + sum.products_.size() * sizeof(WideInt);
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
  sum.check_possible();
  return sum;
}

// What rows of norm at most 2^20 units can add up to. It is a guard against mistakes: sums that pass need not
// be sums of rows.
void BlockSum::check_possible() const {
  const auto refuse = [] { throw DataError("block: no rows have these sums"); };
  if (rows_ > most_rows) refuse();
  const WideInt rows = static_cast<WideInt>(rows_), most = rows * row_bound * row_bound;
  WideInt squares = 0;
  for (std::size_t i = 0; i < map_.dimension; ++i) {
    const WideInt sum = first_[i];
    if (sum > rows * row_bound || sum < -rows * row_bound) refuse();
    squares += sum * sum;
  }
  if (squares > rows * most) refuse();  // |sum of rows| <= rows x bound
  if (map_.second == SecondMoment::none) return;
  const PackedTriangle triangle{map_.dimension};
  WideInt trace = 0;
  for (std::size_t i = 0; i < map_.dimension; ++i) {
    const WideInt square = products_[map_.second == SecondMoment::full ? triangle.diagonal(i) : i];
    const WideInt sum = first_[i];
    if (square < 0 || square > most || sum * sum > rows * square) refuse();
    trace += square;
  }
  if (trace > most) refuse();
  for (const WideInt product : products_) {
    if (product > most || product < -most) refuse();
  }
}

void BlockSum::check_fits(const StreamConfig& config) const {
  if (map_.dimension == config.dimension && map_.second == config.second &&
      map_.norm_bound == config.norm_bound) {
    return;
  }
  throw InvalidParameter("block",
                         "its sums are of another dimension, norm bound or second moment than the stream's");
}

bool BlockSum::operator==(const BlockSum& other) const {
  collect();
  other.collect();
  return map_ == other.map_ && rows_ == other.rows_ && first_ == other.first_ && products_ == other.products_;
}

}  // namespace jme
