#include "plan_queue.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#ifdef __linux__
#include <sys/resource.h>
#endif

#include <jme/base/cancellation.hpp>

namespace jme::serve {

namespace {

/// Estimates refuse what would take more than five seconds (theory/plan_cost.hpp). A task that takes longer
/// than this is stopped, whatever was estimated; a busy machine is several times slower than an idle one.
constexpr std::chrono::seconds longest_task{60};

/// Rows and readers come first where there are few processors. Linux does this for the calling thread alone.
void step_back() {
#ifdef __linux__
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, 10));
#endif
}

}  // namespace

PlanQueue::PlanQueue(std::size_t most) : most_(most), thread_([this] { run(); }) {}

PlanQueue::~PlanQueue() {
  end();
}

bool PlanQueue::submit(Task task) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) return false;
  std::erase_if(waiting_, [](const Task& known) { return known.stop.stop_requested(); });
  const auto of_owner = std::count_if(waiting_.begin(), waiting_.end(),
                                      [&](const Task& known) { return known.owner == task.owner; });
  const std::size_t share = std::max<std::size_t>(most_ / 2, 1);
  if (waiting_.size() >= most_ || static_cast<std::size_t>(of_owner) >= share) return false;
  waiting_.push_back(std::move(task));
  has_come_.notify_one();
  return true;
}

std::optional<PlanQueue::Task> PlanQueue::next() {
  std::unique_lock lock(mutex_);
  has_come_.wait(lock, [&] { return has_ended_ || !waiting_.empty(); });
  if (has_ended_) return std::nullopt;
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = task.stop;
  return task;
}

void PlanQueue::run() {
  step_back();
  while (const std::optional<Task> task = next()) {
    if (task->stop.stop_requested()) continue;
    const Cancellable scope(task->stop.get_token(), Cancellable::Clock::now() + longest_task);
    task->work();
  }
}

void PlanQueue::end() {
  std::deque<Task> dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    running_.request_stop();
    dropped.swap(waiting_);
    has_come_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace jme::serve
