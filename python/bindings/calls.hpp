#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// A call into the engine. Before Python 3.14 an interpreter that ends kills any other thread that asks for
/// its lock, in the midst of our code, whose destructors then abort the process. So the end waits until every
/// other thread has left its call, and a thread that begins another one, or the next stride of a long push,
/// sleeps until the process is gone. Rows and releases are as after an interrupt.
class Call {
 public:
  /// With the interpreter's lock.
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
};

/// A part of a call without the interpreter's lock.
class Unlocked {
 private:
  Call call_;  // left after the lock is back
  nanobind::gil_scoped_release released_;
};

/// Has the interpreter call us when it ends.
void watch_the_end();

}  // namespace jme::python
