#pragma once

#include <string>
#include <vector>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// The guarantee in plain words, one or two sentences per paragraph: what is promised, about whom, under
/// which assumptions, what is public and what is not promised.
[[nodiscard]] std::vector<std::string> privacy_statement(const Mechanism& mechanism, bool has_bounds,
                                                         bool insecure_seed);

struct RunDescription;
/// The same for a run, with what its bounds cost where they were found.
[[nodiscard]] std::vector<std::string> privacy_statement(const RunDescription& run);

/// What a private count of rows counts: "rows that exist" or, where a person may have only so many, "rows
/// that count (at most 3 per person and day)".
[[nodiscard]] std::string counted_rows(const StreamConfig& config);
/// " (at most 3 per person and day)"; empty where rows of a person are not limited.
[[nodiscard]] std::string limit_of_person(const StreamConfig& config);

/// The paragraphs in one line, for the metadata.
[[nodiscard]] std::string one_line(const std::vector<std::string>& paragraphs);
/// The paragraphs wrapped at `width` columns, with an empty line between them.
[[nodiscard]] std::string wrapped(const std::vector<std::string>& paragraphs, std::size_t width = 80);

}  // namespace jme
