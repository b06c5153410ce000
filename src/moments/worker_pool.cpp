#include "moments/worker_pool.hpp"

#include <algorithm>
#include <utility>

namespace jme {

WorkerPool::WorkerPool(unsigned threads) : shares_(std::max(threads, 1U)) {
  for (std::size_t own = 1; own < shares_.size(); ++own) {
    workers_.emplace_back([this, own] { serve(own); });
  }
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  turn_ += 1;
  turn_.notify_all();
}

void WorkerPool::share_out(std::size_t count, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].next = count * i / shares_.size();
    shares_[i].end = count * (i + 1) / shares_.size();
  }
  work_ = &work;
  busy_ = workers_.size();
  turn_ += 1;
  turn_.notify_all();
  take_part(0);
  for (std::size_t left = busy_; left != 0; left = busy_) busy_.wait(left);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// A thread does its own share first, then what others have left.
void WorkerPool::take_part(std::size_t own) noexcept {
  try {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(own + i) % shares_.size()];
      for (std::size_t piece = share.next++; piece < share.end; piece = share.next++) (*work_)(piece);
    }
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    error_ = std::current_exception();
  }
}

void WorkerPool::serve(std::size_t own) noexcept {
  for (std::uint64_t seen = 0;;) {
    turn_.wait(seen);
    seen = turn_;
    if (stop_) return;
    take_part(own);
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace jme
