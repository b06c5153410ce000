#include "kafka/topic_name.hpp"

#include <algorithm>

#include <jme/base/errors.hpp>

namespace jme::kafka {

namespace {

constexpr std::string_view scheme = "kafka://";

bool is_topic(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= 249 && name != "." && name != ".." &&
         name.find_first_not_of(letters) == std::string_view::npos;
}

bool is_broker(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == name.size()) return false;
  const std::string_view port = name.substr(colon + 1);
  return port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos &&
         name.find_first_of("/@ ") == std::string_view::npos;
}

}  // namespace

bool TopicName::is_one(std::string_view text) {
  return text.starts_with(scheme);
}

TopicName TopicName::parse(std::string_view text) {
  const InvalidParameter refusal("file", text, "kafka://HOST:PORT/TOPIC, or kafka://A:PORT,B:PORT/TOPIC");
  if (!is_one(text)) throw refusal;
  const std::string_view rest = text.substr(scheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || !is_topic(rest.substr(slash + 1))) throw refusal;
  const std::string_view brokers = rest.substr(0, slash);
  for (std::size_t begin = 0; begin <= brokers.size();) {
    const std::size_t comma = std::min(brokers.find(',', begin), brokers.size());
    if (!is_broker(brokers.substr(begin, comma - begin))) throw refusal;
    begin = comma + 1;
  }
  return {.brokers = std::string(brokers), .topic = std::string(rest.substr(slash + 1))};
}

}  // namespace jme::kafka
