#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <malloc.h>

#include <jme/base/errors.hpp>
#include <jme/service/service.hpp>
#include <jme/service/stream_memory.hpp>

#include "service/served.hpp"

namespace {

/// Bytes that this program got by `new` and did not give back, and the most that it ever had.
struct Counted {
  std::atomic<std::size_t> now{0}, most{0};
  void* add(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    const std::size_t sum = now += malloc_usable_size(memory);
    for (std::size_t before = most; before < sum && !most.compare_exchange_weak(before, sum);) {
    }
    return memory;
  }
  void remove(void* memory) {
    if (memory != nullptr) now -= malloc_usable_size(memory);
    std::free(memory);
  }
};
Counted counted;

void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return counted.add(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted.add(std::malloc(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return aligned(bytes, alignment);
}
// What it returns is given back to the same operator delete.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  counted.remove(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  counted.remove(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  counted.remove(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  counted.remove(memory);
}

namespace jme {
namespace {

using test::rows;

std::string wide(std::size_t dimension, const std::string& more) {
  std::string text = R"({"name":"wide","epsilon":1,"delta":1e-6,"bounds":{)";
  for (std::size_t i = 0; i < dimension; ++i) text += fmt::format(R"({}"c{}":[0,1])", i > 0 ? "," : "", i);
  return text + "}," + more + "}";
}

std::string wide_rows(std::size_t dimension, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < dimension; ++i) text += fmt::format("{}c{}", i > 0 ? "," : "", i);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < dimension; ++i) text += i > 0 ? ",1" : "\n1";
  }
  return text + "\n";
}

class MemoryOfStreams : public test::ServiceTest {};

// The bound is meant for limits: nothing may take more, and a stream that would fit must not be refused for a
// bound that is far away. A vector that grows by itself may have just had room, or be moving: at most a
// factor of 3. The other parts are counted as they are, but for numbers, which mostly have fewer digits than
// the longest one. All streams have less than 12 MiB besides.
TEST_F(MemoryOfStreams, IsNeverMoreThanWhatIsComputedAndNotFarBelow) {
  constexpr std::size_t of_all_streams = std::size_t{12} << 20;
  struct Case {
    std::size_t dimension;
    const char* more;
    std::size_t rows, requests;
  };
  for (const Case& one : {
           Case{300, R"("rows":64,"every":2)", 4, 8},
           Case{300, R"("rows":64,"every":2,"shape":"scaled-blt:4","shape2":"blt:6")", 4, 8},
           Case{150, R"("rows":248,"every":2,"workload":"window:200","shape":"banded:8","emit":["mean"])", 4,
                61},
           Case{300, R"("rows":124,"every":2,"shape":"sqrt","emit":["mean"])", 4, 30},
           Case{150, R"("rows":1000,"every":2,"missing":"observed")", 4, 8},
           Case{300, R"("rows":64,"every":4,"emit":["mean","covariance","correlation","pca:3","density"])", 4,
                4},
           Case{8000, R"("rows":64,"every":2,"second":"diagonal","shape":"blt:4")", 2, 2},
           Case{100, R"("rows":400,"every":4,"shape":"dense")", 4, 99},
       }) {
    const std::string settings = wide(one.dimension, one.more), body = wide_rows(one.dimension, one.rows);
    std::filesystem::remove_all(state());
    service_.reset();
    const std::size_t before = counted.now;
    counted.most = before;
    restart();
    const CreatedStream made = service_->create(settings, false);
    for (std::size_t i = 0; i < one.requests; ++i) static_cast<void>(stream("wide").take(rows(body)));
    restart();
    static_cast<void>(stream("wide").take(rows(body)));
    const std::size_t measured = counted.most - before, bound = memory_of_stream(*made.run).all();
    EXPECT_LE(measured, bound) << one.dimension << " " << one.more;
    EXPECT_LE(bound, 3 * measured + of_all_streams) << one.dimension << " " << one.more;
  }
}

}  // namespace
}  // namespace jme
