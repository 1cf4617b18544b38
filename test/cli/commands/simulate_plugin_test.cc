// `simulate --plugin`, and plugins that a configuration names without their code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

std::string Library(const std::string& name) {
  return std::string(SCHEDLENS_TEST_PLUGINS) + "/" + name + ".so";
}

// The plugin of all_points.cc acts on pods of that name.
std::string Scenario(const std::string& pods) {
  return "{name: x, kubernetes_version: '1.30', duration: 20s, incident: {start: 5s, end: 15s}, "
         "cluster: {nodes: [{count: 5}]}, workload: {rate: 1, templates: [{name: " +
         pods + "}]}}";
}

TEST(SimulatePlugin, ActsAtEveryPoint) {
  const TempDir dir;
  const struct {
    const char* pods;
    const char* shows;  // of the first pod
  } rows[] = {
      {"gated", "pending after 0 attempts"},
      {"prefilter", "       5  AllPoints: refused at prefilter"},
      {"filter", "       5  AllPoints: refused at filter"},
      {"reserve", "AllPoints at Reserve: refused at reserve"},
      {"permit", "AllPoints at Permit: refused at permit"},
      {"prebind", "Attempt 1 at 2.792 s: error"},
      {"waiter", "scheduled after 2.00"},
      // 0.5 at PreFilter, 5 x 10 ms on two cores at Filter and Score, 1 at PreBind
      {"slow", "scheduled after 1.55"},
      {"plain", "5 of 5 nodes fit"},
  };
  for (const auto& row : rows) {
    const std::string file = dir.Write("s.yaml", Scenario(row.pods));
    const Ran ran = RunMain({"simulate", file, "--plugin", Library("all_points"), "--why",
                             std::string(row.pods) + "-000001"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(row.shows)) << row.pods;
  }
}

TEST(SimulatePlugin, IsInThePluginsMetric) {
  const TempDir dir;
  std::string scenario = Scenario("plain");
  scenario.replace(scenario.find("rate: 1"), 7, "rate: 20");  // one attempt in ten is sampled
  const Ran ran = RunMain(
      {"simulate", dir.Write("s.yaml", scenario), "--plugin", Library("all_points"), "-o", "-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("plugin=\"AllPoints\""), std::string::npos);
}

TEST(SimulatePlugin, MeetsBadLibrariesWithOneLine) {
  const TempDir dir;
  const std::string text = dir.Write("text.so", "not a library");
  const struct {
    std::string file;
    int code;
    const char* why;
  } rows[] = {
      {Library("nowhere"), 1, "No such file"},
      {text, 1, text.c_str()},
      {Library("empty"), 2, "does not export schedlens_plugin_abi"},
      {Library("no_entry"), 2, "does not export schedlens_plugins"},
      {Library("old_abi"), 2, "built for plugin ABI 999, this schedlens has 1"},
  };
  for (const auto& row : rows) {
    const Ran ran = RunMain({"simulate", "healthy", "--plugin", row.file});
    EXPECT_EQ(ran.code, row.code) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(row.why));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  const Ran twice = RunMain({"simulate", "healthy", "--plugin", Library("all_points"), "--plugin",
                             Library("all_points")});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("two plugins have the name `AllPoints`"));
  const Ran threw = RunMain(
      {"simulate", dir.Write("s.yaml", Scenario("thrower")), "--plugin", Library("all_points")});
  EXPECT_EQ(threw.code, 1);
  EXPECT_THAT(threw.err, HasSubstr("plugin `AllPoints` threw at Filter: no such thing"));
}

TEST(SimulatePlugin, NamesWithoutCodeCostWhatIsDeclaredOrADefault) {
  const TempDir dir;
  const auto scenario = [&](const std::string& plugins) {
    return dir.Write("c.yaml",
                     "{kubernetes_version: '1.30', duration: 20s, incident: {start: 5s, end: 15s}, "
                     "cluster: {nodes: [{count: 5}]}, workload: {rate: 1}, scheduler: {" +
                         plugins +
                         "configuration: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                         "KubeSchedulerConfiguration, profiles: [{plugins: {multiPoint: {enabled: "
                         "[{name: Mine}]}, filter: {enabled: [{name: NodePort}]}}}]}}}");
  };
  const Ran undeclared = RunMain({"simulate", scenario(""), "--why", "web-000001"});
  EXPECT_EQ(undeclared.code, 0) << undeclared.err;
  EXPECT_THAT(undeclared.err, HasSubstr("warning: plugin `Mine` is not in-tree"));
  EXPECT_THAT(undeclared.err, HasSubstr("did you mean `NodePorts`?"));
  const Ran declared =
      RunMain({"simulate", scenario("plugins: {Mine: {permitWait: 3s}, NodePort: {filter: 1us}}, "),
               "--why", "web-000001"});
  EXPECT_EQ(declared.err, "");
  EXPECT_THAT(declared.out, HasSubstr("scheduled after 3.0"));
  const Ran wrong = RunMain({"simulate", scenario("plugins: {Mine: {fliter: 1us}}, ")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("unknown extension point `fliter`"));
}

}  // namespace
}  // namespace schedlens
