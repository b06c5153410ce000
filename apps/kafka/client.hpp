#pragma once

#include <memory>
#include <string>

#include <librdkafka/rdkafka.h>

#include "kafka/client_options.hpp"

namespace jme::kafka {

struct Destroy {
  void operator()(rd_kafka_t* client) const {
    // It is in no group, so there is nothing to leave.
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(const rd_kafka_metadata_t* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, Destroy>;

/// Called for errors that belong to no record.
struct OnError {
  void (*call)(rd_kafka_t* client, int error, const char* reason, void* self);
  void* self;
};

/// From this version on an option says how long librdkafka rests when it has fetched enough.
inline constexpr int fetch_backoff_version = 0x02020000;

/// A client that reads what is committed, stores no offsets, and notices where records are missing, whatever
/// the options say. Throws InvalidParameter for options that librdkafka does not take.
[[nodiscard]] Owned<rd_kafka_t> make_consumer(const std::string& brokers, const ClientOptions& options,
                                              const OnError& on_error);

/// Errors that pass when a broker comes back, or that do not concern us.
[[nodiscard]] bool is_transient(rd_kafka_resp_err_t error);
/// There is no such topic or partition.
[[nodiscard]] bool is_unknown(rd_kafka_resp_err_t error);
/// The broker does not let us in.
[[nodiscard]] bool is_refusal(rd_kafka_resp_err_t error);

}  // namespace jme::kafka
