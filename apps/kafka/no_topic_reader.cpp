// In place of topic_reader.cpp where librdkafka is not there.
#include <jme/base/errors.hpp>

#include "kafka/topic_reader.hpp"

namespace jme::kafka {

struct TopicReader::Impl {
  TopicPlace nowhere;
};

TopicReader::TopicReader(TopicName /*name*/, const InputOptions& /*rows*/, Options /*options*/) {
  throw InvalidParameter("file",
                         "this jme was built without Kafka: install librdkafka-dev and build it again");
}
TopicReader::~TopicReader() = default;
void TopicReader::connect() {}
const TopicPlace& TopicReader::found() const {
  return impl_->nowhere;
}
void TopicReader::read_up_to(const TopicPlace& /*from*/, const TopicPlace& /*to*/) {}
void TopicReader::follow(const TopicPlace& /*from*/) {}
const TopicPlace& TopicReader::place_read() const {
  return impl_->nowhere;
}
std::string TopicReader::place() const {
  return {};
}
void TopicReader::apply(const Part& /*part*/) {}
void TopicReader::read(RowBatch& /*batch*/, std::size_t /*most_rows*/) {}

}  // namespace jme::kafka
