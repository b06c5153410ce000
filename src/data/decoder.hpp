#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace jme::data {

/// Undoes one kind of compression, a piece at a time.
class Decoder {
 public:
  struct Step {
    std::size_t consumed;
    std::size_t produced;
  };

  virtual ~Decoder() = default;
  /// Decodes from `in` to `out` until one of them ends; `last` says that nothing follows `in`.
  virtual Step decode(std::span<const char> in, bool last, std::span<char> out) = 0;
  /// Whether the input may end here.
  [[nodiscard]] virtual bool complete() const = 0;
};

/// `name` is the file's, for messages.
[[nodiscard]] std::unique_ptr<Decoder> make_gzip_decoder(std::string name);
[[nodiscard]] std::unique_ptr<Decoder> make_xz_decoder(std::string name);

}  // namespace jme::data
