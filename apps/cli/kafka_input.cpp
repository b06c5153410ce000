#include "kafka_input.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

using kafka::TopicPlace;

/// The same partitions before their first record.
TopicPlace beginning_of(TopicPlace found) {
  for (TopicPlace::Partition& partition : found.partitions) partition.next = partition.begin;
  return found;
}

/// The same partitions, where the reading begins at what comes from now on.
TopicPlace end_of(TopicPlace found) {
  for (TopicPlace::Partition& partition : found.partitions) partition.begin = partition.next;
  return found;
}

}  // namespace

void KafkaFlags::attach(CLI::App& app, const std::string& group) {
  app.add_option("--kafka-option", options_,
                 "For kafka://: a setting of librdkafka, such as security.protocol=ssl")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--kafka-options", file_, "The same from a file of such lines: passwords belong there")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--each-person-in-one-partition", each_person_in_one_partition_,
               "For kafka:// with --follow and --person: all records of a person are in one partition, "
               "since producers take the id as the key")
      ->group(group);
}

kafka::ClientOptions KafkaFlags::options() const {
  kafka::ClientOptions options;
  if (file_) options = kafka::read_client_options(*file_);
  for (const std::string& option : options_) options.push_back(kafka::parse_client_option(option));
  return options;
}

void set_topic(Input& input, RunConfig& config) {
  static_cast<void>(kafka::TopicName::parse(input.path));
  InputOptions& options = input.options;
  if (options.format == InputFormat::automatic) options.format = InputFormat::ndjson;
  options.compression = Compression::none;
  options.header = false;
  options.may_be_empty = true;
  // Many people's records share a topic: one of them must not decide about the others.
  config.on_bad_row = options.on_bad_row = OnBadRow::zero;
  config.records.clear();
}

std::unique_ptr<kafka::TopicReader> topic_reader(const Input& input, const KafkaFlags& flags) {
  return std::make_unique<kafka::TopicReader>(
      kafka::TopicName::parse(input.path), input.options,
      kafka::TopicReader::Options{.client = flags.options(),
                                  .before_read = input.options.before_read,
                                  .tell = [](const std::string& what) { print_note(what); }});
}

namespace {

// How records of several partitions interleave depends on how large each of them is.
void check_order(const PreparedRun& run, std::size_t partitions, bool decides_about_people) {
  if (partitions == 1) return;
  if (!run.clock()) {
    throw InvalidParameter(
        "follow",
        fmt::format("must be left out, or every be a length of time: the topic has {} partitions, whose "
                    "records come in an order that depends on their bytes, and the order of rows decides "
                    "about the releases of others",
                    partitions));
  }
  if (decides_about_people) {
    throw InvalidParameter(
        "follow",
        fmt::format("must be left out, or each-person-in-one-partition be given where that is so: the topic "
                    "has {} partitions, whose records come in an order that depends on their bytes, and "
                    "the first records of a person count",
                    partitions));
  }
}

void begin_reading(kafka::TopicReader& reader, const std::vector<std::byte>& place_before,
                   const PreparedRun& run, const Input& input, bool each_person_is_in_one_partition) {
  using Follow = InputOptions::Follow;
  const bool is_new = place_before.empty();
  const bool by_own_time = run.clock() && !run.clock()->is_by_arrival();
  const TopicPlace& found = reader.found();
  const TopicPlace before = is_new ? beginning_of(found) : TopicPlace::from_bytes(place_before);
  if (input.options.follow == Follow::no) {
    // Rows of slots come again, all of them: those that were there when the first slot was released.
    if (by_own_time && !is_new) return reader.read_up_to(beginning_of(before), before);
    return reader.read_up_to(before, found);
  }
  check_order(run, found.partitions.size(),
              !input.options.person.empty() && !each_person_is_in_one_partition);
  reader.follow(is_new && input.options.follow == Follow::from_end ? end_of(found) : before);
}

}  // namespace

void start_topic(kafka::TopicReader& reader, RunningStream& stream, const PreparedRun& run,
                 const Input& input, bool each_person_is_in_one_partition) {
  std::vector<std::byte> place_before;
  if (const DurableStream* const durable = stream.durable()) {
    place_before = durable->sealed().place.bytes;
    if (place_before.empty() && durable->rows_before() > 0) {
      throw StateError(
          "the rows of this stream came from elsewhere: it cannot go on from a place in a topic");
    }
  }
  reader.connect();
  begin_reading(reader, place_before, run, input, each_person_is_in_one_partition);
}

}  // namespace jme::cli
