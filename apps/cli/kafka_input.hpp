#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "input.hpp"
#include "kafka/topic_reader.hpp"

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

/// What reads the topic. Asks no broker yet.
[[nodiscard]] std::unique_ptr<kafka::TopicReader> topic_reader(const Input& input, const KafkaFlags& flags);

/// Finds the topic and begins to read: what is there now, or without end where the run follows; from the
/// place at which an earlier process of the stream was. Throws StateError for a stream whose rows came from
/// elsewhere.
void start_topic(kafka::TopicReader& reader, RunningStream& stream, const PreparedRun& run,
                 const Input& input, bool each_person_is_in_one_partition);

}  // namespace jme::cli
