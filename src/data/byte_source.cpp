#include "data/byte_source.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/file_name.hpp"

namespace jme::data {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

ByteSource::ByteSource(const std::string& path, Compression compression, BeforeRead before_read,
                       FileGrowth growth)
    : file_(path, std::move(before_read), growth) {
  compression = compression_of(path, compression);
  if (compression != Compression::none && growth.follow != InputOptions::Follow::no) {
    throw InvalidParameter("follow", "needs a plain file: compressed data cannot be read while they grow");
  }
  if (compression == Compression::gzip) decoder_ = make_gzip_decoder(name());
  if (compression == Compression::xz) decoder_ = make_xz_decoder(name());
  if (decoder_) buffer_.resize(buffer_size);
}

std::span<const char> ByteSource::pending() const {
  return std::span(buffer_).subspan(begin_, filled_ - begin_);
}

bool ByteSource::fill() {
  if (begin_ == filled_) begin_ = filled_ = 0;
  const std::size_t count = file_.read(std::span(buffer_).subspan(filled_));
  filled_ += count;
  return count > 0;
}

std::size_t ByteSource::read(std::span<char> into) {
  if (!decoder_) return file_.read(into);
  for (;;) {
    const auto [consumed, produced] = decoder_->decode(pending(), file_ended_, into);
    begin_ += consumed;
    if (produced > 0) return produced;
    if (consumed > 0) continue;
    if (file_ended_) {
      if (decoder_->complete()) return 0;
      throw DataError(fmt::format("{}: the compressed data end early", name()));
    }
    file_ended_ = !fill();
  }
}

}  // namespace jme::data
