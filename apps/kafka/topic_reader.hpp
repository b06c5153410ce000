#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <jme/data/input_reader.hpp>

#include "kafka/client_options.hpp"
#include "kafka/topic_name.hpp"
#include "kafka/topic_place.hpp"

namespace jme::kafka {

/// The records of a topic, each of which is one row: only those of committed transactions, and none that is
/// lost or comes twice, whichever broker goes down meanwhile. Belongs to no consumer group and stores no
/// offset in Kafka: whoever reads keeps place_read().
class TopicReader final : public InputReader {
 public:
  struct Options {
    ClientOptions client{};
    /// Called again and again before batches while records come (with a descriptor that can be read) and
    /// while none come (with -1), as for files: all records that were read have been given then.
    BeforeRead before_read{};
    /// What the person at the terminal should know: brokers that do not answer.
    std::function<void(const std::string&)> tell{};
    /// How long a broker is looked for at the start. Later it is waited for without end.
    std::chrono::seconds patience{60};
  };

  /// Asks no broker yet. Throws InvalidParameter as RecordRows.
  TopicReader(TopicName name, const InputOptions& rows, Options options);
  ~TopicReader() override;

  /// Finds the topic. Comes before all that follows. Throws DataError where there is no such topic, Error
  /// where no broker answers, and InvalidParameter for client options that librdkafka does not take.
  void connect();
  /// The partitions from their first record on (`begin`) to the end of what is committed now (`next`).
  [[nodiscard]] const TopicPlace& found() const;
  /// Reads partition after partition, in the order of their numbers, each from `from` up to but not including
  /// `to`: which record comes when depends on offsets alone.
  void read_up_to(const TopicPlace& from, const TopicPlace& to);
  /// Reads all partitions together from there on, as records come, without end.
  void follow(const TopicPlace& from);
  /// After the last row of the last batch.
  [[nodiscard]] const TopicPlace& place_read() const;
  [[nodiscard]] SourcePlace place_to_resume() const override { return {.bytes = place_read().bytes()}; }
  [[nodiscard]] std::string place() const override;

 private:
  void apply(const Part& part) override;
  /// Throws DataError where records between the place and now were deleted, or the topic was.
  void read(RowBatch& batch, std::size_t most_rows) override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme::kafka
