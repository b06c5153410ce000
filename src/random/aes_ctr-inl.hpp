// AES-256-CTR for one SIMD target; included once for each by gaussian_kernels.cpp.
#if defined(JME_RANDOM_AES_CTR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef JME_RANDOM_AES_CTR_INL
#undef JME_RANDOM_AES_CTR_INL
#else
#define JME_RANDOM_AES_CTR_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <hwy/highway.h>
#include <openssl/evp.h>

#include <jme/base/errors.hpp>

#include "random/aes_schedule.hpp"

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// Without vectors Highway has no cipher, so OpenSSL's is used, which chooses its own constant-time code.
inline void KeystreamBlocks(const AesSchedule& schedule, std::uint64_t prefix, std::uint64_t block,
                            std::uint64_t* out, std::size_t blocks) {
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  const std::unique_ptr<EVP_CIPHER_CTX, Free> context(EVP_CIPHER_CTX_new());
  std::uint8_t counter[16];
  for (int i = 0; i < 8; ++i) {
    counter[i] = static_cast<std::uint8_t>(prefix >> (56 - 8 * i));
    counter[8 + i] = static_cast<std::uint8_t>(block >> (56 - 8 * i));
  }
  auto* bytes = reinterpret_cast<unsigned char*>(out);
  std::memset(bytes, 0, 16 * blocks);
  int written = 0;
  // The first two round keys are the key itself.
  const bool ok =
      context != nullptr &&
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr, schedule.data(), counter) == 1 &&
      EVP_EncryptUpdate(context.get(), bytes, &written, bytes, static_cast<int>(16 * blocks)) == 1;
  if (!ok) throw Error("AES-256-CTR failed in OpenSSL");
}

#else

/// `blocks` is a multiple of the blocks in a vector; `out` is aligned to a vector.
inline void KeystreamBlocks(const AesSchedule& schedule, std::uint64_t prefix, std::uint64_t block,
                            std::uint64_t* out, std::size_t blocks) {
#if HWY_TARGET == HWY_AVX3_DL
  const hn::ScalableTag<std::uint64_t> d;
#else
  const hn::Full128<std::uint64_t> d;  // only there is the cipher's round wider than a block
#endif
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  using V = hn::Vec<decltype(bytes)>;
  const std::size_t lanes = hn::Lanes(d);
  // Both halves of a counter block are big endian, lanes are not.
  alignas(16) static constexpr std::uint8_t reversal[16] = {7,  6,  5,  4,  3,  2,  1, 0,
                                                            15, 14, 13, 12, 11, 10, 9, 8};
  const auto reverse = hn::LoadDup128(bytes, reversal);

  HWY_ALIGN std::uint64_t start[hn::MaxLanes(d)];
  HWY_ALIGN std::uint64_t stride[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < lanes; i += 2) {
    start[i] = prefix;
    start[i + 1] = block + i / 2;
    stride[i] = 0;
    stride[i + 1] = lanes / 2;
  }
  auto counter = hn::Load(d, start);
  const auto next = hn::Load(d, stride);
  const auto whitened = [&](const V& key) HWY_ATTR {
    const auto state = hn::Xor(hn::TableLookupBytes(hn::BitCast(bytes, counter), reverse), key);
    counter = hn::Add(counter, next);
    return state;
  };
  const auto round_key = [&](std::size_t round)
                             HWY_ATTR { return hn::LoadDup128(bytes, schedule.data() + 16 * round); };

  // A round takes four cycles and one or two start every cycle: eight at a time keep the unit busy.
  std::size_t i = 0;
  for (; i + 8 * lanes <= 2 * blocks; i += 8 * lanes) {
    V k = round_key(0);
    V s0 = whitened(k), s1 = whitened(k), s2 = whitened(k), s3 = whitened(k);
    V s4 = whitened(k), s5 = whitened(k), s6 = whitened(k), s7 = whitened(k);
    for (std::size_t round = 1; round < 14; ++round) {
      k = round_key(round);
      s0 = hn::AESRound(s0, k);
      s1 = hn::AESRound(s1, k);
      s2 = hn::AESRound(s2, k);
      s3 = hn::AESRound(s3, k);
      s4 = hn::AESRound(s4, k);
      s5 = hn::AESRound(s5, k);
      s6 = hn::AESRound(s6, k);
      s7 = hn::AESRound(s7, k);
    }
    k = round_key(14);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s0, k)), d, out + i);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s1, k)), d, out + i + lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s2, k)), d, out + i + 2 * lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s3, k)), d, out + i + 3 * lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s4, k)), d, out + i + 4 * lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s5, k)), d, out + i + 5 * lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s6, k)), d, out + i + 6 * lanes);
    hn::Store(hn::BitCast(d, hn::AESLastRound(s7, k)), d, out + i + 7 * lanes);
  }
  for (; i < 2 * blocks; i += lanes) {
    V state = whitened(round_key(0));
    for (std::size_t round = 1; round < 14; ++round) state = hn::AESRound(state, round_key(round));
    hn::Store(hn::BitCast(d, hn::AESLastRound(state, round_key(14))), d, out + i);
  }
}

#endif

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
