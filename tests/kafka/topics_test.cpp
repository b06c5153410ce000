// Topics without a Java machine: the broker is the one inside librdkafka. What a real one does is in
// in the Python files beside this one.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <sys/stat.h>

#include <jme/base/errors.hpp>

#include "kafka/client_options.hpp"
#include "kafka/topic_name.hpp"
#include "kafka/topic_place.hpp"
#include "kafka/topic_reader.hpp"
#include "temporary_folder.hpp"

namespace jme::kafka {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TopicName, IsHostsAndATopic) {
  const TopicName name = TopicName::parse("kafka://a.example:9092,b:9093/day.rows_1-x");
  EXPECT_EQ(name.brokers, "a.example:9092,b:9093");
  EXPECT_EQ(name.topic, "day.rows_1-x");
  EXPECT_TRUE(TopicName::is_one("kafka://x"));
  EXPECT_FALSE(TopicName::is_one("kafka.csv"));
  for (const char* wrong :
       {"kafka://", "kafka://a/t", "kafka://a:1", "kafka://a:1/", "kafka://a:1/t/u", "kafka://:1/t",
        "kafka://a:1,/t", "kafka://a:x/t", "kafka://user@a:1/t", "kafka://a:1/t t"}) {
    EXPECT_THROW(static_cast<void>(TopicName::parse(wrong)), InvalidParameter) << wrong;
  }
}

TEST(TopicPlace, IsTheSameAfterItsBytesAndRefusesOthers) {
  const TopicPlace place{
      .cluster = "c", .topic = "t", .partitions = {{.begin = 0, .next = 7}, {.begin = 3, .next = 3}}};
  const std::vector<std::byte> bytes = place.bytes();
  EXPECT_EQ(TopicPlace::from_bytes(bytes), place);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(static_cast<void>(TopicPlace::from_bytes(std::span(bytes).first(length))), StateError);
  }
  EXPECT_NO_THROW(place.check_is_of(place));
  TopicPlace more = place, fewer = place, other = place, elsewhere = place;
  more.partitions.push_back({});
  fewer.partitions.pop_back();
  other.topic = "u";
  elsewhere.cluster = "d";
  EXPECT_NO_THROW(place.check_is_of(more));
  for (const TopicPlace& now : {fewer, other, elsewhere}) EXPECT_THROW(place.check_is_of(now), StateError);
}

TEST(ClientOptions, KeepWhatThePromiseNeedsAndSecretsOffTheCommandLine) {
  EXPECT_EQ(parse_client_option(" security.protocol = ssl ").second, "ssl");
  for (const char* wrong :
       {"isolation.level=read_uncommitted", "enable.auto.commit=true", "auto.offset.reset=earliest",
        "plugin.library.paths=x", "broker.version.fallback=0.9.0", "bootstrap.servers=x",
        "sasl.password=hunter2", "ssl.key.pem=hunter2",
        "sasl.oauthbearer.assertion.private.key.passphrase=hunter2", "hunter2", "=hunter2"}) {
    try {
      static_cast<void>(parse_client_option(wrong));
      ADD_FAILURE() << wrong;
    } catch (const InvalidParameter& error) {
      EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("hunter2")));
    }
  }
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "options").string();
  std::ofstream(path) << "# for the test\n\nsasl.password=hunter2=3\nsasl.username = me\n";
  ::chmod(path.c_str(), 0600);
  EXPECT_THAT(read_client_options(path),
              ElementsAre(std::pair<std::string, std::string>("sasl.password", "hunter2=3"),
                          std::pair<std::string, std::string>("sasl.username", "me")));
  ::chmod(path.c_str(), 0640);
  EXPECT_THROW(static_cast<void>(read_client_options(path)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(read_client_options(path + "x")), InvalidParameter);
}

TEST(ClientOptions, AreNotRepeatedByWhatBrokersAndLibrariesSay) {
  const ClientOptions options{
      {"sasl.username", "me"}, {"sasl.password", "hunter2"}, {"ssl.key.password", ""}};
  EXPECT_EQ(without_secrets("refused\n\x1b[1mme", options), "refused  [1mme");
  EXPECT_EQ(without_secrets("refused hunter2, sorry", options), "");
  EXPECT_EQ(without_secrets(std::string(1000, 'x'), options).size(), 400U);
}

/// A producer with brokers of its own.
class Mock {
 public:
  explicit Mock(const ClientOptions& options = {}) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    for (const auto& [name, value] : options)
      rd_kafka_conf_set(conf, name.c_str(), value.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", nullptr, 0);
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    producer_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    cluster_ = rd_kafka_handle_mock_cluster(producer_);
  }
  Mock(const Mock&) = delete;
  Mock& operator=(const Mock&) = delete;
  ~Mock() { rd_kafka_destroy(producer_); }

  [[nodiscard]] TopicName topic(const std::string& name, int partitions) const {
    rd_kafka_mock_topic_create(cluster_, name.c_str(), partitions, 1);
    return {.brokers = rd_kafka_mock_cluster_bootstraps(cluster_), .topic = name};
  }
  void write(const std::string& topic, int partition, const std::vector<std::string>& values) const {
    for (const std::string& value : values) {
      rd_kafka_producev(producer_, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                        RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()), RD_KAFKA_V_END);
    }
    rd_kafka_flush(producer_, 10'000);
  }
  /// From now on answers take this long.
  void answer_after(std::chrono::milliseconds time) const {
    rd_kafka_mock_broker_set_rtt(cluster_, 1, static_cast<int>(time.count()));
  }

 private:
  rd_kafka_t* producer_;
  rd_kafka_mock_cluster_t* cluster_;
};

/// What reads a topic whose records are text: each is a row, and the tests look at its bytes.
class Reader {
 public:
  explicit Reader(const TopicName& name, TopicReader::Options options = {})
      : reader_(name,
                {.format = InputFormat::csv,
                 .columns = {"1"},
                 .header = false,
                 .on_bad_row = OnBadRow::zero,
                 .longest_record = std::size_t{1} << 30},
                std::move(options)) {
    reader_.begin({.tells_records = true});
    reader_.connect();
  }
  TopicReader* operator->() { return &reader_; }
  /// The next records, up to so many.
  std::vector<std::string> values(std::size_t most = 1000) {
    std::vector<std::string> values;
    while (values.size() < most && reader_.next(batch_, most - values.size())) {
      for (std::size_t i = 0; i < batch_.rows(); ++i) values.emplace_back(*batch_.record(i));
    }
    return values;
  }
  /// How many rows the next batch has.
  std::size_t next() { return reader_.next(batch_) ? batch_.rows() : 0; }

 private:
  TopicReader reader_;
  RowBatch batch_;
};

TopicPlace beginning_of(TopicPlace place) {
  for (auto& partition : place.partitions) partition.next = partition.begin;
  return place;
}

TEST(TopicReader, ReadsPartitionAfterPartitionUpToWhatWasThereAndGoesOnFromItsPlace) {
  const Mock mock;
  const TopicName name = mock.topic("t", 3);
  mock.write("t", 0, {"a", "b"});
  mock.write("t", 2, {"c", "d", "e"});
  TopicPlace place;
  {
    Reader reader(name);
    mock.write("t", 0, {"f"});  // after it looked
    reader->read_up_to(beginning_of(reader->found()), reader->found());
    EXPECT_THAT(reader.values(3), ElementsAre("a", "b", "c"));
    EXPECT_THAT(reader->place(), HasSubstr("topic t, partition 2, offset 0"));
    place = TopicPlace::from_bytes(reader->place_read().bytes());
    EXPECT_THAT(reader.values(), ElementsAre("d", "e"));
    EXPECT_EQ(reader->place_read(), reader->found());
    EXPECT_EQ(reader.next(), 0U);
  }
  Reader reader(name);
  reader->read_up_to(place, reader->found());
  EXPECT_THAT(reader.values(), ElementsAre("f", "d", "e"));
}

TEST(TopicReader, ReadsInTheSameOrderHoweverLargeRecordsAre) {
  const Mock mock;
  const TopicName name = mock.topic("t", 2);
  mock.write("t", 0, {std::string(500'000, 'a'), "b", std::string(100'000, 'c')});
  mock.write("t", 1, {"d", std::string(300'000, 'e'), "f"});
  for (const char* most : {"1000", "1000000"}) {
    Reader reader(name, {.client = {{"fetch.message.max.bytes", most}}});
    reader->read_up_to(beginning_of(reader->found()), reader->found());
    std::string order;
    for (const std::string& value : reader.values()) order += value.front();
    EXPECT_EQ(order, "abcdef") << most;
  }
}

/// Brokers that get packed batches, of which each has one record.
const ClientOptions packing{
    {"compression.codec", "zstd"}, {"message.max.bytes", "200000000"}, {"batch.num.messages", "1"}};

TEST(TopicReader, ReadsARecordThatIsPackedFarBelowItsSize) {
  const Mock mock(packing);
  const TopicName name = mock.topic("t", 1);
  constexpr std::size_t large = std::size_t{90} << 20;
  mock.write("t", 0, {"a", std::string(large, 'b'), "c"});
  Reader reader(name);
  reader->read_up_to(beginning_of(reader->found()), reader->found());
  std::vector<std::size_t> sizes;
  for (const std::string& value : reader.values()) sizes.push_back(value.size());
  EXPECT_THAT(sizes, ElementsAre(1U, large, 1U));
}

TEST(TopicReader, EndsWithTheOffsetOfABatchThatCannotBeUnpacked) {
  const Mock mock(packing);
  const TopicName name = mock.topic("t", 1);
  mock.write("t", 0, {"a", std::string(90'000'000, 'b'), "c"});
  Reader reader(name, {.client = {{"receive.message.max.bytes", "2000000"}, {"fetch.max.bytes", "1000000"}}});
  reader->read_up_to(beginning_of(reader->found()), reader->found());
  EXPECT_THAT(reader.values(1), ElementsAre("a"));
  EXPECT_THAT([&] { reader.next(); },
              ::testing::ThrowsMessage<DataError>(HasSubstr("topic t, partition 0: the batch of records that "
                                                            "begins at offset 1 cannot be read")));
}

TEST(TopicReader, FollowsAllPartitionsAndDoesWhatIsDueMeanwhile) {
  const Mock mock;
  const TopicName name = mock.topic("t", 2);
  mock.write("t", 0, {"before"});
  int looks = 0, waits = 0;
  bool has_both = false;
  struct Enough {};
  Reader reader(name, {.before_read = [&](int descriptor) {
                  ++(descriptor < 0 ? waits : looks);
                  if (waits == 3) mock.write("t", 1, {"x"});
                  if (waits == 6) mock.write("t", 0, {"y"});
                  if (has_both) throw Enough();
                }});
  TopicPlace now = reader->found();
  reader->follow(now);
  EXPECT_THAT(reader.values(2), ElementsAre("x", "y"));
  has_both = true;
  EXPECT_THROW(static_cast<void>(reader.next()), Enough);
  EXPECT_GT(looks, 0);
  EXPECT_EQ(reader->place_read().partitions[0].next, 2);
  EXPECT_EQ(reader->place_read().partitions[1].next, 1);
}

// When much was read in a row the leader is asked, so that librdkafka fetches on.
TEST(TopicReader, DoesWhatIsDueThoughTheLeaderIsSilentAfterManyRecords) {
  const Mock mock;
  const TopicName name = mock.topic("t", 1);
  mock.write("t", 0, std::vector<std::string>(10'000, std::string(400, 'x')));
  struct Waits {};
  bool may_wait = true;
  Reader reader(name, {.before_read = [&](int descriptor) {
                  if (descriptor < 0 && !may_wait) throw Waits();
                }});
  reader->follow(beginning_of(reader->found()));
  ASSERT_EQ(reader.values(1).size(), 1U);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // all of them are fetched
  mock.answer_after(std::chrono::minutes(1));
  may_wait = false;
  std::size_t records = 1;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(for (;;) records += reader.next(), Waits);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(records, 10'000U);
  mock.answer_after(std::chrono::milliseconds(0));
}

TEST(TopicReader, EndsABatchBeforeItWaitsAndDoesWhatIsDueOnlyBetweenBatches) {
  const Mock mock;
  const TopicName name = mock.topic("t", 1);
  mock.write("t", 0, std::vector<std::string>(3000, "1"));
  std::int64_t given = 0;
  TopicReader* looked_at = nullptr;
  Reader reader(name, {.before_read = [&](int) {
                  if (looked_at != nullptr && given > 0)
                    EXPECT_EQ(looked_at->place_read().partitions[0].next, given);
                  if (given == 3000) mock.write("t", 0, {"2"});
                }});
  looked_at = reader.operator->();
  reader->follow(beginning_of(reader->found()));
  std::size_t largest = 0;
  while (given < 3000) {
    const std::size_t rows = reader.next();
    largest = std::max(largest, rows);
    given += static_cast<std::int64_t>(rows);
    EXPECT_EQ(reader->place_read().partitions[0].next, given);
  }
  EXPECT_EQ(given, 3000);
  EXPECT_GT(largest, 100U);
  EXPECT_EQ(reader.values(1), std::vector<std::string>{"2"});
}

TEST(TopicReader, GivesTheRowsBeforeABatchThatCannotBeUnpackedAndThenItsError) {
  const Mock mock(packing);
  const TopicName name = mock.topic("t", 1);
  mock.write("t", 0, {"a", "b", std::string(90'000'000, 'x')});
  Reader reader(name, {.client = {{"receive.message.max.bytes", "2000000"}, {"fetch.max.bytes", "1000000"}}});
  reader->read_up_to(beginning_of(reader->found()), reader->found());
  EXPECT_THAT(reader.values(2), ElementsAre("a", "b"));
  for (int again = 0; again < 2; ++again)
    EXPECT_THAT([&] { reader.next(); },
                ::testing::ThrowsMessage<DataError>(HasSubstr("offset 2 cannot be read")));
}

TEST(TopicReader, EndsWhereItsPlaceIsNotThere) {
  const Mock mock;
  const TopicName name = mock.topic("t", 1);
  mock.write("t", 0, {"a"});
  Reader reader(name);
  TopicPlace beyond = reader->found();
  beyond.partitions[0].next = 50;
  try {
    reader->follow(beyond);
    ADD_FAILURE() << "went on";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("offset 50 is not there"));
  }
}

TEST(TopicReader, LooksForABrokerAsLongAsItsPatienceLasts) {
  try {
    const Reader reader({.brokers = "127.0.0.1:1", .topic = "t"}, {.patience = std::chrono::seconds(1)});
    ADD_FAILURE() << "something answers";
  } catch (const DataError&) {
    ADD_FAILURE() << "the topic is not to blame";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no Kafka broker answered at 127.0.0.1:1 within 1 s"));
  }
}

}  // namespace
}  // namespace jme::kafka
