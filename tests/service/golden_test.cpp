/// Served streams give the recorded releases of tests/golden: the command's, the package's and these are the
/// same.

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "service/served.hpp"

namespace jme {
namespace {

using Json = nlohmann::ordered_json;  // the order of columns matters
using test::all_lines;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(JME_SOURCE_DIR) + "/tests/golden/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// As Python writes the bits of a number.
std::string bits(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_array()) {
    std::string text;
    for (const Json& item : value) text += (text.empty() ? "" : ",") + bits(item);
    return "[" + text + "]";
  }
  const double number = value.get<double>();
  if (number == 0) return std::signbit(number) ? "-0x0.0p+0" : "0x0.0p+0";
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.13a", number);
  return buffer.data();
}

std::string digest(const Json& release, const Json& quantities) {
  std::string text;
  for (const Json& name : quantities) {
    text +=
        (text.empty() ? "" : " ") + name.get<std::string>() + "=" + bits(release[name.get<std::string>()]);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr);
  std::string hex;
  for (std::size_t i = 0; i < 12; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

bool has_holes(const std::string& record) {
  return record.ends_with(',') ||
         record.find(",,", record.find(',', record.find(',') + 1)) != std::string::npos;
}

/// Bodies of at most `most` records each, with the records that belong to the case.
std::vector<std::string> bodies(const Json& settings, std::size_t most) {
  std::istringstream lines(text_of("rows.csv"));
  std::string header, record;
  std::getline(lines, header);
  const bool all = settings.contains("missing") || settings.contains("on_bad_row");
  std::size_t left = settings["rows"].is_number() ? settings["rows"].get<std::size_t>() : SIZE_MAX;
  std::vector<std::string> made;
  for (std::size_t count = most; left > 0 && std::getline(lines, record);) {
    if (!all && has_holes(record)) continue;
    if (count == most) {
      made.push_back(header + "\n");
      count = 0;
    }
    made.back() += record + "\n";
    ++count, --left;
  }
  return made;
}

/// Rows of a served stream count in the slot of their arrival. It cannot search bounds, and keeps rows of an
/// open block as sums.
bool can_be_served(const Json& settings) {
  if (settings.contains("time") || settings.value("bounds", Json()) == "auto") return false;
  const bool has_sums = !settings.value("method", "").starts_with("pp");
  return has_sums && !settings.value("workload", "").starts_with("decay") && !settings.contains("workload2");
}

class GoldenService : public test::ServiceTest {
 protected:
  void expect_recorded_releases(const std::string& name, const Json& expected, std::size_t most,
                                bool restarts) {
    Json settings = expected["settings"];
    settings["name"] = name;
    ASSERT_EQ(service_->create(settings.dump(), false).name, name);
    for (std::string& body : bodies(settings, most)) {
      static_cast<void>(stream(name).take(test::rows(std::move(body))));
      if (restarts) restart();
    }
    std::istringstream lines(all_lines(stream(name)));
    std::string line;
    for (const Json& release : expected["releases"]) {
      // A served stream waits for more rows where a run's last block is released at the end of its input.
      if (!std::getline(lines, line)) {
        EXPECT_EQ(release, expected["releases"].back()) << name;
        break;
      }
      const Json found = Json::parse(line);
      EXPECT_EQ(found["t"], release["t"]) << name;
      EXPECT_EQ(digest(found, settings["emit"]), release["digest"]) << name << ", t = " << release["t"];
    }
  }
};

TEST_F(GoldenService, GivesTheRecordedReleasesInWhateverBodiesTheRowsCome) {
  std::size_t served = 0;
  const Json cases = Json::parse(text_of("releases.json"));
  for (const auto& [name, expected] : cases.items()) {
    const Json& settings = expected["settings"];
    if (!can_be_served(settings)) continue;
    expect_recorded_releases(name, expected, served % 2 == 0 ? 141 : 2000, served % 8 == 0);
    ++served;
  }
  EXPECT_GE(served, 30U);
}

}  // namespace
}  // namespace jme
