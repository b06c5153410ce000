#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/service/service.hpp>

#include "temporary_folder.hpp"

namespace jme::test {

inline constexpr const char* air =
    R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":10)";

/// A service and its state folder.
class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { restart(); }

  /// As a process that was killed and started again: nothing is written in between.
  void restart() {
    service_.reset();
    ServiceOptions options{.state = state(), .allow_insecure_test_seed = true};
    if (time_) {
      options.now = [this] { return *time_; };
      options.keeps_time = false;
    }
    service_.emplace(options);
  }
  ServedStream& create(const std::string& more = "}", const char* start = air) {
    return *service_->find(service_->create(start + more, false).name);
  }
  [[nodiscard]] ServedStream& stream(const std::string& name = "air") const { return *service_->find(name); }
  [[nodiscard]] std::filesystem::path state() const { return folder_.path() / "state"; }
  /// From now on the service has a clock that says this; nothing happens in time by itself.
  void set_time(double time) {
    const bool is_first = !time_;
    time_ = time;
    is_first ? restart() : service_->tick();
  }
  std::optional<double> time_;
  std::optional<Service> service_;

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

inline std::string csv_rows(std::size_t count, std::size_t from = 0) {
  std::string text = "temp,co\n";
  for (std::size_t i = from; i < from + count; ++i) text += fmt::format("{},{}\n", i % 40, (7 * i) % 100);
  return text;
}

inline WriteRequest rows(std::string body, std::string key = "", std::string token = "writer") {
  WriteRequest request{.token = std::move(token), .body = std::move(body)};
  if (!key.empty()) {
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = std::move(key);
  }
  return request;
}

inline WriteRequest numbered(std::string body, std::uint64_t first, std::uint64_t last,
                             std::string token = "writer") {
  WriteRequest request{.token = std::move(token), .body = std::move(body)};
  request.repeats = WriteRequest::Repeats::by_rows;
  request.first_row = first;
  request.last_row = last;
  return request;
}

inline std::string all_lines(const ServedStream& stream) {
  std::string text;
  for (std::size_t i = 0; i < stream.lines().size();) {
    for (const ReleaseLine& line : stream.lines().read(i, 100)) {
      text += line.text;
      ++i;
    }
  }
  return text;
}

/// Sums that somebody made elsewhere.
inline WriteRequest block_of(const std::string& id, const BlockSum& sums, std::string token = "writer") {
  const std::vector<std::byte> bytes = sums.bytes();
  WriteRequest request =
      rows({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, id, std::move(token));
  request.content = WriteRequest::Content::block;
  return request;
}

}  // namespace jme::test
