#pragma once

#include <string>
#include <string_view>

namespace jme::kafka {

/// Where a topic is: "kafka://HOST:PORT/TOPIC", or several brokers as "kafka://A:PORT,B:PORT/TOPIC".
struct TopicName {
  std::string brokers, topic;

  /// Whether a file's name means a topic.
  [[nodiscard]] static bool is_one(std::string_view text);
  /// Throws InvalidParameter("file", ...).
  [[nodiscard]] static TopicName parse(std::string_view text);
};

}  // namespace jme::kafka
