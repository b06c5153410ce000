#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/data/record_feed.hpp>
#include <jme/data/row_reader.hpp>

#include "kafka/client_options.hpp"
#include "kafka/topic_name.hpp"
#include "kafka/topic_place.hpp"

namespace jme::kafka {

/// Records of a topic, one by one: only those of committed transactions, and none that is lost or comes
/// twice, whichever broker goes down meanwhile. Belongs to no consumer group and stores no offset in Kafka:
/// whoever reads keeps place().
class TopicReader final : public RecordFeed {
 public:
  struct Options {
    ClientOptions client{};
    /// Called again and again while records come (with a descriptor that can be read) and while none come
    /// (with -1), as for files; records are not given to anybody meanwhile.
    BeforeRead before_read{};
    /// What the person at the terminal should know: brokers that do not answer.
    std::function<void(const std::string&)> tell{};
    /// How long a broker is looked for at the start. Later it is waited for without end.
    std::chrono::seconds patience{60};
  };

  /// Finds the topic and its partitions. Throws DataError where there is no such topic, Error where no broker
  /// answers, and InvalidParameter for client options that librdkafka does not take.
  TopicReader(TopicName name, Options options);
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;
  ~TopicReader() override;

  /// The partitions from their first record on (`begin`) to the end of what is committed now (`next`).
  [[nodiscard]] const TopicPlace& found() const;

  /// Reads partition after partition, in the order of their numbers, each from `from` up to but not including
  /// `to`: which record comes when depends on offsets alone.
  void read_up_to(const TopicPlace& from, const TopicPlace& to);
  /// Reads all partitions together from there on, as records come, without end.
  void follow(const TopicPlace& from);
  /// What was given so far.
  [[nodiscard]] const TopicPlace& place_read() const;

  /// Throws DataError where records between the place and now were deleted, or the topic was.
  bool next() override;
  [[nodiscard]] std::optional<std::string_view> text() const override;
  [[nodiscard]] std::string place() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme::kafka
