#include "kafka/topic_place.hpp"

#include <cstring>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::kafka {

namespace {

constexpr std::uint64_t place_version = 1;

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    const auto part = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  void text(const std::string& value) {
    number<std::uint64_t>(value.size());
    const auto part = std::as_bytes(std::span(value));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto length = number<std::uint64_t>();
    if (length > rest_.size()) refuse();
    const auto part = take(static_cast<std::size_t>(length));
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[noreturn]] static void refuse() {
    throw StateError("the state is damaged, or another version's: what it keeps of a topic cannot be read");
  }

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) refuse();
    const auto part = rest_.first(count);
    rest_ = rest_.subspan(count);
    return part;
  }
  std::span<const std::byte> rest_;
};

}  // namespace

std::vector<std::byte> TopicPlace::bytes() const {
  Writer writer;
  writer.number(place_version);
  writer.text(cluster);
  writer.text(topic);
  writer.number<std::uint64_t>(partitions.size());
  for (const Partition& partition : partitions) {
    writer.number(partition.begin);
    writer.number(partition.next);
  }
  return writer.bytes;
}

TopicPlace TopicPlace::from_bytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (reader.number<std::uint64_t>() != place_version) Reader::refuse();
  TopicPlace place;
  place.cluster = reader.text();
  place.topic = reader.text();
  const auto count = reader.number<std::uint64_t>();
  if (reader.left() != count * sizeof(Partition)) Reader::refuse();
  for (std::uint64_t i = 0; i < count; ++i) {
    Partition partition;
    partition.begin = reader.number<std::int64_t>();
    partition.next = reader.number<std::int64_t>();
    if (partition.begin < 0 || partition.next < partition.begin) Reader::refuse();
    place.partitions.push_back(partition);
  }
  return place;
}

void TopicPlace::check_is_of(const TopicPlace& now) const {
  if (topic != now.topic) {
    throw StateError(
        fmt::format("this stream reads the topic {}, not {}: another topic needs another source or stream",
                    topic, now.topic));
  }
  if (cluster != now.cluster) {
    throw StateError(
        fmt::format("the topic {} is in another Kafka cluster than this stream read before", topic));
  }
  if (partitions.size() > now.partitions.size()) {
    throw StateError(
        fmt::format("the topic {} has {} partitions, and had {} when this stream read it: it was made anew",
                    topic, now.partitions.size(), partitions.size()));
  }
}

}  // namespace jme::kafka
