#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/npy_file.hpp"

namespace jme::data {
namespace {

template <class Stored, bool swapped>
double decode(const char* bytes) {
  char copy[sizeof(Stored)];
  std::memcpy(copy, bytes, sizeof copy);
  if constexpr (swapped) std::reverse(std::begin(copy), std::end(copy));
  return static_cast<double>(std::bit_cast<Stored>(copy));
}

struct StoredType {
  std::string_view code;
  std::size_t size;
  NpyHeader::Decode native, swapped;
};

template <class Stored>
constexpr StoredType stored(std::string_view code) {
  return {code, sizeof(Stored), decode<Stored, false>, decode<Stored, true>};
}

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);
constexpr StoredType stored_types[] = {stored<double>("f8"),        stored<float>("f4"),
                                       stored<std::int8_t>("i1"),   stored<std::int16_t>("i2"),
                                       stored<std::int32_t>("i4"),  stored<std::int64_t>("i8"),
                                       stored<std::uint8_t>("u1"),  stored<std::uint16_t>("u2"),
                                       stored<std::uint32_t>("u4"), stored<std::uint64_t>("u8")};

/// Reads the few Python literals that a .npy header is made of.
class Literal {
 public:
  Literal(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail();
  }

  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail();
    const std::size_t close = rest_.find(rest_.front(), 1);
    if (close == std::string_view::npos) fail();
    const std::string_view content = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail();
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // as Python 2 wrote long integers
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  [[noreturn]] void fail() const {
    throw DataError(fmt::format("{}: its .npy header cannot be understood", name_));
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }

  std::string_view rest_;
  const std::string& name_;
};

void set_type(NpyHeader& header, std::string_view descr, const std::string& name) {
  const std::string_view code = descr.substr(std::min<std::size_t>(descr.size(), 1));
  const auto* const type = std::find_if(std::begin(stored_types), std::end(stored_types),
                                        [&](const StoredType& candidate) { return candidate.code == code; });
  if (type == std::end(stored_types) ||
      std::string_view("<>=|").find(descr.front()) == std::string_view::npos)
    throw DataError(fmt::format("{}: must hold float32, float64 or integers", name));
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  const bool native = type->size == 1 || descr.front() == order || descr.front() == '=';
  header.decode = native ? type->native : type->swapped;
  header.item_size = type->size;
  header.has_doubles = native && code == "f8";
}

}  // namespace

NpyHeader NpyHeader::parse(std::string_view literal, const std::string& name) {
  NpyHeader header;
  Literal reader(literal, name);
  bool has_shape = false, has_order = false;
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string_view key = reader.string();
    reader.expect(':');
    if (key == "descr") {
      if (reader.accept('[')) throw DataError(fmt::format("{}: holds records, not plain numbers", name));
      set_type(header, reader.string(), name);
    } else if (key == "fortran_order") {
      header.column_major = reader.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = reader.tuple();
      has_shape = true;
    } else {
      reader.fail();
    }
    if (!reader.accept(',')) {
      reader.expect('}');
      break;
    }
  }
  if (header.decode == nullptr || !has_shape || !has_order) reader.fail();
  return header;
}

}  // namespace jme::data
