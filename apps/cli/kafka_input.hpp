#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <jme/data/record_feed.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "input.hpp"
#include "kafka/topic_reader.hpp"
#include "live_input.hpp"

namespace jme::cli {

/// What the command line says about Kafka beside the name of the topic.
class KafkaFlags {
 public:
  void attach(CLI::App& app, const std::string& group);
  /// Throws InvalidParameter.
  [[nodiscard]] kafka::ClientOptions options() const;
  [[nodiscard]] bool are_given() const {
    return !options_.empty() || file_.has_value() || each_person_in_one_partition_;
  }
  [[nodiscard]] bool each_person_is_in_one_partition() const { return each_person_in_one_partition_; }

 private:
  std::vector<std::string> options_;
  Text file_;
  bool each_person_in_one_partition_ = false;
};

/// Makes the settings of a run those of a topic: JSON unless they say CSV, no header, and every record one
/// row, whatever is in it. Throws InvalidParameter where they cannot be.
void set_topic(Input& input, RunConfig& config);

/// A run's input that is a Kafka topic. Nothing is asked of a broker before start().
class KafkaInput final : public RecordFeed {
 public:
  /// What must not depend on the order in which records of several partitions come.
  enum class Order { may_be_any_in_slots, decides_about_people };

  KafkaInput(const std::string& name, kafka::ClientOptions options, Order order, BeforeRead before_read);

  /// Finds the topic and begins to read: what is there now, or without end where the run follows; from the
  /// place at which an earlier process of the stream was. Throws StateError for a stream whose rows came from
  /// elsewhere.
  void start(RunningStream& stream, const PreparedRun& run, InputOptions::Follow follow);
  /// After the last record that was given.
  [[nodiscard]] SourcePlace place_read() const { return {.bytes = reader_->place_read().bytes()}; }

  bool next() override { return reader_->next(); }
  [[nodiscard]] std::optional<std::string_view> text() const override { return reader_->text(); }
  [[nodiscard]] std::string place() const override;

 private:
  void read(const std::vector<std::byte>& place_before, const PreparedRun& run, InputOptions::Follow follow);
  void check_order(const PreparedRun& run, std::size_t partitions) const;

  kafka::TopicName name_;
  Order order_;
  kafka::TopicReader::Options options_;
  std::unique_ptr<kafka::TopicReader> reader_;
};

}  // namespace jme::cli
