#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <jme/service/line_log.hpp>
#include <jme/service/write_request.hpp>

namespace jme {

namespace {

[[noreturn]] void fail_line_log(std::string_view what) {
  const int error = errno;
  throw StorageFailed(
      fmt::format("the lines of releases {}: {}", what, std::generic_category().message(error)));
}

}  // namespace

LineLog::LineLog(const std::filesystem::path& folder) {
  std::string name = (folder / "lines-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail_line_log("cannot be kept");
  ::unlink(name.c_str());
}

LineLog::~LineLog() {
  ::close(descriptor_);
}

void LineLog::append(const std::vector<ReleaseLine>& lines) {
  if (lines.empty()) return;
  std::string text;
  std::vector<Place> places;
  const std::lock_guard lock(mutex_);
  const std::uint64_t begin = places_.empty() ? 0 : places_.back().end;
  for (const ReleaseLine& line : lines) {
    text += line.text;
    places.push_back({.t = line.t, .end = begin + text.size()});
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count =
        ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_line_log("cannot be written");
    done += static_cast<std::size_t>(count);
  }
  places_.insert(places_.end(), places.begin(), places.end());
}

std::size_t LineLog::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

std::uint64_t LineLog::newest() const {
  const std::lock_guard lock(mutex_);
  return places_.empty() ? 0 : places_.back().t;
}

std::size_t LineLog::index_after(std::uint64_t t) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::upper_bound(places_.begin(), places_.end(), t,
                       [](std::uint64_t value, const Place& place) { return value < place.t; });
  return static_cast<std::size_t>(found - places_.begin());
}

std::uint64_t LineLog::begin_of(std::size_t index) const {
  return index == 0 ? 0 : places_[index - 1].end;
}

std::size_t LineLog::length(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return places_.at(index).end - begin_of(index);
}

std::string LineLog::bytes(std::uint64_t from, std::uint64_t end) const {
  std::string text(end - from, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count =
        ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(from + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_line_log("cannot be read");
    done += static_cast<std::size_t>(count);
  }
  return text;
}

ReleaseLine LineLog::part(std::size_t index, std::size_t from, std::size_t most_bytes) const {
  Place place{};
  std::uint64_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    place = places_.at(index);
    begin = begin_of(index) + from;
  }
  return {.t = place.t, .text = bytes(begin, std::min<std::uint64_t>(place.end, begin + most_bytes))};
}

std::vector<ReleaseLine> LineLog::read(std::size_t begin, std::size_t most_bytes,
                                       std::size_t most_lines) const {
  std::vector<Place> wanted;
  std::uint64_t from = 0;
  {
    const std::lock_guard lock(mutex_);
    if (begin >= places_.size()) return {};
    from = begin_of(begin);
    for (std::size_t i = begin; i < places_.size(); ++i) {
      if (i > begin && (places_[i].end - from > most_bytes || i - begin >= most_lines)) break;
      wanted.push_back(places_[i]);
    }
  }
  const std::string text = bytes(from, wanted.back().end);
  std::vector<ReleaseLine> lines;
  std::uint64_t at = from;
  for (const Place& place : wanted) {
    lines.push_back({.t = place.t, .text = text.substr(at - from, place.end - at)});
    at = place.end;
  }
  return lines;
}

}  // namespace jme
