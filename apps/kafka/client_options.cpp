#include "kafka/client_options.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>

#include <jme/base/errors.hpp>

namespace jme::kafka {

namespace {

// What no row is lost or counted twice by (with the protocol of old brokers, aborted transactions would
// count); where brokers are, which the name of the input says; and names of libraries that would be loaded
// into a process that has keys.
constexpr std::array denied{"isolation.level",
                            "auto.offset.reset",
                            "enable.auto.commit",
                            "auto.commit.enable",
                            "auto.commit.interval.ms",
                            "enable.auto.offset.store",
                            "enable.partition.eof",
                            "allow.auto.create.topics",
                            "bootstrap.servers",
                            "metadata.broker.list",
                            "offset.store.method",
                            "offset.store.path",
                            "group.instance.id",
                            "check.crcs",
                            "api.version.request",
                            "api.version.fallback.ms",
                            "broker.version.fallback",
                            "plugin.library.paths",
                            "ssl.engine.location",
                            "ssl.providers",
                            "debug",
                            "test.mock.num.brokers"};

// In names of settings: sasl.password, ssl.key.pem, and what later versions of librdkafka may add.
constexpr std::array secret{"password", "secret", "passphrase", "key.pem", "oauthbearer.config"};

bool is_denied(std::string_view name) {
  return std::find(denied.begin(), denied.end(), name) != denied.end();
}

bool is_secret(std::string_view name) {
  return std::any_of(secret.begin(), secret.end(),
                     [&](const char* word) { return name.find(word) != std::string_view::npos; });
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::pair<std::string, std::string> name_and_value(std::string_view text, std::string_view field,
                                                   std::string_view place = "") {
  const std::size_t equals = text.find('=');
  std::string name(without_blanks(text.substr(0, equals)));
  // The text itself may be a password that was misplaced.
  if (equals == std::string_view::npos || name.empty()) {
    throw InvalidParameter(field, fmt::format("{}must be NAME=VALUE", place));
  }
  if (is_denied(name)) {
    throw InvalidParameter(field, name,
                           "another name: jme sets this one itself, because its promise depends on it");
  }
  return {std::move(name), std::string(without_blanks(text.substr(equals + 1)))};
}

bool others_may_read(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

}  // namespace

std::pair<std::string, std::string> parse_client_option(std::string_view text) {
  auto option = name_and_value(text, "kafka-option");
  if (is_secret(option.first)) {
    throw InvalidParameter("kafka-option", option.first,
                           "given in the file that kafka-options names: everybody on the machine can read "
                           "command lines");
  }
  return option;
}

ClientOptions read_client_options(const std::string& path) {
  std::ifstream file(path);
  ClientOptions options;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string_view text = without_blanks(line);
    ++number;
    if (text.empty() || text.starts_with('#')) continue;
    options.push_back(name_and_value(text, "kafka-options", fmt::format("line {} of {} ", number, path)));
    if (is_secret(options.back().first) && others_may_read(path)) {
      throw InvalidParameter("kafka-options", path,
                             "a file that its owner alone may read, because it has a secret (chmod 600)");
    }
  }
  if (!file.eof() || options.empty()) {
    throw InvalidParameter("kafka-options", path, "a file of lines NAME=VALUE that can be read");
  }
  return options;
}

std::string without_secrets(std::string_view said, const ClientOptions& options) {
  constexpr std::size_t most = 400;
  for (const auto& [name, value] : options) {
    if (is_secret(name) && !value.empty() && said.find(value) != std::string_view::npos) return {};
  }
  std::string line(said.substr(0, std::min(said.size(), most)));
  for (char& letter : line) {
    if (letter < ' ' || letter > '~') letter = ' ';
  }
  return line;
}

}  // namespace jme::kafka
