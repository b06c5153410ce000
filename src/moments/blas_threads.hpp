#pragma once

namespace jme {

/// While such an object exists, OpenBLAS computes on the thread that calls it: we divide the work among our
/// own threads, and OpenBLAS's threads would wait for work on the processors that ours need.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

}  // namespace jme
