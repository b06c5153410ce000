#include <array>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/service/state_lock.hpp>

#include "store/bytes.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"

namespace jme {

namespace {

constexpr std::size_t longest_holder = 200;

std::string holder_in(const store::File& file) {
  std::array<char, longest_holder> text;
  const std::size_t count = file.read(0, std::as_writable_bytes(std::span(text)));
  const std::string_view line(text.data(), count);
  return std::string(line.substr(0, line.find('\n')));
}

const std::filesystem::path& made(const std::filesystem::path& folder) {
  store::make_folder(folder);
  return folder;
}

}  // namespace

struct StateLock::Impl {
  explicit Impl(const std::filesystem::path& folder)
      : file(made(folder) / "serve.lock", O_RDWR | O_CREAT, 0600) {}
  store::File file;
};

StateLock::StateLock(const std::filesystem::path& folder) : impl_(std::make_unique<Impl>(folder)) {
  if (!impl_->file.try_lock()) {
    const std::string holder = holder_in(impl_->file);
    throw StateError(fmt::format("state {}: {} serves it, and a folder has one server", folder.string(),
                                 holder.empty() ? "another process" : holder));
  }
  say("");
}

StateLock::~StateLock() = default;

void StateLock::say(const std::string& where) {
  std::string text = fmt::format("process {}", ::getpid());
  if (!where.empty()) text += fmt::format(" ({})", where);
  text.resize(longest_holder - 1, ' ');
  text[text.find_last_not_of(' ') + 1] = '\n';
  text.back() = '\n';
  impl_->file.write(0, store::bytes_of(text));
}

}  // namespace jme
