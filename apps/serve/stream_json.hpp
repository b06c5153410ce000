#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/access/tokens.hpp>
#include <jme/service/service.hpp>

namespace jme::serve {

/// A stream as its readers may see it, and for writers also how many rows it has: a JSON object.
[[nodiscard]] std::string stream_text(const ServedStream& stream, const std::optional<TokenInfo>& token);

/// The same for one whose settings cannot be read (Service::unreadable): nothing else is known of it.
[[nodiscard]] nlohmann::ordered_json unreadable_json(const std::string& name, const std::string& why,
                                                     const std::optional<TokenInfo>& token);

/// What became of a request with rows, for its sender. `columns`: of the stream.
[[nodiscard]] nlohmann::ordered_json taken_json(const WriteAnswer& taken,
                                                const std::vector<std::string>& columns);

/// Releases, noise and budgets, in the text format of Prometheus.
[[nodiscard]] std::string metrics_text(const std::vector<const ServedStream*>& streams);
/// Rows and requests: for the owner alone.
[[nodiscard]] std::string internal_metrics_text(const std::vector<ServedStream*>& streams,
                                                const Service::Unreadable& unreadable);

}  // namespace jme::serve
