#include <gmock/gmock.h>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/cluster.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::kNow;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr double kSeenBinds = 900;

const Pairs kBinding = {{"verb", "POST"}, {"resource", "pods"}, {"subresource", "binding"}};

TimeBreakdown Scheduler(double extender_binds = 0) {
  TimeBreakdown breakdown;
  breakdown.window = kNow;
  breakdown.bind_ok.count = kSeenBinds;
  breakdown.points[kube::ExtensionPoint::kBind].count = kSeenBinds;
  breakdown.seconds[kube::Stage::kBindPlugins] = kSeenBinds;
  breakdown.extender_binds = extender_binds;
  return breakdown;
}

void AddServer(test::Cluster* cluster, const std::string& instance, double bindings,
               const std::string& job = "apiserver") {
  cluster->AddCalls("bindings", "apiserver_request_duration_seconds", kBinding, bindings, 0.01, 0.5,
                    job, instance);
}

struct Around {
  ControlPlaneSeen seen;
  std::vector<Message> others;
};

Around Look(const test::Cluster& cluster, const TimeBreakdown& breakdown) {
  const auto path = MeasureBindingPath(cluster.facts(), breakdown, LimiterSplit{}, true);
  return {LookAround(cluster.facts(), breakdown, path, std::nullopt),
          path ? WhoElseBinds(*path, breakdown) : std::vector<Message>()};
}

std::vector<std::string> Said(const std::vector<Message>& all) {
  std::vector<std::string> out;
  for (const Message& one : all) out.push_back(InEnglish(one));
  return out;
}

TEST(LookAroundTest, TellsServersByWhatTheyExposeAndNotByTheirJob) {
  test::Cluster cluster;
  AddServer(&cluster, "1", kSeenBinds / 3, "control-plane");
  AddServer(&cluster, "2", 2 * kSeenBinds / 3, "control-plane");
  const auto [seen, others] = Look(cluster, Scheduler());
  EXPECT_EQ(seen.apiserver.seen, 2);
  EXPECT_EQ(seen.apiserver.instances.low, 2);
  EXPECT_FALSE(seen.apiserver.instances.high) << "nobody counted those elsewhere";
  ASSERT_EQ(seen.apiserver.servers.size(), 2u);
  EXPECT_EQ(seen.apiserver.servers[0].instance, "2");
  EXPECT_EQ(seen.apiserver.covered->high, 1);
  EXPECT_THAT(Said(seen.apiserver.missing),
              Contains(HasSubstr("apiserver_request_sli_duration_seconds")));
  EXPECT_TRUE(others.empty());
}

TEST(LookAroundTest, OneOfThreeServersIsToldByItsCounts) {
  test::Cluster cluster;
  AddServer(&cluster, "1", kSeenBinds / 3);
  const TimeBreakdown scheduler = Scheduler();
  const auto [seen, others] = Look(cluster, scheduler);
  EXPECT_EQ(seen.apiserver.instances.value, 3);
  EXPECT_EQ(seen.apiserver.instances.low, 2);
  EXPECT_THAT(Said(seen.apiserver.missing), Contains(HasSubstr("1 of about 3 API servers")));
  const auto path = MeasureBindingPath(cluster.facts(), scheduler, LimiterSplit{}, true);
  EXPECT_TRUE(path->some_missing);
  EXPECT_EQ(path->apiserver.high, path->request.high) << "the others may have had all the rest";
  EXPECT_NEAR(path->apiserver.low, kSeenBinds / 3 * 0.5, 0.1 * kSeenBinds / 3);
  EXPECT_NEAR(path->apiserver.value, kSeenBinds * 0.5, 1e-6) << "the others are taken to be alike";
}

TEST(LookAroundTest, AServerThatAnsweredNoBindingIsNotTheSchedulers) {
  test::Cluster cluster;
  cluster.AddCalls("requests", "apiserver_request_duration_seconds",
                   {{"verb", "DELETE"}, {"resource", "pods"}}, 100, 0.1, 0.1);
  const auto [seen, others] = Look(cluster, Scheduler());
  EXPECT_EQ(seen.apiserver.seen, 1);
  EXPECT_THAT(Said(seen.apiserver.missing), Contains(HasSubstr("answered bindings")));
}

TEST(LookAroundTest, NothingThereIsSaidOfEach) {
  const auto [seen, others] = Look(test::Cluster(), Scheduler());
  EXPECT_EQ(seen.apiserver.seen + seen.etcd.seen + seen.kube_state_metrics.seen, 0);
  for (const ComponentSeen* one : {&seen.apiserver, &seen.etcd, &seen.kube_state_metrics}) {
    EXPECT_EQ(one->missing.size(), 1u);
  }
}

TEST(WhoElseBindsTest, AnExtenderOrAnotherClient) {
  test::Cluster cluster;
  AddServer(&cluster, "1", 2 * kSeenBinds);
  EXPECT_THAT(Said(Look(cluster, Scheduler(kSeenBinds)).others),
              Contains(HasSubstr("an extender")));
  EXPECT_THAT(Said(Look(cluster, Scheduler()).others), Contains(HasSubstr("another client")));
}

}  // namespace
}  // namespace schedlens
