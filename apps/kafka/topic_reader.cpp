#include "kafka/topic_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "kafka/client.hpp"

namespace jme::kafka {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using PartitionList = Owned<rd_kafka_topic_partition_list_t>;

// Work that is due is done at least this often while records come.
constexpr milliseconds look_after{50};
constexpr int records_between_looks = 500;
constexpr int poll_ms = 20, ask_ms = 1000;
// How long a topic may be unknown at the start; and how often, while no record comes, it is looked whether
// the topic is still there, which it is not when it was missed so often.
constexpr std::chrono::seconds unknown_for{3}, check_after{10};
constexpr int most_misses = 3;
// More bytes of records in a row, each with what librdkafka keeps of it, than come at once to one that keeps
// up.
constexpr std::size_t much = 1'000'000, record_overhead = 100;

}  // namespace

struct TopicReader::Impl {
  /// A descriptor that can always be read.
  class Readable {
   public:
    Readable() : descriptor_(::eventfd(1, EFD_CLOEXEC)) {
      if (descriptor_ < 0) throw Error("no descriptor for waiting");
    }
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;
    ~Readable() { ::close(descriptor_); }
    [[nodiscard]] int descriptor() const { return descriptor_; }

   private:
    int descriptor_;
  };

  Impl(TopicName of, Options with) : name(std::move(of)), options(std::move(with)) {
    client = make_consumer(name.brokers, options.client, {&Impl::on_error, this});
    find();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (!is_gone) return;
    // librdkafka 2.0 waits for ever for the partitions of a topic that was deleted. The run ends with this
    // error, and what is left goes with the process.
    static_cast<void>(message.release());
    static_cast<void>(topic.release());
    static_cast<void>(client.release());
  }

  static void on_error(rd_kafka_t* /*client*/, int error, const char* reason, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    const auto code = static_cast<rd_kafka_resp_err_t>(error);
    const std::string said = without_secrets(reason, impl.options.client);
    impl.last_reason = said.empty() ? rd_kafka_err2str(code) : said;
    if (is_refusal(code)) impl.refused(impl.last_reason);
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !std::exchange(impl.is_down, true)) {
      impl.tell(fmt::format("no Kafka broker answers at {}; trying again until one does", impl.name.brokers));
    }
  }
  void tell(const std::string& what) const {
    if (options.tell) options.tell(what);
  }

  /// At the start this ends the run. Later, passwords and certificates may be changed while it waits.
  void refused(const std::string& reason) {
    if (is_reading && refusal.empty()) {
      tell(fmt::format("the Kafka broker at {} refuses us; trying again: {}", name.brokers, reason));
    }
    refusal = reason;
  }

  void answers() {
    refusal.clear();
    if (std::exchange(is_down, false)) tell("a Kafka broker answers again");
  }

  /// Nothing has come.
  void wait() {
    look_at = Clock::now() + look_after;
    if (options.before_read) options.before_read(-1);
    if (is_reading && !is_down && Clock::now() >= check_at) check_is_there();
  }

  // librdkafka waits for a topic that was deleted as if it came back. Brokers that have just been started may
  // not know all topics yet.
  void check_is_there() {
    check_at = Clock::now() + check_after;
    std::size_t partitions = 0;
    const rd_kafka_resp_err_t error = ask_partitions(partitions);
    misses = is_unknown(error) ? misses + 1 : 0;
    if (misses == most_misses) check_topic(error);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR || partitions <= known_partitions) return;
    known_partitions = partitions;
    tell(fmt::format(
        "kafka topic {}: has {} partitions now; the next process reads those that were added, from their "
        "first record on",
        name.topic, partitions));
  }

  void look_if_due() {
    if (--looks > 0 && Clock::now() < look_at) return;
    looks = records_between_looks;
    look_at = Clock::now() + look_after;
    if (options.before_read) options.before_read(readable.descriptor());
  }

  /// Asks again while no broker answers, for as long as our patience lasts.
  template <class Ask>
  void ask(const Ask& question) {
    const Clock::time_point end = Clock::now() + options.patience;
    const Clock::time_point known = Clock::now() + unknown_for;
    for (;;) {
      const rd_kafka_resp_err_t error = question();
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return answers();
      if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
        throw Error(fmt::format("kafka topic {}: the broker does not let us read it", name.topic));
      }
      if (Clock::now() > known) check_topic(error);
      // Callbacks are called here.
      const Owned<rd_kafka_message_t> event(rd_kafka_consumer_poll(client.get(), 0));
      if (!refusal.empty())
        throw Error(fmt::format("the Kafka broker at {} refuses us: {}", name.brokers, refusal));
      if (!is_transient(error) && !is_unknown(error))
        throw Error(fmt::format("kafka topic {}: {}", name.topic, rd_kafka_err2str(error)));
      if (Clock::now() > end) {
        throw Error(fmt::format("no Kafka broker answered at {} within {} s{}{}", name.brokers,
                                options.patience.count(), last_reason.empty() ? "" : ": ", last_reason));
      }
      wait();
    }
  }

  void check_topic(rd_kafka_resp_err_t error) {
    if (is_unknown(error)) {
      is_gone = is_reading;
      throw DataError(fmt::format("kafka topic {}: there is no such topic, or it was deleted", name.topic));
    }
  }

  [[nodiscard]] rd_kafka_resp_err_t ask_partitions(std::size_t& count) const {
    const rd_kafka_metadata_t* raw = nullptr;
    const rd_kafka_resp_err_t error = rd_kafka_metadata(client.get(), 0, topic.get(), &raw, ask_ms);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
    const Owned<const rd_kafka_metadata_t> metadata(raw);
    if (metadata->topic_cnt != 1) return RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    count = static_cast<std::size_t>(metadata->topics[0].partition_cnt);
    return metadata->topics[0].err;
  }

  void find() {
    topic.reset(rd_kafka_topic_new(client.get(), name.topic.c_str(), nullptr));
    if (!topic) throw Error(fmt::format("kafka topic {}: cannot be asked about", name.topic));
    ask([&] { return ask_partitions(known_partitions); });
    found.partitions.resize(known_partitions);
    found.topic = name.topic;
    if (char* id = rd_kafka_clusterid(client.get(), ask_ms)) {
      found.cluster = id;
      rd_kafka_mem_free(client.get(), id);
    }
    const std::vector<std::size_t> all = all_partitions();
    const auto find_offsets = [&](std::int64_t which, std::int64_t TopicPlace::Partition::*offset) {
      ask([&] {
        const PartitionList list = list_of(all, [&](std::size_t) { return which; });
        const rd_kafka_resp_err_t error = ask_offsets(list, ask_ms);
        for (const std::size_t p : all) found.partitions[p].*offset = list->elems[p].offset;
        return error;
      });
    };
    find_offsets(RD_KAFKA_OFFSET_BEGINNING, &TopicPlace::Partition::begin);
    // With read_committed the end is that of the last transaction that is over.
    find_offsets(RD_KAFKA_OFFSET_END, &TopicPlace::Partition::next);
  }

  [[nodiscard]] std::vector<std::size_t> all_partitions() const {
    std::vector<std::size_t> all(found.partitions.size());
    for (std::size_t p = 0; p < all.size(); ++p) all[p] = p;
    return all;
  }

  template <class OffsetOf>
  [[nodiscard]] PartitionList list_of(std::span<const std::size_t> partitions,
                                      const OffsetOf& offset_of) const {
    PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
    for (const std::size_t p : partitions) {
      rd_kafka_topic_partition_list_add(list.get(), name.topic.c_str(), static_cast<std::int32_t>(p))
          ->offset = offset_of(p);
    }
    return list;
  }

  /// Replaces RD_KAFKA_OFFSET_BEGINNING or _END by the offset that it is. Asks all leaders at the same time,
  /// and keeps to its limit of time: before librdkafka 2.3, rd_kafka_query_watermark_offsets waits for ever
  /// for a leader that is gone.
  [[nodiscard]] rd_kafka_resp_err_t ask_offsets(const PartitionList& list, int limit_ms) const {
    const rd_kafka_resp_err_t error = rd_kafka_offsets_for_times(client.get(), list.get(), limit_ms);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
    for (const rd_kafka_topic_partition_t& one :
         std::span(list->elems, static_cast<std::size_t>(list->cnt))) {
      if (one.err != RD_KAFKA_RESP_ERR_NO_ERROR) return one.err;
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  void assign(std::span<const std::size_t> partitions) const {
    const PartitionList list = list_of(partitions, [&](std::size_t p) { return read.partitions[p].next; });
    const rd_kafka_resp_err_t error = rd_kafka_assign(client.get(), list.get());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      throw Error(fmt::format("kafka topic {}: {}", name.topic, rd_kafka_err2str(error)));
    }
  }

  [[noreturn]] void refuse_gap(std::size_t partition, std::int64_t offset) const {
    throw DataError(fmt::format(
        "kafka topic {}, partition {}: the record at offset {} is not there: retention deleted it before "
        "it was read, or the topic was made anew; what follows is not read, because rows would be "
        "missing without notice",
        name.topic, partition, offset));
  }

  void check_is_found(const TopicPlace& place) const {
    place.check_is_of(found);
    for (std::size_t p = 0; p < place.partitions.size(); ++p) {
      const std::int64_t next = place.partitions[p].next;
      if (next < found.partitions[p].begin || next > found.partitions[p].next) refuse_gap(p, next);
    }
  }

  void start(const TopicPlace& from) {
    check_is_found(from);
    read = found;
    is_reading = true;
    check_at = Clock::now() + check_after;
    for (std::size_t p = 0; p < read.partitions.size(); ++p) {
      // A partition that was added later is read from its first record on.
      const auto& before = p < from.partitions.size() ? from.partitions[p] : found.partitions[p];
      read.partitions[p] = {.begin = before.begin,
                            .next = p < from.partitions.size() ? before.next : before.begin};
    }
  }

  /// False where every partition was read up to its end. Else the first one that was not is being read.
  bool advance() {
    const std::size_t before = current;
    while (current < ends.size() && read.partitions[current].next >= ends[current]) ++current;
    if (current == ends.size()) return false;
    if (current != before || !is_assigned) assign(std::array{current});
    is_assigned = true;
    return true;
  }

  bool next() {
    message.reset();
    for (;;) {
      if (is_bounded && !advance()) return false;
      look_if_due();
      Owned<rd_kafka_message_t> event(rd_kafka_consumer_poll(client.get(), 0));
      if (!event) {
        if (std::exchange(read_in_a_row, 0) > much) ask_for_more();
        event.reset(rd_kafka_consumer_poll(client.get(), poll_ms));
      }
      if (!event) {
        wait();
      } else if (event->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        take_event(*event);
      } else if (is_next(*event)) {
        answers();
        message = std::move(event);
        read_in_a_row += message->len + record_overhead;
        return true;
      }
    }
  }

  /// librdkafka fetches ahead until it has enough. Before 2.2 the threads that fetch then sleep for up to a
  /// second although all of it was used up, unless there is something to ask the leaders, whatever they
  /// answer. Later ones have an option, which make_consumer sets.
  void ask_for_more() const {
    if (rd_kafka_version() >= fetch_backoff_version) return;
    const std::vector<std::size_t> partitions = is_bounded ? std::vector{current} : all_partitions();
    static_cast<void>(
        ask_offsets(list_of(partitions, [](std::size_t) { return RD_KAFKA_OFFSET_END; }), poll_ms));
  }

  /// Whether the record is to be given. What lies beyond the end, or before what was given, is not.
  bool is_next(const rd_kafka_message_t& record) {
    const auto p = static_cast<std::size_t>(record.partition);
    if (p >= read.partitions.size() || (is_bounded && p != current)) return false;
    std::int64_t& next = read.partitions[p].next;
    if (record.offset < next) return false;
    if (is_bounded && record.offset >= ends[p]) {
      next = ends[p];
      return false;
    }
    next = record.offset + 1;
    return true;
  }

  void take_event(const rd_kafka_message_t& event) {
    if (is_transient(event.err)) return;
    const auto p = static_cast<std::size_t>(std::max(event.partition, 0));
    if (event.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      answers();
      if (p >= read.partitions.size() || (is_bounded && p != current)) return;
      // Markers of transactions have offsets and are no records: what was passed over need not be read again.
      std::int64_t& next = read.partitions[p].next;
      next = std::max(next, is_bounded ? std::min(event.offset, ends[p]) : event.offset);
      return;
    }
    check_topic(event.err);
    if (event.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
        event.err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
      refuse_gap(p, p < read.partitions.size() ? read.partitions[p].next : 0);
    }
    if (event.err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION || event.err == RD_KAFKA_RESP_ERR__BAD_MSG) {
      throw DataError(
          fmt::format("kafka topic {}, partition {}: the batch of records that begins at offset {} cannot be "
                      "read ({}); how "
                      "many records it has is not known, so that what follows is not read",
                      name.topic, event.partition, event.offset, rd_kafka_err2str(event.err)));
    }
    throw Error(fmt::format("kafka topic {}, partition {}: {}", name.topic, event.partition,
                            rd_kafka_err2str(event.err)));
  }

  TopicName name;
  Options options;
  Readable readable;
  bool is_down = false;
  std::string refusal, last_reason;
  Owned<rd_kafka_t> client;  // calls back, so it goes before the members above
  Owned<rd_kafka_topic_t> topic;
  std::size_t known_partitions = 0;
  int misses = 0;
  Clock::time_point check_at{};
  TopicPlace found, read;
  bool is_reading = false, is_gone = false;
  bool is_bounded = false, is_assigned = false;
  std::vector<std::int64_t> ends;  // by partition, where it is bounded
  std::size_t current = 0;
  Owned<rd_kafka_message_t> message;
  std::size_t read_in_a_row = 0;
  int looks = 0;
  Clock::time_point look_at{};
};

TopicReader::TopicReader(TopicName name, Options options)
    : impl_(std::make_unique<Impl>(std::move(name), std::move(options))) {}
TopicReader::~TopicReader() = default;

const TopicPlace& TopicReader::found() const {
  return impl_->found;
}

void TopicReader::read_up_to(const TopicPlace& from, const TopicPlace& to) {
  impl_->start(from);
  impl_->check_is_found(to);
  impl_->is_bounded = true;
  for (std::size_t p = 0; p < impl_->read.partitions.size(); ++p) {
    // Of a partition that was not there then, nothing is read.
    impl_->ends.push_back(p < to.partitions.size() ? to.partitions[p].next : impl_->read.partitions[p].next);
  }
}

void TopicReader::follow(const TopicPlace& from) {
  impl_->start(from);
  impl_->assign(impl_->all_partitions());
}

const TopicPlace& TopicReader::place_read() const {
  return impl_->read;
}

bool TopicReader::next() {
  return impl_->next();
}

std::optional<std::string_view> TopicReader::text() const {
  const rd_kafka_message_t* message = impl_->message.get();
  if (message == nullptr || message->payload == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(message->payload), message->len);
}

std::string TopicReader::place() const {
  const rd_kafka_message_t* message = impl_->message.get();
  if (message == nullptr) return fmt::format("kafka topic {}", impl_->name.topic);
  return fmt::format("kafka topic {}, partition {}, offset {}", impl_->name.topic, message->partition,
                     message->offset);
}

}  // namespace jme::kafka
