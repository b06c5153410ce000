#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jme {

/// Threads that divide numbered pieces of work among them; the caller is one of them. They sleep while there
/// is no work.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

  /// Calls work(0) ... work(count - 1), in any order, and returns when all are done. Neighbouring pieces
  /// mostly go to the same thread every time, so that they are in its cache. Rethrows what a piece throws.
  template <class Work>
  void run(std::size_t count, const Work& work) {
    if (threads() == 1 || count <= 1) {
      for (std::size_t piece = 0; piece < count; ++piece) work(piece);
    } else {
      share_out(count, std::cref(work));
    }
  }

 private:
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };
  void share_out(std::size_t count, const std::function<void(std::size_t)>& work);
  void take_part(std::size_t own) noexcept;
  void serve(std::size_t own) noexcept;

  std::vector<Share> shares_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::uint64_t> turn_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> workers_;
};

}  // namespace jme
