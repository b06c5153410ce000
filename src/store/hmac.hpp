#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <jme/random/key.hpp>

struct evp_mac_ctx_st;

namespace jme::store {

/// The first half of HMAC-SHA256: 128 bits that nobody can guess without the key.
using Tag = std::array<std::byte, 16>;

/// HMAC-SHA256 under one key, message after message.
class Hmac {
 public:
  explicit Hmac(const Key& key);

  void add(std::span<const std::byte> part);
  /// The digest of all parts since the last call; starts a new message.
  [[nodiscard]] std::array<std::byte, 32> digest();
  [[nodiscard]] Tag tag();
  [[nodiscard]] Tag tag(std::span<const std::byte> message);

 private:
  struct Free {
    void operator()(evp_mac_ctx_st* context) const;
  };
  std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

/// Compares without a branch that depends on the bytes.
[[nodiscard]] bool equal(const Tag& a, const Tag& b);

}  // namespace jme::store
