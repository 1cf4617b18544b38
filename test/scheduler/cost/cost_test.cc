// The cost model piece by piece: the table and its names, warmth, workers, plugin calls, extender
// calls, garbage.

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "scheduler/bed.h"
#include "scheduler/cost/attempt_costs.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::cost {
namespace {

TEST(UnitCosts, EveryUnitHasANameOfItsOwnAndNoFigureIsMissing) {
  std::set<std::string_view> names;
  const UnitCosts units(Release{36}), old(Release{30});
  for (std::size_t i = 0; i < kUnits; ++i) {
    const Unit unit = Unit::At(i);
    EXPECT_TRUE(names.insert(unit.name()).second) << unit.name();
    EXPECT_GT(units[unit].hot_us, 0) << unit.name();
    EXPECT_GT(old[unit].hot_us, 0) << unit.name();
  }
}

TEST(UnitCosts, AReleaseTakesThoseOfTheNearestThatWasMeasured) {
  const std::pair<int, std::string_view> rows[] = {{20, "1.30.14"}, {30, "1.30.14"},
                                                   {33, "1.30.14"}, {34, "1.36.3"},
                                                   {36, "1.36.3"},  {40, "1.36.3"}};
  for (const auto& [minor, measured] : rows) {
    EXPECT_EQ(UnitCosts(Release{minor}).measured(), measured) << minor;
  }
  EXPECT_EQ(UnmeasuredNote(Release{36}), "");
  EXPECT_EQ(UnmeasuredNote(Release{20}),
            "unit costs were measured on 1.30.14 and 1.36.3; 1.20 takes those of 1.30.14");
  EXPECT_FALSE(UnitCosts::Measured("1.26"));
  EXPECT_EQ(UnitCosts::Measured("1.36")->measured(), "1.36.3");
}

TEST(UnitCosts, ScaleWithCoreAndMemory) {
  UnitCosts units(Release{36});
  units.Calibrate(2 * 2.00667, 160.1);
  EXPECT_DOUBLE_EQ(units["filter.NodeResourcesFit"].hot_us, 2 * 0.0973);
  EXPECT_DOUBLE_EQ(units["filter.NodeResourcesFit"].cold_us, 2 * 0.0973 + 0.2356);
}

TEST(Warmth, RunsFromHotToColdOnALogarithmicScale) {
  EXPECT_EQ(Warmth(300, 1000).node, 0);
  EXPECT_EQ(Warmth(100, 0).pod, 0);
  EXPECT_DOUBLE_EQ(Warmth(3000, 8000).node, 1);
  EXPECT_DOUBLE_EQ(Warmth(3000, 8000).pod, 1);
  EXPECT_NEAR(Warmth(948.7, 2828.4).node, 0.5, 1e-4);
  EXPECT_NEAR(Warmth(948.7, 2828.4).pod, 0.5, 1e-4);
  EXPECT_EQ(Warmth(50'000, 1).node, 1);
}

TEST(Workers, TakeChunksAsTheSchedulerDoes) {
  EXPECT_EQ(ChunkOf(1, 16), 1);
  EXPECT_EQ(ChunkOf(100, 16), 7);
  EXPECT_EQ(ChunkOf(5000, 16), 70);
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_EQ(ChunkOf(kMost, 1), 46'340);
  EXPECT_EQ(WorkersFor(kMost, 16), 16);
  EXPECT_EQ(NodesFiltered(kMost, kMost, true, {}), kMost);
  EXPECT_EQ(WorkersFor(0, 16), 1);
  EXPECT_EQ(WorkersFor(5, 16), 5);
  EXPECT_EQ(WorkersFor(5000, 16), 16);
  EXPECT_EQ(WorkersFor(5000, 64), 64);
  // 230 of 500 are wanted: chunks of 22, eleven of them, and each running one goes on.
  EXPECT_EQ(NodesFiltered(500, 230, true, {1, 16}), 264);
  EXPECT_EQ(NodesFiltered(500, 230, true, {4, 16}), 330);
  EXPECT_EQ(NodesFiltered(500, 500, false, {4, 16}), 500);
  EXPECT_EQ(NodesFiltered(240, 230, true, {4, 16}), 240);
}

TEST(Workers, CoresShortenWhatIsSharedOnly) {
  const Labour labour{100, 1600, 5000};
  EXPECT_DOUBLE_EQ(labour.ElapsedUs({1, 16}), 1700);
  EXPECT_DOUBLE_EQ(labour.ElapsedUs({2, 16}), 100 + 800 + 0.32 * 35);
  EXPECT_DOUBLE_EQ(labour.ElapsedUs({16, 16}), 100 + 100 + 0.32 * 35);
  EXPECT_DOUBLE_EQ(labour.ElapsedUs({64, 16}), labour.ElapsedUs({16, 16}));
  EXPECT_LT(labour.ElapsedUs({64, 64}), labour.ElapsedUs({16, 16}));
  const Labour serial{100, 0, 0};
  EXPECT_DOUBLE_EQ(serial.ElapsedUs({16, 16}), 100);
}

// The default plugins of 1.30, which are those of 1.36 but for names that cost nothing here.
struct Fixture {
  explicit Fixture(const PodShape& shape = {})
      : plugins(core::DefaultConfiguration(Release{30}).profiles.front()),
        costs(shape, plugins, UnitCosts(Release{36})) {}
  ProfilePlugins plugins;
  AttemptCosts costs;
};

ClusterWork ClusterOf(int nodes, int pods) {
  ClusterWork out;
  out.nodes = nodes;
  out.pods = pods;
  out.changed_nodes = 1;
  return out;
}

TEST(AttemptCosts, FilterIsCallsTimesWhatACallCosts) {
  const Fixture plain;
  AttemptWork work;
  work.cluster = ClusterOf(100, 1000);
  work.searched = work.evaluated = work.passed = 100;
  const double node = 0.5552 + 0.0124 + 0.0115 + 0.0307 + 0.0973;
  EXPECT_NEAR(plain.costs.Filter(work, {}).parallel_us, 100 * node, 1e-9);
  EXPECT_NEAR(plain.costs.Filter(work, {}).serial_us, 10 + 12 + 1.45, 1e-9);
  // Where an early plugin rejects, later ones are not asked; verdicts and the message cost.
  const PluginRejections rejected[] = {{"NodeUnschedulable", 40, 0}};
  work.rejected = rejected;
  work.passed = 60;
  EXPECT_NEAR(plain.costs.Filter(work, {}).parallel_us,
              100 * (0.5552 + 0.0124) + 60 * (0.0115 + 0.0307 + 0.0973), 1e-9);
  work.passed = 0;
  EXPECT_NEAR(plain.costs.Filter(work, {}).serial_us, 10 + 12 + 1.45 + 45, 1e-9);
}

TEST(AttemptCosts, ScansGoOverAllPodsAndOnlyWhereATermAsksForThem) {
  const ClusterWork cluster = ClusterOf(100, 1000);
  const Fixture plain;
  EXPECT_EQ(plain.costs.PreFilter(cluster).parallel_us, 0);
  EXPECT_EQ(plain.costs.PreScore(cluster).parallel_us, 0);
  PodShape shape;
  shape.affinity = 1;
  EXPECT_NEAR(Fixture(shape).costs.PreFilter(cluster).parallel_us, 55.8, 1e-9);
  shape = {};
  shape.hard_spread = 2;
  EXPECT_NEAR(Fixture(shape).costs.PreFilter(cluster).parallel_us, 48.7, 1e-9);
  shape = {};
  shape.preferred = 3;  // between one term and five
  EXPECT_NEAR(Fixture(shape).costs.PreScore(cluster).parallel_us, (77.1 + 165.4) / 2, 1e-9);
  shape = {};
  shape.soft_host = true;  // pays in Score, for each pod on the node
  EXPECT_EQ(Fixture(shape).costs.PreScore(cluster).parallel_us, 0);
  AttemptWork work;
  work.cluster = cluster;
  work.feasible = 100;
  EXPECT_NEAR(Fixture(shape).costs.Score(work).parallel_us - plain.costs.Score(work).parallel_us,
              100 * (0.0624 + 10 * 0.0186), 1e-9);
}

TEST(AttemptCosts, PodsThatAreThereMakeWorkForAnyPod) {
  const Fixture plain;
  ClusterWork cluster = ClusterOf(100, 1000);
  cluster.with_anti_affinity = 500;
  EXPECT_NEAR(plain.costs.PreFilter(cluster).parallel_us, 500 * 0.1127, 1e-9);
  cluster.with_affinity = 200;
  cluster.with_preferred = 100;
  EXPECT_NEAR(plain.costs.PreScore(cluster).parallel_us, 200 * 0.4921 + 100 * 0.1628, 1e-9);
}

TEST(AttemptCosts, ASnapshotCostsByWhatHasChanged) {
  const Fixture plain;
  ClusterWork cluster = ClusterOf(300, 0);
  const double one = plain.costs.Snapshot(cluster).cpu_us();
  cluster.changed_nodes = 11;
  EXPECT_NEAR(plain.costs.Snapshot(cluster).cpu_us() - one, 8.8, 1e-9);
  cluster.changed_nodes = 1;
  cluster.nodes_came_or_went = true;
  EXPECT_NEAR(plain.costs.Snapshot(cluster).cpu_us() - one, 300 * 0.058, 1e-9);
}

TEST(AttemptCosts, APreemptionCostsByNodesTriedAndPodsThere) {
  PreemptionWork work;
  work.nodes = 500;
  work.dry_run_nodes = work.candidates = 100;
  work.pods = 1000;
  const double cpu = Fixture().costs.Preemption(work).cpu_us();
  EXPECT_NEAR(cpu, 100 * 3.5 + 1000 * 2.6 + 100 * 0.25 + 13.45, 500 * 0.15);
  work.budgets = 10;
  EXPECT_NEAR(Fixture().costs.Preemption(work).cpu_us() - cpu, 3000, 1e-9);
}

TEST(AttemptCosts, PluginTimesAddUpToThePoint) {
  PodShape shape;
  shape.hard_spread = 1;
  const Fixture spread(shape);
  AttemptWork work;
  work.cluster = ClusterOf(100, 1000);
  double us = 0;
  for (const PluginTime& time : spread.costs.TimesAt(ExtensionPoint::kFilter, work)) us += time.us;
  EXPECT_NEAR(us, 0.0124 + 0.0115 + 0.0307 + 0.0973 + 0.0778, 1e-9);
}

TEST(PodShape, CountsTermsAndDefaultConstraints) {
  core::Bed bed(30);
  bed.Node("a", "{kubernetes.io/hostname: a, topology.kubernetes.io/zone: z}");
  const core::Configuration configuration = core::DefaultConfiguration(Release{30});
  const core::Profile& profile = configuration.profiles.front();
  const auto shape = [&](const std::string& spec) {
    const core::SpecId id = bed.Spec("{app: web}", spec);
    return ShapeOf({bed.cluster, core::kNone, id, bed.cluster.spec(id), 30}, profile);
  };
  const std::string term = "{labelSelector: {matchLabels: {app: web}}, topologyKey: zone}";
  const PodShape affine = shape(
      "{affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [" +
      term + ", " + term + "]}}}");
  EXPECT_EQ(affine.affinity, 2);
  EXPECT_EQ(affine.anti_affinity, 0);
  EXPECT_EQ(affine.soft_keys, 0);
  core::Workload service;
  service.namespace_name = bed.cluster.spec(0).namespace_name;
  service.name = bed.cluster.strings().Intern("web");
  service.selector.nothing = false;
  service.selector.requirements = {{bed.cluster.strings().Intern("app"),
                                    core::Operator::kIn,
                                    {bed.cluster.strings().Intern("web")}}};
  bed.cluster.PutWorkload(service);
  const PodShape served = shape("{}");
  EXPECT_EQ(served.soft_keys, 1);
  EXPECT_TRUE(served.soft_host);
}

TEST(FixedCosts, OfAScheduledAttemptAddUpToWhatWasMeasured) {
  using enum Cost;
  const UnitCosts units(Release{36});
  double sum = 0;
  for (const Cost step : {kSnapshot, kFilter, kScore, kSelectHost, kAssume, kReserve, kPermit,
                          kSpawn, kPreBind, kBindClient, kFinish, kPostBind, kEventsApi}) {
    sum += FixedUs(step, units);
  }
  EXPECT_DOUBLE_EQ(sum, 190);
  UnitCosts dearer = units;
  dearer.Set("fixed_per_attempt_us", {380, 380});
  EXPECT_DOUBLE_EQ(FixedUs(kAssume, dearer), 36);
}

// Measured: microseconds a node with 0, 20 and 50 images on it, and with names only.
TEST(FixedCosts, OfExtenderCallsGrowWithWhatIsSent) {
  const UnitCosts units(Release{36});
  const std::tuple<double, bool, double, double> rows[] = {
      {0, false, 65, 19}, {20, false, 111, 26.4}, {50, false, 203, 40.4}, {50, true, 0.355, 1}};
  for (const auto& [images, names, filter, prioritize] : rows) {
    EXPECT_NEAR(ExtenderUs(units, Cost::kExtFilter, 500, images, names), 500 * filter,
                500 * filter * 0.1);
    EXPECT_NEAR(ExtenderUs(units, Cost::kExtPrioritize, 500, images, names), 500 * prioritize,
                500 * prioritize * 0.1);
  }
  EXPECT_EQ(ExtenderUs(units, Cost::kExtFilter, 0, 50, false), 0);
}

// A run of 500 attempts that allocated 256 MB over a live heap of 245 MB made one cycle.
TEST(Garbage, ACycleBeginsWhenAsMuchAsLivesHasBeenAllocated) {
  GarbageCollector collector;
  double pauses = 0;
  for (int i = 0; i < 500; ++i) pauses += collector.Allocate(256e6 / 500, 245e6);
  EXPECT_EQ(pauses, 40);
  EXPECT_NEAR(collector.cpu_us(), 245e6 * 0.62e-3, 1);
}

TEST(Garbage, ACycleTakesAQuarterOfTheCores) {
  GarbageCollector one, two;
  EXPECT_EQ(one.DelayUs(1000, 0, 1), 0);
  one.Allocate(1e8, 1e8);
  two.Allocate(1e8, 1e8);
  EXPECT_NEAR(one.DelayUs(3000, 0, 1), 1000, 1e-6);
  EXPECT_NEAR(two.DelayUs(3000, 0, 2), 0, 1e-6);
  EXPECT_NEAR(two.DelayUs(3000, 3000, 2), 1000, 1e-6);
  // 62 ms of marking end at some time.
  for (int i = 0; i < 100; ++i) one.DelayUs(3000, 0, 1);
  EXPECT_EQ(one.DelayUs(3000, 0, 1), 0);
}

// Measured: 313 KB a plain attempt at 500 nodes, 591 KB at 5,000, 3.7 MB if unschedulable there;
// 766 MB live with 5,000 nodes of 30 pods.
TEST(Garbage, AllocatesAndLivesAsMeasured) {
  EXPECT_NEAR(AllocatedBytes(230, 230), 313e3, 10e3);
  EXPECT_NEAR(AllocatedBytes(500, 500), 591e3, 20e3);
  EXPECT_NEAR(AllocatedBytes(5000, 0), 3.7e6, 0.1e6);
  EXPECT_NEAR(LiveHeapBytes(5000, 150'000), 766e6, 40e6);
}

}  // namespace
}  // namespace schedlens::sim::cost
