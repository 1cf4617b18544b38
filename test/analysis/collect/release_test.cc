#include "analysis/collect/release.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

Facts With(const std::vector<std::string>& metrics) {
  Facts facts;
  for (const std::string& metric : metrics) {
    facts.answers["release"].push_back({Labels({{"__name__", metric}}), {{0, 1}}, {}});
  }
  return facts;
}

TEST(DetectReleaseTest, NarrowsByWhatIsThere) {
  const struct {
    std::vector<std::string> metrics;
    std::string release;
  } cases[] = {
      {{}, ""},
      {{"scheduler_binding_duration_seconds_count",
        "scheduler_e2e_scheduling_duration_seconds_count"},
       "1.20"},
      {{"scheduler_binding_duration_seconds_count",
        "scheduler_scheduling_algorithm_predicate_evaluation_seconds_count"},
       "1.18-1.19"},
      // Without the binding duration: 1.21 or later, or 1.20 with that metric dropped.
      {{"scheduler_e2e_scheduling_duration_seconds_count"}, "1.20-1.23"},
      {{"scheduler_e2e_scheduling_duration_seconds_count",
        "scheduler_scheduling_algorithm_preemption_evaluation_seconds_count"},
       "1.20"},
      {{"scheduler_e2e_scheduling_duration_seconds_count",
        "rest_client_rate_limiter_duration_seconds_count"},
       "1.22-1.23"},
      {{"scheduler_e2e_scheduling_duration_seconds_count",
        "scheduler_scheduling_attempt_duration_seconds_count"},
       "1.23"},
      {{"scheduler_scheduling_attempt_duration_seconds_count", "scheduler_goroutines",
        "scheduler_scheduler_goroutines"},
       "1.26"},
      {{"scheduler_pod_scheduling_sli_duration_seconds_count"}, "1.29 or later"},
      {{"scheduler_pending_async_api_calls"}, "1.34 or later"},
  };
  for (const auto& c : cases) EXPECT_EQ(ToString(DetectRelease(With(c.metrics))), c.release);
}

TEST(DetectReleaseTest, BuildInfoDecides) {
  Facts facts = With({"scheduler_binding_duration_seconds_count"});
  facts.answers["release"].push_back(
      {Labels(
           {{"__name__", "kubernetes_build_info"}, {"minor", "26+"}, {"git_version", "v1.26.4"}}),
       {{0, 1}},
       {}});
  const ReleaseRange release = DetectRelease(facts);
  EXPECT_EQ(release.oldest, 26);
  EXPECT_EQ(ToString(release), "v1.26.4");
}

}  // namespace
}  // namespace schedlens
