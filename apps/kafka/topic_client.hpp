#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kafka/client.hpp"
#include "kafka/topic_name.hpp"
#include "kafka/topic_place.hpp"
#include "kafka/topic_reader.hpp"

namespace jme::kafka {

using Message = Owned<rd_kafka_message_t>;

/// A topic, and the connection to its brokers: asks them, waits for them, and does what is due meanwhile.
class TopicClient {
 public:
  /// Finds the topic and its partitions. Throws DataError where there is no such topic, Error where no broker
  /// answers, and InvalidParameter for client options that librdkafka does not take.
  TopicClient(TopicName name, TopicReader::Options options);
  TopicClient(const TopicClient&) = delete;
  TopicClient& operator=(const TopicClient&) = delete;
  ~TopicClient();

  [[nodiscard]] const TopicPlace& found() const { return found_; }
  /// From now on brokers are waited for without end, and it is watched whether the topic is still there.
  void begin_reading();
  /// Reads these partitions, each from its `next` on.
  void assign(const TopicPlace& from, std::span<const std::size_t> partitions) const;
  /// A record or an event of a partition that was assigned; null where none comes in time.
  [[nodiscard]] Message poll(std::chrono::milliseconds time) const;
  /// So that librdkafka fetches on after much was read.
  void ask_for_more(std::span<const std::size_t> partitions) const;

  /// No record has come: does what is due for a while.
  void wait();
  /// Does what is due while records come, if enough of them or time went by.
  void look_if_due(std::size_t records);
  /// A broker has answered.
  void answers();
  /// Throws DataError where the error says that there is no such topic.
  void check_topic(rd_kafka_resp_err_t error);

 private:
  using PartitionList = Owned<rd_kafka_topic_partition_list_t>;
  using Clock = std::chrono::steady_clock;
  /// A descriptor that can always be read.
  class Readable {
   public:
    Readable();
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;
    ~Readable();
    [[nodiscard]] int descriptor() const { return descriptor_; }

   private:
    int descriptor_;
  };

  static void on_error(rd_kafka_t* client, int error, const char* reason, void* self);
  void tell(const std::string& what) const;
  void refused(const std::string& reason);
  void find();
  template <class Ask>
  void ask(const Ask& question);
  void check_is_there();
  [[nodiscard]] rd_kafka_resp_err_t ask_partitions(std::size_t& count) const;
  [[nodiscard]] rd_kafka_resp_err_t ask_offsets(const PartitionList& list, int limit_ms) const;
  template <class OffsetOf>
  [[nodiscard]] PartitionList list_of(std::span<const std::size_t> partitions,
                                      const OffsetOf& offset_of) const;

  TopicName name_;
  TopicReader::Options options_;
  Readable readable_;
  bool is_down_ = false;
  std::string refusal_, last_reason_;
  Owned<rd_kafka_t> client_;  // calls back, so it goes before the members above
  Owned<rd_kafka_topic_t> topic_;
  TopicPlace found_;
  std::size_t known_partitions_ = 0;
  bool is_reading_ = false, is_gone_ = false;
  int misses_ = 0;
  Clock::time_point check_at_{}, look_at_{};
  std::size_t records_ = 0;  // since the last look
};

/// All that a place has.
[[nodiscard]] std::vector<std::size_t> all_partitions(const TopicPlace& place);

}  // namespace jme::kafka
