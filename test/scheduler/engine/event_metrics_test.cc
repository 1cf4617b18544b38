// What a process measures of cluster events, by release.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/engine/scheduler_process.h"

namespace schedlens::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Bed {
  explicit Bed(const char* text)
      : release(Release::Parse(text)),
        registry(release, {}),
        events(release, registry, Random(1, 1)) {}
  std::string Page() {
    events.Flush(PluginRecorder::kCapacity);
    events.Export();
    return WriteMetricsPage(registry);
  }
  Release release;
  MetricRegistry registry;
  EventMetrics events;
};

TEST(EventMetrics, KeepsEventsFromTheFirstPodInFlightOn) {
  Bed bed("1.36");
  EventMetrics& events = bed.events;
  events.Note(InformerEvent::kNodeAdd);  // nobody would ask for it
  events.Popped(1);
  events.Note(InformerEvent::kAssignedPodAdd);
  events.Popped(2);
  events.Note(InformerEvent::kAssignedPodAdd);
  EXPECT_EQ(events.in_flight()[InformerEvent::kPodPopped], 2u);
  EXPECT_EQ(events.in_flight()[InformerEvent::kAssignedPodAdd], 2u);
  EXPECT_EQ(events.in_flight()[InformerEvent::kNodeAdd], 0u);
  events.Done(1);
  EXPECT_EQ(events.in_flight()[InformerEvent::kPodPopped], 1u);
  EXPECT_EQ(events.in_flight()[InformerEvent::kAssignedPodAdd], 1u) << "the one after pod 2";
  events.Done(1);  // a second time
  events.Done(2);
  EXPECT_EQ(events.in_flight()[InformerEvent::kPodPopped], 0u);
  EXPECT_EQ(events.in_flight()[InformerEvent::kAssignedPodAdd], 0u);
  const std::string page = bed.Page();
  EXPECT_THAT(page, HasSubstr("scheduler_inflight_events{event=\"PodPopped\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("scheduler_inflight_events{event=\"AssignedPodAdd\"} 0\n"));
  EXPECT_THAT(page, Not(HasSubstr("event=\"NodeAdd\"")));
}

TEST(EventMetrics, APodThatFliesAgainDoesNotHoldWhatCameBeforeIt) {
  Bed bed("1.36");
  EventMetrics& events = bed.events;
  events.Popped(1);
  events.Popped(2);
  events.Done(2);
  events.Note(InformerEvent::kNodeAdd);
  events.Popped(2);
  events.Done(1);
  EXPECT_EQ(events.in_flight()[InformerEvent::kPodPopped], 1u);
  EXPECT_EQ(events.in_flight()[InformerEvent::kNodeAdd], 0u);
}

TEST(EventMetrics, AreThoseOfTheRelease) {
  const struct {
    const char* release;
    bool handling, in_flight, hints;
  } cases[] = {{"1.30", false, false, false},
               {"1.31", true, false, false},
               {"1.32", true, true, true},
               {"1.36", true, true, true}};
  for (const auto& c : cases) {
    Bed bed(c.release);
    bed.events.Popped(1);
    bed.events.Handled(InformerEvent::kNodeAdd, 3);
    bed.events.Hint("NodeResourcesFit", InformerEvent::kNodeAdd, QueueingHint::kQueueSkip);
    const std::string page = bed.Page();
    const auto has = [&](std::string_view text) { return page.find(text) != std::string::npos; };
    EXPECT_EQ(has("scheduler_event_handling_duration_seconds_count{event=\"NodeAdd\"} 1\n"),
              c.handling)
        << c.release;
    EXPECT_EQ(has("scheduler_inflight_events{event=\"PodPopped\"} 1\n"), c.in_flight) << c.release;
    EXPECT_EQ(has("scheduler_queueing_hint_execution_duration_seconds_count{plugin="
                  "\"NodeResourcesFit\",event=\"NodeAdd\",hint=\"QueueSkip\"} 1\n"),
              c.hints)
        << c.release;
  }
}

TEST(EventMetrics, HandlersAreMeasuredFrom136On) {
  for (const char* release : {"1.35", "1.36"}) {
    Bed bed(release);
    for (int i = 0; i < 100; ++i) bed.events.Handled(InformerEvent::kAssignedPodDelete, 1000);
    const double mean = bed.registry.Get(Metric::kEventHandling, {"AssignedPodDelete"}).sum / 100;
    if (bed.release.minor >= 36) {
      EXPECT_NEAR(mean, 2.55e-3, 0.3e-3);
    } else {
      EXPECT_LT(mean, 1e-6) << "their clock is read too early";
    }
  }
}

}  // namespace
}  // namespace schedlens::sim
