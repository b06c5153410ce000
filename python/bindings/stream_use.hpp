#pragma once

#include <jme/base/errors.hpp>

#include "bindings/calls.hpp"
#include "bindings/stream.hpp"

namespace jme::python {

/// While one call is at work, no other may begin: not from another thread, nor from a generator that gives
/// rows to this very stream.
class Stream::Use {
 public:
  explicit Use(Stream& stream) : stream_(stream) {
    stream.check_open();
    if (stream.is_busy_)
      throw StateError("the stream is at work: this call came from inside one of its own calls");
    stream.rows_seen_ = stream.rows();
    stream.is_busy_ = true;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { stream_.is_busy_ = false; }

 private:
  Call call_;
  Stream& stream_;
};

}  // namespace jme::python
