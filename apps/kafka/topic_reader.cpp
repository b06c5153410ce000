#include "kafka/topic_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/record_rows.hpp>

#include "kafka/topic_client.hpp"

namespace jme::kafka {

namespace {

constexpr std::chrono::milliseconds at_once{0}, poll_time{20};
// More bytes of records in a row, each with what librdkafka keeps of it, than come at once to one that keeps
// up.
constexpr std::size_t much = 1'000'000, record_overhead = 100;

}  // namespace

struct TopicReader::Impl {
  Impl(TopicName of, const InputOptions& how, Options with)
      : name(std::move(of)), rows(how), options(std::move(with)) {}

  [[noreturn]] void refuse_gap(std::size_t partition, std::int64_t offset) const {
    throw DataError(fmt::format(
        "kafka topic {}, partition {}: the record at offset {} is not there: retention deleted it before "
        "it was read, or the topic was made anew; what follows is not read, because rows would be "
        "missing without notice",
        name.topic, partition, offset));
  }

  void check_is_found(const TopicPlace& wanted) const {
    const TopicPlace& found = client->found();
    wanted.check_is_of(found);
    for (std::size_t p = 0; p < wanted.partitions.size(); ++p) {
      const std::int64_t next = wanted.partitions[p].next;
      if (next < found.partitions[p].begin || next > found.partitions[p].next) refuse_gap(p, next);
    }
  }

  void start(const TopicPlace& from) {
    check_is_found(from);
    place = client->found();
    client->begin_reading();
    for (std::size_t p = 0; p < place.partitions.size(); ++p) {
      const bool is_old = p < from.partitions.size();
      TopicPlace::Partition& partition = place.partitions[p];
      // A partition that was added later is read from its first record on.
      partition.next = is_old ? from.partitions[p].next : partition.begin;
      if (is_old) partition.begin = from.partitions[p].begin;
    }
  }

  /// False where every partition was read up to its end. Else the first one that was not is being read.
  bool advance() {
    const std::size_t before = current;
    while (current < ends.size() && place.partitions[current].next >= ends[current]) ++current;
    if (current == ends.size()) return false;
    if (current != before || !is_assigned) client->assign(place, std::array{current});
    is_assigned = true;
    return true;
  }

  /// What comes next; nothing where a batch that has rows should end before it.
  Message next_event(bool has_rows) {
    Message event = client->poll(at_once);
    if (event || has_rows) return event;
    if (std::exchange(read_in_a_row, 0) > much)
      client->ask_for_more(is_bounded ? std::vector{current} : all_partitions(place));
    for (event = client->poll(poll_time); !event; event = client->poll(poll_time)) client->wait();
    return event;
  }

  void fill(RowBatch& batch, std::size_t most_rows) {
    client->look_if_due(std::exchange(rows_of_batch, 0));
    while (batch.rows() < most_rows && !rows.is_full(batch)) {
      if (is_bounded && !advance()) return;
      const Message event = next_event(batch.rows() > 0);
      if (!event) return;
      if (event->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        take_event(*event);
      } else if (is_next(*event)) {
        add(*event, batch);
      }
    }
  }

  void add(const rd_kafka_message_t& record, RowBatch& batch) {
    client->answers();
    const auto* const bytes = static_cast<const char*>(record.payload);
    rows.add(batch, bytes == nullptr ? std::nullopt : std::optional(std::string_view(bytes, record.len)));
    last_partition = record.partition;
    last_offset = record.offset;
    read_in_a_row += record.len + record_overhead;
    ++rows_of_batch;
  }

  /// Whether the record is to be given. What lies beyond the end, or before what was given, is not.
  bool is_next(const rd_kafka_message_t& record) {
    const auto p = static_cast<std::size_t>(record.partition);
    if (p >= place.partitions.size() || (is_bounded && p != current)) return false;
    std::int64_t& next = place.partitions[p].next;
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
      client->answers();
      if (p >= place.partitions.size() || (is_bounded && p != current)) return;
      // Markers of transactions have offsets and are no records: what was passed over need not be read again.
      std::int64_t& next = place.partitions[p].next;
      next = std::max(next, is_bounded ? std::min(event.offset, ends[p]) : event.offset);
      return;
    }
    client->check_topic(event.err);
    if (event.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
        event.err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
      refuse_gap(p, p < place.partitions.size() ? place.partitions[p].next : 0);
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
  RecordRows rows;
  Options options;
  std::optional<TopicClient> client{};
  TopicPlace place{};  // after the last row
  bool is_bounded = false, is_assigned = false;
  std::vector<std::int64_t> ends{};  // by partition, where it is bounded
  std::size_t current = 0, read_in_a_row = 0, rows_of_batch = 0;
  std::int32_t last_partition = 0;
  std::optional<std::int64_t> last_offset{};
};

TopicReader::TopicReader(TopicName name, const InputOptions& rows, Options options)
    : impl_(std::make_unique<Impl>(std::move(name), rows, std::move(options))) {
  columns_ = impl_->rows.columns();
}
TopicReader::~TopicReader() = default;

void TopicReader::connect() {
  impl_->client.emplace(impl_->name, impl_->options);
}

const TopicPlace& TopicReader::found() const {
  return impl_->client->found();
}

void TopicReader::read_up_to(const TopicPlace& from, const TopicPlace& to) {
  impl_->start(from);
  impl_->check_is_found(to);
  impl_->is_bounded = true;
  for (std::size_t p = 0; p < impl_->place.partitions.size(); ++p) {
    // Of a partition that was not there then, nothing is read.
    impl_->ends.push_back(p < to.partitions.size() ? to.partitions[p].next : impl_->place.partitions[p].next);
  }
}

void TopicReader::follow(const TopicPlace& from) {
  impl_->start(from);
  impl_->client->assign(impl_->place, all_partitions(impl_->place));
}

const TopicPlace& TopicReader::place_read() const {
  return impl_->place;
}

std::string TopicReader::place() const {
  if (!impl_->last_offset) return fmt::format("kafka topic {}", impl_->name.topic);
  return fmt::format("kafka topic {}, partition {}, offset {}", impl_->name.topic, impl_->last_partition,
                     *impl_->last_offset);
}

void TopicReader::apply(const Part& part) {
  impl_->rows.on_missing(part.missing);
  impl_->rows.tell_records(part.tells_records);
}

// What ends the reading is told after the rows before it.
void TopicReader::read(RowBatch& batch, std::size_t most_rows) {
  try {
    impl_->fill(batch, most_rows);
  } catch (...) {
    if (batch.rows() == 0) throw;
    end_with(std::current_exception());
  }
}

}  // namespace jme::kafka
