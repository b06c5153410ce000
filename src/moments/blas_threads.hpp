#pragma once

namespace jme {

/// While one exists, OpenBLAS computes on the thread that calls it: the threads are ours to share out, and
/// its own would wait for work on the processors that ours need.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

}  // namespace jme
