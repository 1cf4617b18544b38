#include "diagnose/control_plane/control_plane_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

class OfARecording : public testing::Test {
 protected:
  static const std::vector<Series>& Recorded() {
    static const std::vector<Series> all =
        ReadExposition(std::string(SCHEDLENS_SOURCE_DIR) +
                           "/examples/incidents/webhook-on-binding/metrics.om.gz",
                       std::nullopt)
            .series;
    return all;
  }

  static ControlPlaneFacts Collected(std::vector<Series> series) {
    testing_support::StoreSource source(std::move(series));
    DiagnoseRequest request;
    for (const Series& one : Recorded()) {
      request.now = std::max(request.now, one.samples.back().t);
    }
    return Investigate(source, QuerySet::Embedded(), request).control_plane;
  }
};

TEST_F(OfARecording, ScrapesAreWhenSamplesWereTaken) {
  std::map<Labels, std::set<TimeMs>> taken;
  for (const Series& series : Recorded()) {
    for (const Sample& sample : series.samples) {
      taken[ProcessLabels(series.labels)].insert(sample.t);
    }
  }
  const ControlPlaneFacts facts = Collected(Recorded());
  EXPECT_GE(facts.scrapes.size(), 3U);
  for (const auto& [process, times] : facts.scrapes) {
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_EQ(std::set<TimeMs>(times.begin(), times.end()).size(), times.size());
    for (const TimeMs t : times) EXPECT_TRUE(taken[process].contains(t)) << process.ToString();
  }
}

TEST_F(OfARecording, OthersMayNameNoClusterWhereTheSchedulerDoes) {
  std::vector<Series> series = Recorded();
  for (Series& one : series) {
    const bool own = one.labels.Get("job").find("scheduler") != std::string_view::npos;
    if (own) one.labels = one.labels.With("cluster", "prod");
  }
  const ControlPlaneFacts facts = Collected(series);
  EXPECT_EQ(facts.cluster, "cluster=\"\"");
  EXPECT_EQ(facts.Of("bindings").size(), Collected(Recorded()).Of("bindings").size());
}

TEST_F(OfARecording, EveryPodHasItsOwnerOnce) {
  const ControlPlaneFacts facts = Collected(Recorded());
  std::set<std::string> owned;
  for (const Series& series : facts.Of("pod_owners")) {
    EXPECT_FALSE(series.labels.Has("uid"));
    if (series.labels.Get("__name__") != "kube_pod_owner") continue;
    EXPECT_EQ(series.labels.Get("owner_kind"), "ReplicaSet");
    const std::string pod(series.labels.Get("pod"));
    EXPECT_TRUE(owned.insert(std::string(series.labels.Get("namespace")) + "/" + pod).second);
  }
  EXPECT_GT(owned.size(), 1000U);
  for (const Series& series : facts.Of("pods")) {
    EXPECT_TRUE(owned.contains(std::string(series.labels.Get("namespace")) + "/" +
                               std::string(series.labels.Get("pod"))));
  }
}

TEST_F(OfARecording, ASecondProcessIsReadBesideTheFirst) {
  std::vector<Series> doubled = Recorded();
  const std::size_t n = doubled.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (doubled[i].labels.Get("job") != "kube-state-metrics") continue;
    Series other = doubled[i];
    other.labels = other.labels.With("instance", "second:8080");
    doubled.push_back(std::move(other));
  }
  const ControlPlaneFacts one = Collected(Recorded()), two = Collected(std::move(doubled));
  EXPECT_EQ(two.scrapes.size(), one.scrapes.size() + 1);
  for (const char* question : {"pods", "pod_owners"}) {
    EXPECT_EQ(two.Of(question).size(), 2 * one.Of(question).size()) << question;
  }
}

}  // namespace
}  // namespace schedlens
