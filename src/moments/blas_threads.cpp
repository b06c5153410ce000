#include "moments/blas_threads.hpp"

#include <mutex>

#include <cblas.h>

namespace jme {
namespace {

// The number of threads belongs to the process: the first object saves it, the last one restores it.
std::mutex mutex;
int users = 0, before = 1;

}  // namespace

OneBlasThread::OneBlasThread() {
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  before = openblas_get_num_threads();
  if (before != 1) openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  const std::lock_guard lock(mutex);
  if (--users == 0 && before != 1) openblas_set_num_threads(before);
}

}  // namespace jme
