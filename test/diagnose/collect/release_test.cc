#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "diagnose/collect/missing.h"
#include "kube/metrics.h"

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
      // Before the table's first release names tell what they can.
      {{"scheduler_total_preemption_attempts"}, "1.16-1.18"},
      {{"scheduler_total_preemption_attempts",
        "scheduler_scheduling_algorithm_predicate_evaluation_seconds_count",
        "scheduler_pod_scheduling_duration_seconds_count"},
       "1.17-1.18"},
      {{"scheduler_total_preemption_attempts", "scheduler_binding_duration_seconds_count",
        "scheduler_e2e_scheduling_latency_microseconds_count"},
       "1.16 or earlier"},
  };
  for (const auto& c : cases) EXPECT_EQ(ToString(DetectRelease(With(c.metrics))), c.release);
}

/// The names that queries/release.promql asks for; its one pattern is written out here.
std::vector<std::string> AskedNames() {
  std::ifstream in(SCHEDLENS_SOURCE_DIR "/queries/release.promql");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t from = text.find("=~\"") + 3;
  const std::regex pattern(text.substr(from, text.find('"', from) - from));
  std::vector<std::string> names;
  for (const kube::MetricRow& row : kube::MetricTable()) {
    for (const std::string& name : {std::string(row.name), CountOf(row.id)}) {
      if (std::regex_match(name, pattern)) names.push_back(name);
    }
  }
  return names;
}

TEST(DetectReleaseTest, TheQueryAsksForMetricsOfTheTableByTheirSeries) {
  std::ifstream in(SCHEDLENS_SOURCE_DIR "/queries/release.promql");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bars = std::count(text.begin(), text.end(), '|');
  // One alternation stands inside a name: predicate or preemption.
  EXPECT_EQ(static_cast<std::ptrdiff_t>(AskedNames().size()), bars + 1)
      << "a name that the table does not have, or one asked for twice";
  for (const std::string& name : AskedNames()) {
    const kube::MetricRow& row = *kube::FindMetric(name);
    EXPECT_EQ(name.ends_with("_count"), row.kind == kube::MetricKind::kHistogram) << name;
    EXPECT_TRUE(!AlwaysShown(row) || row.id == kube::Metric::kBuildInfo) << name;
  }
}

TEST(DetectReleaseTest, EveryReleaseIsAmongThoseThatItsMetricsFit) {
  for (int minor = kube::kOldestRelease; minor <= kube::kNewestRelease; ++minor) {
    std::vector<std::string> shown;
    for (const std::string& name : AskedNames()) {
      const kube::MetricRow& row = *kube::FindMetric(name);
      const bool visible = PresenceIn(row, minor) == kube::Presence::kVisible;
      if (visible && row.id != kube::Metric::kBuildInfo) shown.push_back(name);
    }
    const ReleaseRange release = DetectRelease(With(shown));
    EXPECT_LE(release.oldest, minor) << ToString(release);
    EXPECT_GE(release.newest, minor) << ToString(release);
    EXPECT_TRUE(release.newest == kube::kNoEnd || release.newest - release.oldest <= 4)
        << ToString(release);
  }
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
