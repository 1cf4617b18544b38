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

TEST(OwnPlugin, WithoutItTheConfigurationNamesAPluginThatDoesNotExist) {
  EXPECT_THROW(PlacePendingPods(kObjects, kConfiguration, "1.26", 1), Error);
}

}  // namespace
}  // namespace schedlens
