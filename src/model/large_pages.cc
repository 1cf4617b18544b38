#include "model/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace schedlens {
namespace {

/// Address space, not memory.
constexpr int kStep = 64 << 20;
/// The largest that the C library takes: vectors that grow leave room to what comes after them.
constexpr int kLargestInHeap = 32 << 20;

std::uintptr_t HeapEnd() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }

}  // namespace

void GrowHeapInLargePages() {
  static const bool in_steps =
      mallopt(M_TOP_PAD, kStep) != 0 && mallopt(M_MMAP_THRESHOLD, kLargestInHeap) != 0;
  static std::atomic<std::uintptr_t> seen = HeapEnd();
  const std::uintptr_t end = HeapEnd();
  const std::uintptr_t before = seen.exchange(end);
  if (!in_steps || end <= before) return;
  // A refusal leaves small pages.
  madvise(reinterpret_cast<void*>(before), end - before, MADV_HUGEPAGE);
}

}  // namespace schedlens
