#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api.hpp"

namespace jme::serve {

namespace net = boost::asio;
using boost::system::error_code;
using net::awaitable;
using Clock = std::chrono::steady_clock;
using Executor = net::any_io_executor;

/// For operations that coroutines wait for: what went wrong is left in `error`.
inline net::redirect_error_t<net::use_awaitable_t<>> into(error_code& error) {
  return net::redirect_error(net::use_awaitable, error);
}

/// Something that a coroutine waits for and that any thread may announce. Only the coroutine's own executor
/// touches what is inside.
class Signal : public std::enable_shared_from_this<Signal> {
 public:
  explicit Signal(const Executor& executor) : timer_(executor) {}

  void announce() {
    net::post(timer_.get_executor(), [self = shared_from_this()] {
      self->announced_ = true;
      self->timer_.cancel();
    });
  }
  /// Until it is announced, or until `end`: whether it was.
  awaitable<bool> wait(Clock::time_point end) {
    if (!announced_) {
      timer_.expires_at(end);
      error_code ignored;
      co_await timer_.async_wait(into(ignored));
    }
    co_return std::exchange(announced_, false);
  }

 private:
  net::steady_timer timer_;
  bool announced_ = false;
};

/// What a request's answer is left in, by another thread.
struct Awaited : Signal {
  using Signal::Signal;
  Answer answer{};
};

/// While it lives, a signal is announced whenever a stream has new releases.
class Following {
 public:
  Following(Api& api, ServedStream& stream, const std::shared_ptr<Signal>& wake)
      : api_(api), stream_(stream), follower_(stream.follow([wake] { wake->announce(); })) {
    ++api_.followers;
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  ~Following() {
    stream_.unfollow(follower_);
    --api_.followers;
  }

 private:
  Api& api_;
  ServedStream& stream_;
  std::uint64_t follower_;
};

}  // namespace jme::serve
