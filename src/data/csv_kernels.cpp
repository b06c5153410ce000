// Highway compiles this file once for every SIMD target and chooses at run time.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/csv_kernels.cpp"
#include "data/csv_kernels.hpp"

#include <bit>
#include <cstring>

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::data::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::CappedTag<std::uint8_t, 64>;

/// The lanes of a mask as bits. What is stored is loaded with the same width, which stays in registers.
template <class Bits>
HWY_INLINE std::uint64_t BitsOf(ByteTag d, hn::Mask<ByteTag> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  Bits bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}
HWY_INLINE std::uint64_t BitsOf(ByteTag d, hn::Mask<ByteTag> mask) {
  if constexpr (std::endian::native == std::endian::little && hn::MaxLanes(ByteTag()) == 64)
    return BitsOf<std::uint64_t>(d, mask);
  if constexpr (std::endian::native == std::endian::little && hn::MaxLanes(ByteTag()) == 32)
    return BitsOf<std::uint32_t>(d, mask);
  if constexpr (std::endian::native == std::endian::little && hn::MaxLanes(ByteTag()) == 16)
    return BitsOf<std::uint16_t>(d, mask);
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  return bits;
}

/// Places of the bits that are set. Mostly a few are: those are written without asking how many there are.
HWY_INLINE std::uint32_t* WritePlaces(std::uint64_t bits, std::uint32_t offset, std::uint32_t* places) {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  constexpr std::size_t mostly = 6;
  for (std::size_t i = 0; i < mostly; ++i) {
    places[i] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
    bits &= bits - 1;
  }
  for (std::size_t i = mostly; i < count; ++i) {
    places[i] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
    bits &= bits - 1;
  }
  return places + count;
}

std::size_t FindMarks(std::string_view text, char delimiter, std::uint32_t offset, std::uint32_t* places) {
  const ByteTag d;
  const std::size_t n = hn::Lanes(d);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto divider = hn::Set(d, static_cast<std::uint8_t>(delimiter));
  const auto feed = hn::Set(d, static_cast<std::uint8_t>('\n'));
  const auto quote = hn::Set(d, static_cast<std::uint8_t>('"'));
  const auto zero = hn::Zero(d);
  std::uint32_t* end = places;
  for (std::size_t at = 0; at < text.size(); at += n) {
    const auto block = hn::LoadU(d, bytes + at);
    const auto marks = hn::Or(hn::Or(hn::Eq(block, divider), hn::Eq(block, feed)),
                              hn::Or(hn::Eq(block, quote), hn::Eq(block, zero)));
    std::uint64_t bits = BitsOf(d, marks);
    if (text.size() - at < n) bits &= (std::uint64_t{1} << (text.size() - at)) - 1;
    end = WritePlaces(bits, offset + static_cast<std::uint32_t>(at), end);
  }
  return static_cast<std::size_t>(end - places);
}

}  // namespace jme::data::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme::data {

HWY_EXPORT(FindMarks);

std::size_t find_marks(std::string_view text, char delimiter, std::uint32_t offset, std::uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(FindMarks)(text, delimiter, offset, places);
}

}  // namespace jme::data
#endif
