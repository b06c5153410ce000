#include "data/decoder.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <jme/base/errors.hpp>

namespace jme::data {
namespace {

constexpr char gzip_begins = '\x1f';
constexpr std::uint64_t xz_memory_limit = std::uint64_t{1} << 30;  // xz -9 needs 65 MiB

[[noreturn]] void refuse_plain(const std::string& name, std::string_view packing) {
  const Remedy none{.field = "compression", .value = "none"};
  throw DataError(fmt::format("{}: is not {} data: if it is plain, use {}", name, packing, none.words()),
                  none);
}

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::string name) : name_(std::move(name)) {
    constexpr int gzip_wrapper = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_wrapper) != Z_OK)
      throw DataError(fmt::format("{}: gzip decompression cannot start", name_));
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Step decode(std::span<const char> in, bool /*last*/, std::span<char> out) override {
    if (failed_) fail();
    // Without input there may still be output that `out` had no space for.
    if (in.empty() && (member_ended_ || stream_.total_in == 0)) return {0, 0};
    if (member_ended_) {
      // Members follow each other (cat a.gz b.gz), and tapes pad with zeros.
      const auto padding = std::find_if(in.begin(), in.end(), [](char c) { return c != 0; });
      if (padding != in.begin()) return {static_cast<std::size_t>(padding - in.begin()), 0};
      if (in.front() != gzip_begins)
        throw DataError(fmt::format("{}: the gzip data are followed by something else", name_));
      inflateReset(&stream_);
      member_ended_ = false;
    } else if (stream_.total_in == 0 && in.front() != gzip_begins) {
      refuse_plain(name_, "gzip");
    }
    const auto in_size = static_cast<uInt>(std::min<std::size_t>(in.size(), UINT_MAX));
    const auto out_size = static_cast<uInt>(std::min<std::size_t>(out.size(), UINT_MAX));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib does not write to it
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END)
      member_ended_ = true;
    else if (result != Z_OK && result != Z_BUF_ERROR)
      failed_ = true;
    // What stands before the damage is given first, however large `out` is.
    if (failed_ && stream_.avail_out == out_size) fail();
    return {in_size - stream_.avail_in, out_size - stream_.avail_out};
  }

  [[nodiscard]] bool complete() const override { return member_ended_; }

 private:
  [[noreturn]] void fail() const { throw DataError(fmt::format("{}: the gzip data are damaged", name_)); }

  std::string name_;
  z_stream stream_{};
  bool member_ended_ = false, failed_ = false;
};

class XzDecoder final : public Decoder {
 public:
  explicit XzDecoder(std::string name) : name_(std::move(name)) {
    if (lzma_stream_decoder(&stream_, xz_memory_limit, LZMA_CONCATENATED) != LZMA_OK)
      throw DataError(fmt::format("{}: xz decompression cannot start", name_));
  }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() override { lzma_end(&stream_); }

  Step decode(std::span<const char> in, bool last, std::span<char> out) override {
    if (ended_) return {0, 0};
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    if (!failed_) result_ = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    failed_ = result_ != LZMA_OK && result_ != LZMA_BUF_ERROR && result_ != LZMA_STREAM_END;
    if (result_ == LZMA_STREAM_END) ended_ = true;
    // What stands before the damage is given first, however large `out` is.
    if (failed_ && stream_.avail_out == out.size()) fail();
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

  [[nodiscard]] bool complete() const override { return ended_; }

 private:
  [[noreturn]] void fail() const {
    if (result_ == LZMA_MEMLIMIT_ERROR)
      throw DataError(fmt::format("{}: the xz data need more than 1 GiB of memory", name_));
    if (result_ == LZMA_FORMAT_ERROR) refuse_plain(name_, "xz");
    throw DataError(fmt::format("{}: the xz data are damaged", name_));
  }

  std::string name_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_ret result_ = LZMA_OK;
  bool ended_ = false, failed_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder(std::string name) {
  return std::make_unique<GzipDecoder>(std::move(name));
}

std::unique_ptr<Decoder> make_xz_decoder(std::string name) {
  return std::make_unique<XzDecoder>(std::move(name));
}

}  // namespace jme::data
