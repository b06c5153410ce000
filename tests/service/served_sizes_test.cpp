// What lies on disk of a served stream has lengths that the requests decide, not what is in their bodies.
#include <functional>

#include <gtest/gtest.h>

#include "service/served.hpp"
#include "store/disk_sizes.hpp"

namespace jme::served_sizes_tests {
namespace {

using test::rows;

/// Sizes in the state folder after each of eight requests, whose bodies are these, and after the slots end.
std::vector<std::string> sizes_of(const std::string& settings,
                                  const std::function<std::string(int)>& bodies) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  double time = 3600.0 * 480'000;
  std::vector<std::string> sizes;
  std::optional<Service> service;
  const auto start = [&] {
    service.reset();
    service.emplace(
        ServiceOptions{.state = folder.path() / "s", .now = [&time] { return time; }, .keeps_time = false});
  };
  start();
  static_cast<void>(service->create(settings, false));
  for (int i = 0; i < 8; ++i) {
    if (i == 5) start();  // as if the process before was killed
    static_cast<void>(service->find("air")->take(rows(bodies(i), fmt::format("key {}", i))));
    time += 1800;
    service->tick();
    sizes.push_back(test::sizes_in(folder.path() / "s"));
  }
  return sizes;
}

const std::string hours =
    R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"every":"1h","steps":6})";

TEST(ServedSizes, OfSlotsAreTheSameHoweverManyRowsRequestsHave) {
  const auto one = sizes_of(hours, [](int i) { return test::csv_rows(1, static_cast<std::size_t>(i)); });
  EXPECT_EQ(sizes_of(hours, [](int i) { return test::csv_rows(i % 2 == 0 ? 900 : 2); }), one);
  EXPECT_EQ(sizes_of(hours, [](int) { return "temp,co\nwhat,not\n"; }), one) << "rows that count nowhere";
}

const std::string visits =
    R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45]},"rows":80,"every":10,"person":"who",)"
    R"("rows_per_person":2})";

TEST(ServedSizes, OfPeopleAreTheSameWhicheverOfTheirRowsCount) {
  const auto bodies = [](const std::function<std::string(int)>& who) {
    return [who](int i) {
      std::string body = "who,temp\n";
      for (int k = 0; k < 7; ++k) body += fmt::format("{},{}\n", who(7 * i + k), k);
      return body;
    };
  };
  const auto all_count = sizes_of(visits, bodies([](int i) { return fmt::format("p{}", i); }));
  EXPECT_EQ(sizes_of(visits, bodies([](int) { return "often"; })), all_count);
  EXPECT_EQ(sizes_of(visits, bodies([](int) { return ""; })), all_count);
}

}  // namespace
}  // namespace jme::served_sizes_tests
