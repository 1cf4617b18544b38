#include "scheduler/framework/configuration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "schedlens/error.h"
#include "scheduler/cluster/objects_json.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

std::string Text(const std::vector<PluginRef>& plugins) {
  std::string out;
  for (const PluginRef& p : plugins) {
    out += p.weight > 0 ? fmt::format("{}({}) ", p.name, p.weight) : p.name + " ";
  }
  return out;
}

std::string Head(const char* version) {
  return fmt::format(
      "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\n", version);
}

TEST(Configuration, DefaultScoresOfEachRelease) {
  const struct {
    int minor;
    const char* scores;
  } cases[] = {
      {20,
       "NodeResourcesBalancedAllocation(1) ImageLocality(1) InterPodAffinity(1) "
       "NodeResourcesLeastAllocated(1) NodeAffinity(1) NodePreferAvoidPods(10000) "
       "PodTopologySpread(2) TaintToleration(1) "},
      {26,
       "TaintToleration(3) NodeAffinity(2) NodeResourcesFit(1) VolumeBinding(1) "
       "PodTopologySpread(2) InterPodAffinity(2) NodeResourcesBalancedAllocation(1) "
       "ImageLocality(1) "},
  };
  for (const auto& c : cases) {
    const Configuration configuration = DefaultConfiguration(Release{c.minor});
    EXPECT_EQ(Text(configuration.profiles[0].At(ExtensionPoint::kScore)), c.scores);
  }
}

TEST(Configuration, ADisabledDefaultThatIsEnabledAgainGoesToTheEnd) {
  const Configuration configuration = ReadConfiguration(
      Head("v1") +
          "profiles:\n- plugins:\n    score:\n      disabled: [{name: NodeResourcesFit}]\n"
          "      enabled: [{name: NodeResourcesFit, weight: 5}]\n    filter:\n"
          "      disabled: [{name: NodePorts}]\n    postFilter:\n      disabled: [{name: '*'}]\n",
      "c.yaml", std::nullopt);
  const Profile& profile = configuration.profiles[0];
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kScore)),
            "TaintToleration(3) NodeAffinity(2) VolumeBinding(1) PodTopologySpread(2) "
            "InterPodAffinity(2) NodeResourcesBalancedAllocation(1) ImageLocality(1) "
            "NodeResourcesFit(5) ");
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kFilter)).find("NodePorts"), std::string::npos);
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kPostFilter)), "");
}

TEST(Configuration, ReadsExtendersClientAndSeveralProfiles) {
  const Configuration c = ReadConfiguration(
      Head("v1") +
          "clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 200, burst: 400}\n"
          "parallelism: 8\npodMaxBackoffSeconds: 20\n"
          "extenders:\n- {urlPrefix: http://a, filterVerb: f, ignorable: true, httpTimeout: "
          "200ms}\n"
          "- {urlPrefix: http://b, prioritizeVerb: p, weight: 3, managedResources: "
          "[{name: example.com/gpu, ignoredByScheduler: true}]}\n"
          "profiles:\n- schedulerName: default-scheduler\n- schedulerName: no-scoring-scheduler\n"
          "  plugins:\n    preScore: {disabled: [{name: '*'}]}\n    score: {disabled: [{name: "
          "'*'}]}\n",
      "c.yaml", Release{30});
  EXPECT_EQ(c.client_qps, 200);
  EXPECT_EQ(c.client_burst, 400);
  EXPECT_EQ(c.parallelism, 8);
  ASSERT_EQ(c.extenders.size(), 2U);
  EXPECT_EQ(c.extenders[0].url_prefix, "http://b") << "ignorable ones come last";
  EXPECT_EQ(c.extenders[1].http_timeout_seconds, 0.2);
  ASSERT_EQ(c.profiles.size(), 2U);
  EXPECT_TRUE(c.profiles[1].At(ExtensionPoint::kScore).empty());
}

TEST(Configuration, MultiPointEnablesAUsersPluginEverywhere) {
  const Configuration c = ReadConfiguration(
      Head("v1beta3") +
          "profiles:\n- plugins:\n    multiPoint:\n      enabled: [{name: MyPlugin}]\n",
      "c.yaml", std::nullopt, {"MyPlugin"});
  for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kScore}) {
    EXPECT_NE(Text(c.profiles[0].At(point)).find("MyPlugin"), std::string::npos);
  }
}

TEST(Configuration, MistakesNameTheLineAndTheNearestName) {
  const std::string added_affinity =
      "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n"
      "    args: {addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [";
  const struct {
    std::string yaml;
    const char* says;
  } cases[] = {
      {"a: [", "c.yaml:"},
      {"kind: Pod", "kind must be KubeSchedulerConfiguration"},
      {Head("v1alpha1"), "is not supported"},
      {Head("v2"), "c.yaml:1: apiVersion `kubescheduler.config.k8s.io/v2` is not supported"},
      {Head("v1") + "percentageOfNodesToScor: 5\n",
       "c.yaml:3: unknown key `percentageOfNodesToScor`, did you mean "
       "`percentageOfNodesToScore`?"},
      {Head("v1") + "percentageOfNodesToScore: 500\n",
       "c.yaml:3: `percentageOfNodesToScore` is 500, it must lie in 0..100"},
      {Head("v1") + "parallelism: -1\n",
       "c.yaml:3: `parallelism` is -1, it must lie in 1..1000000"},
      {Head("v1") + "parallelism: 16\nparallelism: 8\n", "c.yaml:4: "},
      {Head("v1") + "podInitialBackoffSeconds: 20\n", "podMaxBackoffSeconds (10) is below"},
      {Head("v1") +
           "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: ImageLocalty\n",
       "plugin `ImageLocalty` does not exist in 1.26, did you mean `ImageLocality`?"},
      {Head("v1") + "profiles:\n- plugins:\n    filter: {enabled: [{name: ImageLocality}]}\n",
       "does not implement this extension point"},
      {Head("v1") + "extenders:\n- {urlPrefix: http://a, fliterVerb: f}\n",
       "extenders[0]: unknown key `fliterVerb`, did you mean `filterVerb`?"},
      {Head("v1") + "extenders:\n- {filterVerb: f}\n", "needs a urlPrefix"},
      {Head("v1") + "profiles: [{schedulerName: a}, {schedulerName: a}]\n",
       "two profiles have the name `a`"},
      {Head("v1") + added_affinity + "{weight: 500}]}}\n",
       "c.yaml:6: profiles[0].pluginConfig[0].args.addedAffinity: "
       "preferredDuringSchedulingIgnoredDuringExecution[0]: `weight` is 500, it must lie in "
       "1..100"},
      {Head("v1") + added_affinity + "{weight: 5, preference: {matchFields: [{key: [a]}]}}]}}\n",
       "args.addedAffinity: `key` must be a string"},
      {Head("v1") + added_affinity + "{weight: 5, preference: {matchFeilds: []}}]}}\n",
       "c.yaml:6: profiles[0].pluginConfig[0].args.addedAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution[0].preference: unknown key `matchFeilds`, "
       "did you mean `matchFields`?"},
      {Head("v1") + added_affinity + "{weight: 5, weight: 6}]}}\n", "c.yaml:6: "},
  };
  for (const auto& c : cases) {
    try {
      ReadConfiguration(c.yaml, "c.yaml", std::nullopt);
      ADD_FAILURE() << c.yaml;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(c.says), std::string::npos) << error.what();
    }
  }
}

Configuration FromFile(const std::string& name) {
  const std::string path = std::string(SCHEDLENS_TEST_DATA) + "/configurations/" + name;
  return ReadConfiguration(ReadFile(path), name, std::nullopt);
}

/// Read as it is found in a cluster of that release.
Configuration AsFound(const std::string& name, int minor, FoundInFile* found) {
  const std::string path = std::string(SCHEDLENS_TEST_DATA) + "/configurations/" + name;
  return ReadConfiguration(ReadFile(path), name, Release{minor}, {}, found);
}

std::string Text(const FoundInFile& found) {
  std::string out;
  for (const OutOfTreePlugin& plugin : found.out_of_tree) {
    out += plugin.name + (plugin.other_release ? " of another release; " : "; ");
  }
  for (const ConfigurationRemark& remark : found.remarks) {
    out += fmt::format("{} {} {}; ", remark.at, static_cast<int>(remark.kind), remark.name);
  }
  return out;
}

TEST(FoundConfiguration, PluginsFromOutsideTheTreeAreKept) {
  FoundInFile found;
  const Configuration c = AsFound("wild-gang-plugins.yaml", 30, &found);
  EXPECT_EQ(Text(found), "Coscheduling; TargetLoadPacking; ");
  EXPECT_EQ(c.client_qps, 150);
  const Profile& profile = c.profiles.at(0);
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kQueueSort)), "Coscheduling ");
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kPermit)), "Coscheduling ");
  EXPECT_NE(Text(profile.At(ExtensionPoint::kScore)).find("NodeResourcesFit(3)"),
            std::string::npos);
  EXPECT_NE(Text(profile.At(ExtensionPoint::kScore)).find("TargetLoadPacking(5)"),
            std::string::npos);
}

TEST(FoundConfiguration, AnAddedAffinityIsReadAsTheRestOfTheFile) {
  FoundInFile found;
  const Configuration c = ReadConfiguration(
      Head("v1") +
          "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args:\n      addedAffinity:\n"
          "        requiredDuringSchedulingIgnoredDuringExecution:\n"
          "          ofTheFuture: 1\n"
          "          nodeSelectorTerms:\n"
          "          - matchexpressions: [{key: disk, operator: Exists, weighs: 2}]\n",
      "c.yaml", Release{30}, {}, &found);
  EXPECT_EQ(c.profiles.at(0).args.added_affinity,
            R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)"
            R"([{"matchExpressions":[{"key":"disk","operator":"Exists"}]}]}})");
  ASSERT_EQ(found.remarks.size(), 2U);
  EXPECT_EQ(found.remarks[0].name, "ofTheFuture");
  EXPECT_EQ(found.remarks[0].at, "c.yaml:9");
  EXPECT_EQ(found.remarks[1].name, "weighs");
}

TEST(FoundConfiguration, AConfigMapAndWhatHelmRendersHoldIt) {
  FoundInFile found;
  const Configuration map = AsFound("wild-configmap.yaml", 22, &found);
  EXPECT_EQ(Text(found), "");
  EXPECT_EQ(map.percentage_of_nodes_to_score, 30);
  EXPECT_EQ(map.extenders.at(0).bind_verb, "bind");
  AsFound("wild-configmap.yaml", 24, &found);
  EXPECT_EQ(Text(found), "NodeResourcesMostAllocated of another release; ");
  found = {};
  const Configuration helm = AsFound("wild-helm-rendered.yaml", 31, &found);
  EXPECT_EQ(Text(found), "GangQueue; ");
  EXPECT_EQ(helm.release.minor, 31);
  EXPECT_EQ(helm.profiles.at(0).args.strategy, ScoringStrategy::kMostAllocated);
}

TEST(FoundConfiguration, APolicyIsItsPluginsAndExtenders) {
  FoundInFile found;
  const Configuration c = AsFound("wild-policy.json", 20, &found);
  EXPECT_EQ(Text(found), "ServiceAffinity; ");
  const Profile& profile = c.profiles.at(0);
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kFilter)),
            "TaintToleration NodeUnschedulable NodePorts NodeResourcesFit VolumeRestrictions "
            "NodeAffinity ServiceAffinity NodeName ");
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kScore)),
            "NodeResourcesLeastAllocated(1) NodeResourcesBalancedAllocation(2) ");
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kBind)), "DefaultBinder ");
  EXPECT_EQ(profile.args.hard_pod_affinity_weight, 10);
  EXPECT_EQ(c.extenders.at(0).http_timeout_seconds, 30);
  EXPECT_EQ(c.extenders.at(0).bind_verb, "bind");
}

// An entry with an argument may have any name.
TEST(FoundConfiguration, APolicysArgumentsSayWhichPluginIsMeant) {
  const std::string policy = R"({"kind": "Policy", "apiVersion": "v1", "predicates": [
    {"name": "InZone", "argument": {"labelsPresence": {"labels": ["zone"], "presence": true}}}],
    "priorities": [
    {"name": "Racks", "weight": 3, "argument": {"serviceAntiAffinity": {"label": "rack"}}},
    {"name": "Packing", "weight": 2, "argument": {"requestedToCapacityRatioArguments": {
      "shape": [{"utilization": 0, "score": 0}, {"utilization": 60, "score": 9}],
      "resources": [{"name": "example.com/gpu", "weight": 4}]}}}],
    "extenders": [{"urlPrefix": "http://e", "filterVerb": "f", "httpTimeout": 5}]})";
  FoundInFile found;
  const Configuration c = ReadConfiguration(policy, "p", Release{20}, {}, &found);
  EXPECT_EQ(Text(found), "NodeLabel; ServiceAffinity; ");
  const Profile& profile = c.profiles.at(0);
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kFilter)),
            "TaintToleration NodeUnschedulable NodeLabel ");
  EXPECT_EQ(Text(profile.At(ExtensionPoint::kScore)),
            "ServiceAffinity(3) RequestedToCapacityRatio(2) ");
  ASSERT_EQ(profile.args.ratio_shape.size(), 2U);
  EXPECT_EQ(profile.args.ratio_shape[1].score, 9);
  ASSERT_EQ(profile.args.ratio_resources.size(), 1U);
  EXPECT_EQ(profile.args.ratio_resources[0].weight, 4);
  EXPECT_EQ(c.extenders.at(0).http_timeout_seconds, 5e-9);

  found = {};
  ReadConfiguration(policy, "p", Release{26}, {}, &found);
  EXPECT_EQ(found.out_of_tree.size(), 0U);
  EXPECT_EQ(found.remarks.size(), 4U);  // no Policy in 1.26, and none of the three plugins
}

TEST(FoundConfiguration, PluginsThatNothingHerePlaysAreOfTheirReleases) {
  for (const auto& [minor, other] : {std::pair{20, false}, std::pair{31, true}}) {
    FoundInFile found;
    ReadConfiguration(
        Head("v1beta1") + "profiles: [{plugins: {filter: {enabled: [{name: ServiceAffinity}]}}}]\n",
        "c", Release{minor}, {}, &found);
    ASSERT_EQ(found.out_of_tree.size(), 1U);
    EXPECT_EQ(found.out_of_tree[0].other_release, other);
    EXPECT_EQ(IsUnplayed("ServiceAffinity", minor), !other);
  }
}

TEST(FoundConfiguration, APolicyBesideAConfigurationCompletesIt) {
  FoundInFile found;
  const Configuration c = AsFound("wild-list.yaml", 18, &found);
  EXPECT_EQ(Text(found), "");
  EXPECT_EQ(c.profiles.at(0).scheduler_name, "storage-scheduler");
  EXPECT_EQ(c.extenders.at(0).url_prefix, "http://storage:8099");
}

// As programs write them out: null for what is not set, words of YAML 1.1, fields of long ago.
TEST(FoundConfiguration, OldFormsAndNullsAreRead) {
  FoundInFile found;
  const Configuration c = AsFound("wild-alpha.yaml", 18, &found);
  EXPECT_EQ(c.pod_max_backoff_seconds, 10);
  EXPECT_EQ(c.client_qps, 50);
  EXPECT_TRUE(c.extenders.at(0).ignorable);
  EXPECT_FALSE(c.extenders.at(0).node_cache_capable);
  EXPECT_EQ(Text(c.profiles.at(0).At(ExtensionPoint::kReserve)).find("GangReserve"),
            std::string::npos);
  EXPECT_EQ(Text(found), "GangQueue; ");
  found = {};
  const Configuration machine = AsFound("wild-machine.yaml", 31, &found);
  EXPECT_EQ(Text(found), "");
  EXPECT_EQ(machine.percentage_of_nodes_to_score, 40);
  const std::string before =
      "apiVersion: componentconfig/v1alpha1\nkind: KubeSchedulerConfiguration\n";
  EXPECT_EQ(ReadConfiguration(before, "c", Release{18}, {}, &found).api_version, "v1alpha1");
  found = {};
  ReadConfiguration(before +
                        "failureDomains: zone,region\nleaderElection:\n"
                        "  lockObjectName: s\n  lockObjectNamespace: kube-system\n",
                    "c", Release{18}, {}, &found);
  EXPECT_EQ(Text(found), "");
}

TEST(FoundConfiguration, WhatIsLeftOutIsSaid) {
  FoundInFile found;
  const Configuration c = AsFound("wild-several.yaml", 30, &found);
  EXPECT_EQ(c.parallelism, 16);
  EXPECT_EQ(Text(found),
            "NodeResourceTopologyMatch; wild-several.yaml:12 4 ; wild-several.yaml:1 3 v1beta3; "
            "wild-several.yaml:7 1 ImageLocality; wild-several.yaml:10 0 newFieldOfTheFuture; ");
  EXPECT_EQ(Text(c.profiles.at(0).At(ExtensionPoint::kFilter)).find("ImageLocality"),
            std::string::npos);
}

TEST(FoundConfiguration, WhatLooksMistypedIsStillAnError) {
  FoundInFile found;
  EXPECT_THROW(ReadConfiguration(Head("v1") + "percentageOfNodesToScor: 5\n", "c", {}, {}, &found),
               Error);
  EXPECT_THROW(ReadConfiguration(Head("v1") + "parallelism: many\n", "c", {}, {}, &found), Error);
  EXPECT_THROW(ReadConfiguration("kind: ConfigMap\ndata: {a: b}\n", "c", {}, {}, &found), Error);
  EXPECT_THROW(
      ReadConfiguration("kind: ConfigMap\ndata: {a: 'kind: Policy: ['}\n", "c", {}, {}, &found),
      Error);
}

std::int64_t WeightOf(const Profile& profile, const std::string& plugin) {
  for (const PluginRef& score : profile.At(ExtensionPoint::kScore)) {
    if (score.name == plugin) return score.weight;
  }
  return 0;
}

// As users write them: every API version, every kind of section.
TEST(Configuration, FilesOfEveryVersionLoad) {
  const Configuration profiles = FromFile("v1-multiple-profiles.yaml");
  ASSERT_EQ(profiles.profiles.size(), 2u);
  EXPECT_FALSE(profiles.profiles[0].At(ExtensionPoint::kScore).empty());
  EXPECT_TRUE(profiles.profiles[1].At(ExtensionPoint::kScore).empty());
  EXPECT_FALSE(profiles.profiles[1].At(ExtensionPoint::kFilter).empty());

  const Profile weights = FromFile("v1beta2-weights.yaml").profiles[0];
  EXPECT_EQ(WeightOf(weights, "PodTopologySpread"), 0);
  EXPECT_EQ(WeightOf(weights, "ImageLocality"), 2);

  const Configuration ratio = FromFile("v1beta1-capacity-ratio.yaml");
  EXPECT_EQ(ratio.release.minor, 20);
  EXPECT_EQ(WeightOf(ratio.profiles[0], "RequestedToCapacityRatio"), 3);
  EXPECT_EQ(WeightOf(ratio.profiles[0], "NodeResourcesLeastAllocated"), 0);
  EXPECT_EQ(ratio.profiles[0].args.ratio_resources[0].name, "intel.com/foo");

  const PluginArgs fit = FromFile("v1-fit-strategy.yaml").profiles[0].args;
  EXPECT_EQ(fit.strategy, ScoringStrategy::kRequestedToCapacityRatio);
  EXPECT_EQ(fit.fit_shape.back().score, 10);
  EXPECT_EQ(fit.ignored_resources, std::vector<std::string>{"example.com/ignored"});

  const PluginArgs spread = FromFile("v1beta3-spread-defaults.yaml").profiles[0].args;
  EXPECT_FALSE(spread.system_default_constraints);
  ASSERT_EQ(spread.default_constraints.size(), 1u);
  EXPECT_EQ(spread.hard_pod_affinity_weight, 7);
  Strings strings;
  EXPECT_TRUE(ReadNodeAffinity(spread.added_affinity, strings).required.has_value());

  const Configuration extender = FromFile("v1-extender.yaml");
  ASSERT_EQ(extender.extenders.size(), 1u);
  EXPECT_EQ(extender.extenders[0].http_timeout_seconds, 1.5);
  EXPECT_EQ(WeightOf(extender.profiles[0], "ImageLocality"), 4);
  EXPECT_EQ(WeightOf(extender.profiles[0], "PodTopologySpread"), 0);
  EXPECT_EQ(extender.profiles[0].args.ignored_resources,
            std::vector<std::string>{"example.com/gpu"})
      << "NodeResourcesFit ignores what only an extender manages";
}

TEST(Configuration, NodesToFindByClusterSize) {
  const std::pair<int, int> cases[] = {{99, 99},    {100, 100},  {1000, 420},  {3125, 781},
                                       {5000, 500}, {5625, 281}, {10000, 500}, {15000, 750}};
  for (const auto& [nodes, limit] : cases) EXPECT_EQ(NumFeasibleNodesToFind(0, nodes), limit);
  EXPECT_EQ(NumFeasibleNodesToFind(100, 5000), 5000);
  EXPECT_EQ(NumFeasibleNodesToFind(1, 5000), 100);
}

}  // namespace
}  // namespace schedlens::sim::core
