#include <fmt/format.h>
#include <gmock/gmock.h>

#include "serve/server.hpp"

namespace jme::test {
namespace {

class ServedComparison : public Served {
 protected:
  [[nodiscard]] HttpReply compare(const std::string& query, const std::string& who) const {
    return ask(port(), "GET", "/v1/streams/air/compare?" + query, who);
  }
  [[nodiscard]] HttpReply compare(const std::string& query) const { return compare(query, admin_); }
  void post(std::size_t rows, int temp) const {
    std::string csv = "temp,co\n";
    for (std::size_t i = 0; i < rows; ++i) csv += fmt::format("{},50\n", temp);
    ASSERT_EQ(post_rows(csv).status, 202);
  }
};

TEST_F(ServedComparison, FindsTheChangeByTheEndsOfItsWindowsAlone) {
  start();
  create();
  post(20'000, 0);
  post(20'000, 30);
  const auto found = compare("from=20000&to=40000").json();
  EXPECT_EQ(found["changed"], nlohmann::json({true, false}));
  EXPECT_LT(found["interval"]["change"]["low"][0], 30.0);
  EXPECT_GT(found["interval"]["change"]["high"][0], 30.0);
  EXPECT_EQ(compare("from=20000").json()["mean"], found["mean"]);
  EXPECT_EQ(compare("from=0..20000&to=20000..40000").json()["mean"], found["mean"]);
  EXPECT_EQ(compare("from=20001").status, 422);
  EXPECT_EQ(compare("from=40000").status, 422);
  EXPECT_EQ(compare("from=yesterday").status, 422);
}

TEST_F(ServedComparison, OfAWindowReadsAllReleases) {
  start();
  const std::string settings =
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":10000,"every":100,
          "workload":"window:1000"})";
  ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_, settings).status, 201);
  EXPECT_EQ(compare("from=100").status, 404);
  post(2'000, 0);
  post(2'000, 40);
  const auto found = compare("from=2000&to=4000").json();
  EXPECT_EQ(found["changed"][0], true) << found.dump();
}

// It tells what releases tell, so it is for those who may read them.
TEST_F(ServedComparison, IsForReaders) {
  start();
  create();
  post(30, 0);
  EXPECT_EQ(compare("from=10", token("read")).status, 200);
  EXPECT_EQ(compare("from=10", token("write")).status, 403);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/compare?from=10").status, 401);
}

}  // namespace
}  // namespace jme::test
