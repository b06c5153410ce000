#include <new>

#include <sys/mman.h>

#include <jme/filter/aligned_vector.hpp>

namespace jme {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes < large_page ? 64 : large_page};
}

}  // namespace

void* allocate_lines(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
  if (bytes >= large_page)
    madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: nothing is lost where it is refused
#endif
  return memory;
}

void free_lines(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment(bytes));
}

}  // namespace jme
