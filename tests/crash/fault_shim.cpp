// Preloaded into jme by the crash tests: stands between the program and the system's calls that change files,
// counts them, and at the chosen one ends the process or lets it fail.
//
//     JME_FAULT=KIND:K    KIND at call K (from 1)
//     JME_FAULT_LOG=FILE  at the end of the process, how many calls there were
//
// Kinds: none (only count); kill (end before the call); torn (write half, then end); power (end, and every
// write that was not synced is undone); mixed (the same for about half of them); full (from here on writes
// fail with ENOSPC); unsynced (syncs from here on fail with EIO); short (this write takes half). Real syncs
// are left out: what a process has written outlives the process anyway.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

enum class Kind { none, kill, torn, power, mixed, full, unsynced, short_write };

struct Fault {
  Kind kind = Kind::none;
  long at = 0;

  Fault() {
    const char* text = std::getenv("JME_FAULT");
    if (text == nullptr) return;
    const auto is = [text](const char* name) { return std::strncmp(text, name, std::strlen(name)) == 0; };
    if (is("kill")) kind = Kind::kill;
    if (is("torn")) kind = Kind::torn;
    if (is("power")) kind = Kind::power;
    if (is("mixed")) kind = Kind::mixed;
    if (is("full")) kind = Kind::full;
    if (is("unsynced")) kind = Kind::unsynced;
    if (is("short")) kind = Kind::short_write;
    if (const char* colon = std::strchr(text, ':')) at = std::atol(colon + 1);
  }
};

Fault& fault() {
  static Fault instance;
  return instance;
}

std::atomic<long> calls{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// What a disk may lose: the old bytes under every write since its file was last synced. Names of files are
/// taken to be safe at once; the program syncs its folder after making one.
class Unsynced {
 public:
  void remember(int descriptor, off_t offset, std::size_t count) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
    const auto known = files_.try_emplace(status.st_ino, -1).first;
    if (known->second < 0)
      known->second = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 100);  // its owner may close it
    std::vector<char> before(count, 0);
    static_cast<void>(
        !::pread(descriptor, before.data(), count, offset));  // none in a file that is only written
    writes_.push_back(
        {.file = status.st_ino, .offset = offset, .size = status.st_size, .before = std::move(before)});
  }
  void synced(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return;
    std::erase_if(writes_, [&](const Write& write) { return write.file == status.st_ino; });
  }
  void undo(bool all, long seed) {
    static const auto real_pwrite = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
    static const auto real_truncate = next<int (*)(int, off_t)>("ftruncate");
    auto state = static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15U + 1;
    for (auto write = writes_.rbegin(); write != writes_.rend(); ++write) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      if (!all && (state >> 63) != 0) continue;
      const int file = files_.at(write->file);
      static_cast<void>(!real_pwrite(file, write->before.data(), write->before.size(), write->offset));
      if (all) static_cast<void>(!real_truncate(file, write->size));
    }
  }

 private:
  struct Write {
    ino_t file;
    off_t offset, size;
    std::vector<char> before;
  };
  std::map<ino_t, int> files_;
  std::vector<Write> writes_;
};

Unsynced& unsynced() {
  static auto* const instance = new Unsynced;  // outlives every other object
  return *instance;
}

bool cuts_power() {
  return fault().kind == Kind::power || fault().kind == Kind::mixed;
}

enum class Call { write, sync, other };
enum class Verdict { pass, half, half_and_end, no_space, io_error };

Verdict judge(Call call, int descriptor) {
  const Fault& chosen = fault();
  const long number = ++calls;
  const bool is_file = descriptor < 0 || descriptor > STDERR_FILENO;  // a full disk does not fill pipes
  switch (chosen.kind) {
    case Kind::kill:
      if (number == chosen.at) ::_exit(137);
      break;
    case Kind::torn:
      if (number != chosen.at) break;
      if (call == Call::write) return Verdict::half_and_end;
      ::_exit(137);
    case Kind::power:
    case Kind::mixed:
      if (number != chosen.at) break;
      unsynced().undo(chosen.kind == Kind::power, number);
      ::_exit(137);
    case Kind::full:
      if (number >= chosen.at && call == Call::write && is_file) return Verdict::no_space;
      break;
    case Kind::unsynced:
      if (number >= chosen.at && call == Call::sync) return Verdict::io_error;
      break;
    case Kind::short_write:
      if (number == chosen.at && call == Call::write) return Verdict::half;
      break;
    case Kind::none:
      break;
  }
  return Verdict::pass;
}

int failed(int error) {
  errno = error;
  return -1;
}

template <class Write>
ssize_t judged_write(int descriptor, std::size_t count, off_t offset, const Write& write) {
  switch (judge(Call::write, descriptor)) {
    case Verdict::no_space:
      return failed(ENOSPC);
    case Verdict::half:
      return write((count + 1) / 2);
    case Verdict::half_and_end:
      write(count / 2);
      ::_exit(137);
    default:
      if (cuts_power() && descriptor > STDERR_FILENO) {
        unsynced().remember(descriptor, offset < 0 ? ::lseek(descriptor, 0, SEEK_CUR) : offset, count);
      }
      return write(count);
  }
}

struct Report {
  ~Report() {
    const char* path = std::getenv("JME_FAULT_LOG");
    if (path == nullptr) return;
    fault().kind = Kind::none;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} report;

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return judged_write(descriptor, count, -1, [&](size_t part) { return real(descriptor, data, part); });
}

ssize_t pwrite(int descriptor, const void* data, size_t count, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return judged_write(descriptor, count, offset,
                      [&](size_t part) { return real(descriptor, data, part, offset); });
}

ssize_t pwrite64(int descriptor, const void* data, size_t count, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return judged_write(descriptor, count, offset,
                      [&](size_t part) { return real(descriptor, data, part, offset); });
}

int fsync(int descriptor) {
  if (judge(Call::sync, descriptor) == Verdict::io_error) return failed(EIO);
  if (cuts_power()) unsynced().synced(descriptor);
  return 0;
}

int fdatasync(int descriptor) {
  return fsync(descriptor);
}

int ftruncate(int descriptor, off_t size) noexcept {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  judge(Call::other, descriptor);
  return real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  static const auto real = next<int (*)(int, off64_t)>("ftruncate64");
  judge(Call::other, descriptor);
  return real(descriptor, size);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  judge(Call::other, -1);
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("unlink");
  judge(Call::other, -1);
  return real(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  judge(Call::other, -1);
  return real(path, mode);
}
}
