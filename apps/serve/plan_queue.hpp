#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace jme::serve {

/// One thread for what may take seconds, plans and new streams, so that it holds back neither rows nor
/// readers. Tasks run one after another. May be used by several threads.
class PlanQueue {
 public:
  struct Task {
    std::string owner;      ///< id of the token that asks
    std::stop_source stop;  ///< requested: nobody waits for it any more
    std::function<void()> work;
  };

  /// At most so many tasks wait, and half of them those of one owner.
  explicit PlanQueue(std::size_t most);
  /// As end().
  ~PlanQueue();
  PlanQueue(const PlanQueue&) = delete;
  PlanQueue& operator=(const PlanQueue&) = delete;

  /// False where too many wait, or end() was called: the task is not run. A task that was stopped before its
  /// turn is not run either; one that is stopped while it runs ends with Cancelled (base/cancellation.hpp).
  [[nodiscard]] bool submit(Task task);
  /// Drops what waits, stops what runs, and returns when that has ended.
  void end();

 private:
  void run();
  [[nodiscard]] std::optional<Task> next();

  std::size_t most_;
  std::mutex mutex_;  // of what follows, but for the thread
  std::condition_variable has_come_;
  std::deque<Task> waiting_;
  std::stop_source running_{std::nostopstate};
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace jme::serve
