#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kObjects = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}},
  {"kind":"Pod","metadata":{"name":"old","namespace":"shop"},"spec":{"nodeName":"a","containers":[
   {"name":"c","resources":{"requests":{"cpu":"3"}}}]},"status":{"phase":"Running"}},
  {"kind":"Pod","metadata":{"name":"new","namespace":"shop"},"spec":{"containers":[
   {"name":"c","resources":{"requests":{"cpu":"2"}}}]},"status":{"phase":"Pending"}},
  {"kind":"Pod","metadata":{"name":"wide","namespace":"shop"},"spec":{"containers":[
   {"name":"c","resources":{"requests":{"cpu":"5"}}}]},"status":{"phase":"Pending"}}]})";

constexpr const char* kPod =
    "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    resources:\n"
    "      requests: {cpu: 1500m}\n";

TEST(SimulatePod, ExplainsPodsOfRealObjectsWithoutAScenario) {
  const TempDir dir;
  const std::string pods = dir.Write("pods.json", kObjects);
  const Ran placed = RunMain({"simulate", "--pods", pods, "--why", "shop/new"});
  EXPECT_EQ(placed.code, 0) << placed.err;
  EXPECT_THAT(placed.out, StartsWith("shop/new: bound to b after 1 attempt (cluster, "));
  EXPECT_THAT(placed.out, HasSubstr("       1  NodeResourcesFit: Insufficient cpu\n          a\n"));
  const Ran waits = RunMain({"simulate", "--pods", pods, "--why", "shop/wide"});
  EXPECT_THAT(waits.out, HasSubstr("       2  NodeResourcesFit: Insufficient cpu\n"));
  const Ran ran = RunMain({"simulate", "--pods", pods, "--why", "shop/old"});
  EXPECT_THAT(ran.out, HasSubstr("ran on a from the start"));
  const Ran json = RunMain({"simulate", "--pods", pods, "--why", "shop/new", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"schema\": \"schedlens.why/1\""));
  EXPECT_THAT(json.out, HasSubstr("\"node\": \"b\""));
}

TEST(SimulatePod, ExplainsPodsOfAScenarioByTheirShortName) {
  const Ran ran = RunMain({"simulate", "healthy", "--why", "web-000003"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("default/web-000003: "));
  EXPECT_THAT(ran.out, HasSubstr("50 of 50 nodes fit"));
}

TEST(SimulatePod, CountsWhatStillFits) {
  const TempDir dir;
  const std::string pods = dir.Write("pods.json", kObjects);
  const std::string pod = dir.Write("pod.yaml", kPod);
  const Ran text = RunMain({"simulate", "--pods", pods, "--fit", pod});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("default/p: 2 more fit (cluster, "));
  EXPECT_THAT(text.out, HasSubstr("2 pods that wait for a node were left out."));
  const Ran json = RunMain({"simulate", "--pods", pods, "--fit", pod, "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"count\": 2"));
  // Later the scenario's own pods have taken their room.
  const std::string scenario =
      dir.Write("s.yaml",
                "{duration: 20s, incident: {start: 1s, end: 2s}, cluster: {nodes: "
                "[{count: 2, cpu: 4}]}, workload: {rate: 5, templates: [{cpu: 1}]}}");
  EXPECT_THAT(RunMain({"simulate", scenario, "--fit", pod}).out, HasSubstr(": 4 more fit"));
  EXPECT_THAT(RunMain({"simulate", scenario, "--fit", pod, "--fit-at", "20s"}).out,
              HasSubstr(": 0 more fit"));
}

TEST(SimulatePod, MeetsBadInputWithOneLine) {
  const TempDir dir;
  const std::string pods = dir.Write("pods.json", kObjects);
  const std::string pod = dir.Write("pod.yaml", kPod);
  const std::string bad = dir.Write("bad.yaml",
                                    "kind: Pod\nspec:\n  containers:\n  - name: c\n"
                                    "    resources: {requests: {cpu: one}}\n");
  const struct {
    std::vector<std::string> arguments;
    const char* why;
  } rows[] = {
      {{"simulate", "--pods", pods, "--why", "shop/nwe"}, "close names: shop/new"},
      {{"simulate", "--why", "web-000001"}, "needs a scenario"},
      {{"simulate", "--pods", pods}, "needs a scenario"},
      {{"simulate", "--pods", pods, "--fit", bad}, "bad.yaml:5: "},
      {{"simulate", "--pods", pods, "--fit", pod, "-o", "out.om"}, "-o is text or json"},
      {{"simulate", "--pods", pods, "--fit", pod, "--why", "shop/new"}, "--why"},
      {{"simulate", "healthy", "--fit-at", "3s"}, "--fit"},
  };
  for (const auto& row : rows) {
    const Ran ran = RunMain(row.arguments);
    EXPECT_EQ(ran.code, 2) << row.why;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(row.why));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_EQ(RunMain({"simulate", "--pods", pods, "--fit", "/nowhere.yaml"}).code, 1);
}

}  // namespace
}  // namespace schedlens
