#include "kafka/topic_client.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::kafka {

namespace {

using std::chrono::milliseconds;

// Work that is due is done at least this often while records come.
constexpr milliseconds look_after{50};
constexpr std::size_t records_between_looks = 500;
constexpr int poll_ms = 20, ask_ms = 1000;
// How long a topic may be unknown at the start; and how often, while no record comes, it is looked whether
// the topic is still there, which it is not when it was missed so often.
constexpr std::chrono::seconds unknown_for{3}, check_after{10};
constexpr int most_misses = 3;

}  // namespace

std::vector<std::size_t> all_partitions(const TopicPlace& place) {
  std::vector<std::size_t> all(place.partitions.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TopicClient::Readable::Readable() : descriptor_(::eventfd(1, EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw Error("no descriptor for waiting");
}
TopicClient::Readable::~Readable() {
  ::close(descriptor_);
}

TopicClient::TopicClient(TopicName name, TopicReader::Options options)
    : name_(std::move(name)), options_(std::move(options)) {
  client_ = make_consumer(name_.brokers, options_.client, {&TopicClient::on_error, this});
  find();
}

TopicClient::~TopicClient() {
  if (!is_gone_) return;
  // librdkafka 2.0 waits for ever for the partitions of a topic that was deleted. The run ends with this
  // error, and what is left goes with the process.
  static_cast<void>(topic_.release());
  static_cast<void>(client_.release());
}

void TopicClient::on_error(rd_kafka_t* /*client*/, int error, const char* reason, void* self) {
  auto& topic = *static_cast<TopicClient*>(self);
  const auto code = static_cast<rd_kafka_resp_err_t>(error);
  const std::string said = without_secrets(reason, topic.options_.client);
  topic.last_reason_ = said.empty() ? rd_kafka_err2str(code) : said;
  if (is_refusal(code)) topic.refused(topic.last_reason_);
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !std::exchange(topic.is_down_, true)) {
    topic.tell(
        fmt::format("no Kafka broker answers at {}; trying again until one does", topic.name_.brokers));
  }
}

void TopicClient::tell(const std::string& what) const {
  if (options_.tell) options_.tell(what);
}

// At the start this ends the run. Later, passwords and certificates may be changed while it waits.
void TopicClient::refused(const std::string& reason) {
  if (is_reading_ && refusal_.empty()) {
    tell(fmt::format("the Kafka broker at {} refuses us; trying again: {}", name_.brokers, reason));
  }
  refusal_ = reason;
}

void TopicClient::answers() {
  refusal_.clear();
  if (std::exchange(is_down_, false)) tell("a Kafka broker answers again");
}

void TopicClient::wait() {
  look_at_ = Clock::now() + look_after;
  if (options_.before_read) options_.before_read(-1);
  if (is_reading_ && !is_down_ && Clock::now() >= check_at_) check_is_there();
}

void TopicClient::look_if_due(std::size_t records) {
  records_ += records;
  if (records_ < records_between_looks && Clock::now() < look_at_) return;
  records_ = 0;
  look_at_ = Clock::now() + look_after;
  if (options_.before_read) options_.before_read(readable_.descriptor());
}

void TopicClient::begin_reading() {
  is_reading_ = true;
  check_at_ = Clock::now() + check_after;
}

// librdkafka waits for a topic that was deleted as if it came back. Brokers that have just been started may
// not know all topics yet.
void TopicClient::check_is_there() {
  check_at_ = Clock::now() + check_after;
  std::size_t partitions = 0;
  const rd_kafka_resp_err_t error = ask_partitions(partitions);
  misses_ = is_unknown(error) ? misses_ + 1 : 0;
  if (misses_ == most_misses) check_topic(error);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR || partitions <= known_partitions_) return;
  known_partitions_ = partitions;
  tell(fmt::format(
      "kafka topic {}: has {} partitions now; the next process reads those that were added, from their "
      "first record on",
      name_.topic, partitions));
}

/// Asks again while no broker answers, for as long as our patience lasts.
template <class Ask>
void TopicClient::ask(const Ask& question) {
  const Clock::time_point end = Clock::now() + options_.patience;
  const Clock::time_point known = Clock::now() + unknown_for;
  for (;;) {
    const rd_kafka_resp_err_t error = question();
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return answers();
    if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
      throw Error(fmt::format("kafka topic {}: the broker does not let us read it", name_.topic));
    }
    if (Clock::now() > known) check_topic(error);
    const Message event = poll(milliseconds(0));  // callbacks are called here
    if (!refusal_.empty())
      throw Error(fmt::format("the Kafka broker at {} refuses us: {}", name_.brokers, refusal_));
    if (!is_transient(error) && !is_unknown(error))
      throw Error(fmt::format("kafka topic {}: {}", name_.topic, rd_kafka_err2str(error)));
    if (Clock::now() > end) {
      throw Error(fmt::format("no Kafka broker answered at {} within {} s{}{}", name_.brokers,
                              options_.patience.count(), last_reason_.empty() ? "" : ": ", last_reason_));
    }
    wait();
  }
}

void TopicClient::check_topic(rd_kafka_resp_err_t error) {
  if (!is_unknown(error)) return;
  is_gone_ = is_reading_;
  throw DataError(fmt::format("kafka topic {}: there is no such topic, or it was deleted", name_.topic));
}

rd_kafka_resp_err_t TopicClient::ask_partitions(std::size_t& count) const {
  const rd_kafka_metadata_t* raw = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_metadata(client_.get(), 0, topic_.get(), &raw, ask_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  const Owned<const rd_kafka_metadata_t> metadata(raw);
  if (metadata->topic_cnt != 1) return RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
  count = static_cast<std::size_t>(metadata->topics[0].partition_cnt);
  return metadata->topics[0].err;
}

void TopicClient::find() {
  topic_.reset(rd_kafka_topic_new(client_.get(), name_.topic.c_str(), nullptr));
  if (!topic_) throw Error(fmt::format("kafka topic {}: cannot be asked about", name_.topic));
  ask([&] { return ask_partitions(known_partitions_); });
  found_.partitions.resize(known_partitions_);
  found_.topic = name_.topic;
  if (char* id = rd_kafka_clusterid(client_.get(), ask_ms)) {
    found_.cluster = id;
    rd_kafka_mem_free(client_.get(), id);
  }
  const std::vector<std::size_t> all = all_partitions(found_);
  const auto find_offsets = [&](std::int64_t which, std::int64_t TopicPlace::Partition::*offset) {
    ask([&] {
      const PartitionList list = list_of(all, [&](std::size_t) { return which; });
      const rd_kafka_resp_err_t error = ask_offsets(list, ask_ms);
      for (const std::size_t p : all) found_.partitions[p].*offset = list->elems[p].offset;
      return error;
    });
  };
  find_offsets(RD_KAFKA_OFFSET_BEGINNING, &TopicPlace::Partition::begin);
  // With read_committed the end is that of the last transaction that is over.
  find_offsets(RD_KAFKA_OFFSET_END, &TopicPlace::Partition::next);
}

template <class OffsetOf>
TopicClient::PartitionList TopicClient::list_of(std::span<const std::size_t> partitions,
                                                const OffsetOf& offset_of) const {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const std::size_t p : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), name_.topic.c_str(), static_cast<std::int32_t>(p))->offset =
        offset_of(p);
  }
  return list;
}

// Replaces RD_KAFKA_OFFSET_BEGINNING or _END by the offset that it is. Asks all leaders at the same time, and
// keeps to its limit of time: before librdkafka 2.3, rd_kafka_query_watermark_offsets waits for ever for a
// leader that is gone.
rd_kafka_resp_err_t TopicClient::ask_offsets(const PartitionList& list, int limit_ms) const {
  const rd_kafka_resp_err_t error = rd_kafka_offsets_for_times(client_.get(), list.get(), limit_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  for (const rd_kafka_topic_partition_t& one : std::span(list->elems, static_cast<std::size_t>(list->cnt))) {
    if (one.err != RD_KAFKA_RESP_ERR_NO_ERROR) return one.err;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void TopicClient::assign(const TopicPlace& from, std::span<const std::size_t> partitions) const {
  const PartitionList list = list_of(partitions, [&](std::size_t p) { return from.partitions[p].next; });
  const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw Error(fmt::format("kafka topic {}: {}", name_.topic, rd_kafka_err2str(error)));
  }
}

Message TopicClient::poll(milliseconds time) const {
  return Message(rd_kafka_consumer_poll(client_.get(), static_cast<int>(time.count())));
}

// librdkafka fetches ahead until it has enough. Before 2.2 the threads that fetch then sleep for up to a
// second although all of it was used up, unless there is something to ask the leaders, whatever they answer.
// Later ones have an option, which make_consumer sets.
void TopicClient::ask_for_more(std::span<const std::size_t> partitions) const {
  if (rd_kafka_version() >= fetch_backoff_version) return;
  static_cast<void>(
      ask_offsets(list_of(partitions, [](std::size_t) { return RD_KAFKA_OFFSET_END; }), poll_ms));
}

}  // namespace jme::kafka
