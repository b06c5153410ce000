#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jme::kafka {

/// Settings of librdkafka by their names, for TLS, passwords and time limits.
using ClientOptions = std::vector<std::pair<std::string, std::string>>;

/// "name=value". Throws InvalidParameter("kafka-option", ...) for a name that jme sets itself because what it
/// promises depends on it, and for a secret, which everybody on the machine could read on a command line.
[[nodiscard]] std::pair<std::string, std::string> parse_client_option(std::string_view text);

/// The lines of a file, "name=value" each; blank lines and those that begin with # are left out. Throws
/// InvalidParameter("kafka-options", ...), also where the file has a secret and others may read it.
[[nodiscard]] ClientOptions read_client_options(const std::string& path);

/// What somebody else says about a connection, such as a broker or a library of TLS, on one line and without
/// the secrets among the options. Empty where it has one.
[[nodiscard]] std::string without_secrets(std::string_view said, const ClientOptions& options);

}  // namespace jme::kafka
