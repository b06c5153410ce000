#include "kafka/client.hpp"

#include <array>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::kafka {

namespace {

void set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 512> ignored{};  // it would repeat the value, which may be a secret
  switch (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), ignored.data(), ignored.size())) {
    case RD_KAFKA_CONF_OK:
      return;
    case RD_KAFKA_CONF_UNKNOWN:
      throw InvalidParameter("kafka-option", name, "the name of an option of librdkafka");
    default:
      throw InvalidParameter("kafka-option", fmt::format("librdkafka does not take the value of {}", name));
  }
}

void ignore_log(const rd_kafka_t* /*client*/, int /*level*/, const char* /*about*/, const char* /*text*/) {}

}  // namespace

Owned<rd_kafka_t> make_consumer(const std::string& brokers, const ClientOptions& options,
                                const OnError& on_error) {
  Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  const auto ours = [&](const char* field, const std::string& value) { set(conf.get(), field, value); };
  ours("client.id", "jme");
  ours("group.id", "jme");  // must be there, and is never joined
  ours("queued.max.messages.kbytes", "16384");
  ours("reconnect.backoff.max.ms", "2000");
  // Also how large a batch may be once it is unpacked, and the buffer for it is doubled until it fits. With
  // the default of 100 MB, one record of 90 MiB that zstd packed well would end every run.
  ours("receive.message.max.bytes", "2147483647");
  if (rd_kafka_version() >= fetch_backoff_version) ours("fetch.queue.backoff.ms", "10");
  for (const auto& [field, value] : options) set(conf.get(), field, value);
  ours("bootstrap.servers", brokers);
  ours("enable.auto.commit", "false");
  ours("enable.auto.offset.store", "false");
  ours("enable.partition.eof", "true");
  ours("auto.offset.reset", "error");
  ours("isolation.level", "read_committed");
  ours("allow.auto.create.topics", "false");
  ours("check.crcs", "true");
  rd_kafka_conf_set_opaque(conf.get(), on_error.self);
  rd_kafka_conf_set_error_cb(conf.get(), on_error.call);
  rd_kafka_conf_set_log_cb(conf.get(), ignore_log);
  std::array<char, 512> problem{};
  Owned<rd_kafka_t> client(rd_kafka_new(RD_KAFKA_CONSUMER, conf.get(), problem.data(), problem.size()));
  if (!client) {
    throw InvalidParameter("kafka-option", fmt::format("librdkafka refuses these options together: {}",
                                                       without_secrets(problem.data(), options)));
  }
  static_cast<void>(conf.release());  // the client's now
  rd_kafka_poll_set_consumer(client.get());
  return client;
}

bool is_transient(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    // The group that must be named and is never joined: whoever may read the topic need not be let into it.
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
      return true;
    default:
      return false;
  }
}

bool is_unknown(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

bool is_refusal(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__AUTHENTICATION || error == RD_KAFKA_RESP_ERR__SSL ||
         error == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM;
}

}  // namespace jme::kafka
