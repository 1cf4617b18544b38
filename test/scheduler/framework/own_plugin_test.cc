#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "schedlens/sim.h"
#include "scheduler/framework/framework.h"

namespace schedlens {
namespace {

constexpr const char* kObjects = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"a","labels":{"watts":"300"}},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"b","labels":{"watts":"100"}},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"c"},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"p","labels":{"app":"web"}},
   "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}]})";

constexpr const char* kConfiguration =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles: [{plugins: {multiPoint: {enabled: [{name: Watts, weight: 100}]}}}]\n";

class Watts : public SchedulerPlugin {
 public:
  std::optional<std::string> Filter(const PodView& pod, const NodeView& node) const override {
    EXPECT_EQ(pod.Request("cpu"), 1000);
    EXPECT_EQ(pod.Label("app"), "web");
    EXPECT_EQ(node.Allocatable("cpu"), 4000);
    if (!node.Label("watts")) return "node(s) had no meter";
    return std::nullopt;
  }
  std::int64_t Score(const PodView&, const NodeView& node) const override {
    return 1000 - std::stoi(std::string(*node.Label("watts")));
  }
  bool ScalesScores() const override { return true; }
};

TEST(OwnPlugin, FiltersAndScores) {
  const auto placed = PlacePendingPods(kObjects, kConfiguration, "1.26", 1,
                                       {{"Watts", [] { return std::make_unique<Watts>(); }}});
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].pod, "default/p");
  EXPECT_EQ(placed[0].node, "b");
  EXPECT_EQ(placed[0].feasible, 2);
}

TEST(PlacePendingPods, LeavesOutWhatNoSchedulerTries) {
  const auto pod = [](const std::string& name, const std::string& more, const std::string& spec) {
    return R"({"kind":"Pod","metadata":{"name":")" + name + "\"" + more + R"(},"spec":{)" + spec +
           R"("containers":[{"name":"c"}]}})";
  };
  const std::string objects =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"},)"
      R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},)" +
      pod("gated", "", R"("schedulingGates":[{"name":"g"}],)") + "," +
      pod("leaving", R"(,"deletionTimestamp":"2026-11-21T10:00:00Z")", "") + "," +
      pod("other", "", R"("schedulerName":"mine",)") + "," + pod("plain", "", "") + "]}";
  const auto placed = PlacePendingPods(objects, "", "1.30", 1);
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_EQ(placed[0].pod, "default/other");
  EXPECT_EQ(placed[0].message, "no profile is named mine");
  EXPECT_EQ(placed[1].pod, "default/plain");
  EXPECT_EQ(placed[1].node, "a");
}

TEST(OwnPlugin, WithoutItTheConfigurationNamesAPluginThatDoesNotExist) {
  EXPECT_THROW(PlacePendingPods(kObjects, kConfiguration, "1.26", 1), Error);
}

}  // namespace
}  // namespace schedlens
