#include "event_text.hpp"

#include <fmt/format.h>

#include <jme/service/served_stream.hpp>

namespace jme::serve {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 10;  // at a time

std::string beginning_of(std::uint64_t t) {
  return fmt::format("id: {}\ndata: ", t);
}

}  // namespace

std::string EventText::next() {
  const LineLog& lines = stream_.lines();
  if (next_ >= lines.size()) return {};
  if (lines.length(next_) > most_bytes) return part_of_a_long_line();
  std::string text;
  for (const ReleaseLine& line : lines.read(next_, most_bytes)) {
    text += beginning_of(line.t) + line.text + '\n';  // the line ends with a line feed of its own
    ++next_;
  }
  return text;
}

std::string EventText::part_of_a_long_line() {
  const LineLog& lines = stream_.lines();
  const ReleaseLine part = lines.part(next_, done_, most_bytes);
  std::string text = done_ == 0 ? beginning_of(part.t) : "";
  text += part.text;
  done_ += part.text.size();
  if (done_ == lines.length(next_)) {
    text += '\n';
    ++next_;
    done_ = 0;
  }
  return text;
}

}  // namespace jme::serve
