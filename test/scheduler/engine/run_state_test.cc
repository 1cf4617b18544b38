#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "scheduler/base/random.h"
#include "scheduler/engine/world.h"

namespace schedlens::sim {
namespace {

TEST(EventHeap, GivesEventsByTimeAndThoseOfOneInstantInTheirOrder) {
  Random random(11);
  EventHeap heap;
  std::multiset<std::pair<Nanos, std::uint32_t>> expected;
  Nanos now = 0;
  for (std::uint32_t number = 0; number < 20'000; ++number) {
    // From this instant on up to a minute ahead, mostly soon; many at the same time.
    const Nanos ahead = static_cast<Nanos>(random.Below(20)) * kMillisecond;
    const Nanos at = now + (random.Chance(0.2) ? 3000 * ahead : ahead);
    heap.Push(at, EventKind::kLoop, number);
    expected.emplace(at, number);
    while (!heap.empty() && random.Chance(0.45)) {
      ASSERT_EQ(heap.next_time(), expected.begin()->first);
      const HeapEvent event = heap.Pop();
      ASSERT_EQ(event.subject, expected.begin()->second);
      expected.erase(expected.begin());
      now = event.at;
    }
  }
  for (; !expected.empty(); expected.erase(expected.begin())) {
    ASSERT_EQ(heap.Pop().subject, expected.begin()->second);
  }
  EXPECT_TRUE(heap.empty());
}

}  // namespace
}  // namespace schedlens::sim
