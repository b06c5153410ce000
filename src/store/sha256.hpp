#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

struct evp_md_ctx_st;

namespace jme::store {

/// SHA-256 of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> part);
  [[nodiscard]] std::array<std::byte, 32> digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace jme::store
