// One process's plugin samples.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/base/random.h"
#include "scheduler/engine/truth.h"
#include "scheduler/runs.h"

namespace schedlens::sim {
namespace {

TEST(SchedulerProcess, PluginSamplesStayUnderTheBuffersThousandASecond) {
  const Scenario s = Short("healthy");
  const SimulationResult run = RunScenario(s, {1, true, true, {}});
  const double samples = Last(run, "scheduler_plugin_execution_duration_seconds_count");
  const double per_second = samples / ToSeconds(s.duration);
  EXPECT_GT(per_second, 800);
  EXPECT_LT(per_second, 1000);
  EXPECT_GT(run.counts.plugin_samples_dropped, 1000u);
}

}  // namespace
}  // namespace schedlens::sim
