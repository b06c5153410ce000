#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include <jme/moments/release.hpp>
#include <jme/store/stream_settings.hpp>

namespace jme {

/// The settings of a durable stream: all that is public about it. Only reads. Throws StateError where the
/// folder has no such stream.
[[nodiscard]] Settings stored_settings(const std::filesystem::path& directory, std::string_view source,
                                       std::string_view stream);

/// What a durable stream released so far, authenticated, in its order. Only reads, also while another process
/// has the stream open. Throws StateError where the stream is not there or is damaged.
void stored_releases(const std::filesystem::path& directory, std::string_view source, std::string_view stream,
                     const ReleaseLayout& layout, const std::function<void(const Release&)>& take);

}  // namespace jme
