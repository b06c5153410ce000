// In place of topic_reader.cpp where librdkafka is not there.
#include <jme/base/errors.hpp>

#include "kafka/topic_reader.hpp"

namespace jme::kafka {

struct TopicReader::Impl {
  TopicPlace nowhere;
};

TopicReader::TopicReader(TopicName /*name*/, Options /*options*/) {
  throw InvalidParameter("file",
                         "this jme was built without Kafka: install librdkafka-dev and build it again");
}
TopicReader::~TopicReader() = default;
const TopicPlace& TopicReader::found() const {
  return impl_->nowhere;
}
void TopicReader::read_up_to(const TopicPlace& /*from*/, const TopicPlace& /*to*/) {}
void TopicReader::follow(const TopicPlace& /*from*/) {}
const TopicPlace& TopicReader::place_read() const {
  return impl_->nowhere;
}
bool TopicReader::next() {
  return false;
}
std::optional<std::string_view> TopicReader::text() const {
  return std::nullopt;
}
std::string TopicReader::place() const {
  return {};
}

}  // namespace jme::kafka
