#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/exposition.h"
#include "cli/process.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSmall =
    "name: small\nduration: 30s\nincident: {start: 5s, end: 25s}\n"
    "cluster: {nodes: [{count: 3}]}\nworkload: {rate: 5}\n";

TEST(Simulate, WritesCaptureTruthAndTraceAllTheSameForASeed) {
  const TempDir dir;
  const std::string file = dir.Write("s.yaml", kSmall);
  for (const char* run : {"a", "b"}) {
    const Ran ran = RunMain(
        {"simulate", file, "--seed", "4", "-o", dir / (std::string(run) + ".om.gz"), "--truth",
         dir / (std::string(run) + ".csv"), "--trace", dir / (std::string(run) + ".json")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err,
              "schedlens: note: unit costs were measured on 1.30.14 and 1.36.3; 1.26 takes those "
              "of 1.30.14\n");
  }
  for (const char* ending : {".om.gz", ".csv", ".json"}) {
    EXPECT_EQ(ReadAll(dir / (std::string("a") + ending)),
              ReadAll(dir / (std::string("b") + ending)));
    EXPECT_GT(ReadAll(dir / (std::string("a") + ending)).size(), 1000u);
  }
  const Exposition capture = ReadExposition(dir / "a.om.gz", std::nullopt);
  EXPECT_TRUE(capture.warnings.empty());
  EXPECT_GT(capture.series.size(), 500u);
}

TEST(Simulate, WritesThePartsOfEveryBindingAndScrapesTheControlPlane) {
  const TempDir dir;
  const std::string file = dir.Write("s.yaml", std::string(kSmall) + "apiserver: {}\n");
  const Ran ran =
      RunMain({"simulate", file, "-o", dir / "c.om", "--truth-bindings", dir / "bindings.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string rows = ReadAll(dir / "bindings.csv");
  EXPECT_THAT(rows, StartsWith("end_s,pod,throttle_s,network_s,flowcontrol_s,webhook_s,"
                               "slowest_webhook,admission_s,storage_s,rest_s,audit_s,code\n"));
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 100);
  const std::string capture = ReadAll(dir / "c.om");
  for (const char* job : {"apiserver", "etcd", "kube-state-metrics"}) {
    EXPECT_THAT(capture, HasSubstr(std::string("job=\"") + job + "\""));
  }
  EXPECT_TRUE(ReadExposition(dir / "c.om", std::nullopt).warnings.empty());
}

TEST(Simulate, DashIsStandardOutput) {
  const TempDir dir;
  const Ran ran = RunMain({"simulate", dir.Write("s.yaml", kSmall), "-o", "-"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("# TYPE scheduler_pending_pods gauge\n"));
  EXPECT_THAT(ran.out, testing::EndsWith("# EOF\n"));
}

TEST(Simulate, WithoutAnOutputSaysWhatHappened) {
  const TempDir dir;
  const std::string file = dir.Write("s.yaml", kSmall);
  EXPECT_THAT(RunMain({"simulate", file}).out, StartsWith("small (kube-scheduler 1.26): "));
  EXPECT_THAT(RunMain({"simulate", file, "--summary"}).out,
              StartsWith("{\n  \"schema\": \"schedlens.simulation/1\""));
}

TEST(Simulate, ListsShowsAndExplainsScenarios) {
  EXPECT_THAT(RunMain({"simulate", "--list"}).out, HasSubstr("bind.extender "));
  const Ran shown = RunMain({"simulate", "--show", "healthy"});
  EXPECT_THAT(shown.out, HasSubstr("name: healthy"));
  const TempDir dir;
  EXPECT_EQ(RunMain({"simulate", dir.Write("h.yaml", shown.out)}).code, 0);
  EXPECT_THAT(RunMain({"simulate", "--show-keys"}).out, HasSubstr("`bind_client`"));
}

TEST(Simulate, MeetsBadInputWithOneLine) {
  const TempDir dir;
  const struct {
    std::vector<std::string> arguments;
    const char* why;
  } rows[] = {
      {{"simulate"}, "needs a scenario"},
      {{"simulate", "heathy"}, "did you mean healthy?"},
      {{"simulate", "--show", "heathy"}, "did you mean healthy?"},
      {{"simulate", "healthy", "--severity", "0"}, "--severity"},
      {{"simulate", "healthy", "--kubernetes-version", "1.17"}, "1.18 to 1.37"},
      {{"simulate", "healthy", "--truth-bindings", dir / "b.csv"}, "`apiserver`"},
      {{"simulate", "healthy", "--max-memory", "1Mi"}, "--max-memory"},
      {{"simulate", "healthy", "--max-memory", "lots"}, "expected a size"},
      {{"simulate", "healthy", "--serve", "nowhere:http"}, "expected PORT"},
      {{"simulate", dir.Write("bad.yaml", "cluster: {nodess: []}")}, "bad.yaml:1"},
      {{"simulate", dir.Write("open.yaml", "name: x\ncluster: {nodes: [")}, "open.yaml:2"},
      {{"simulate", dir.Write("key.yaml", "workload:\n  raet: 3")},
       "key.yaml:2: workload: unknown key `raet`, did you mean `rate`?"},
      {{"simulate", dir.Write("neg.yaml", "workload: {rate: -1}")}, "`rate` is -1"},
      {{"simulate", dir.Write("big.yaml", "cluster: {nodes: [{count: 1e12}]}")}, "`count` is"},
      {{"simulate", dir.Write("nan.yaml", "workload: {rate: many}")}, "`rate`"},
      {{"simulate", dir.Write("none.yaml", "cluster: {nodes: []}")}, "cluster.nodes is empty"},
      {{"simulate", dir.Write("zero.yaml", "cluster: {nodes: [{count: 0}]}")},
       "cluster.nodes is empty"},
      {{"simulate", dir.Write("huge.yaml",
                              "cluster: {nodes: [{count: 2}]}\n"
                              "workload: {templates: [{name: huge, cpu: 65}]}")},
       "`huge` is larger than any node"},
      {{"simulate",
        dir.Write("verb.yaml", "cluster: {nodes: [{count: 2}]}\nextenders: [{verbs: [fliter]}]")},
       "verb.yaml:2"},
      {{"simulate",
        dir.Write("plugin.yaml",
                  "cluster: {nodes: [{count: 2}]}\n"
                  "scheduler: {configuration: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                  "KubeSchedulerConfiguration, profiles: [{plugins: {fliter: {}}}]}}")},
       "plugins: unknown key `fliter`, did you mean `filter`?"},
      {{"simulate",
        dir.Write("memory.yaml", "cluster: {nodes: [{count: 100000}]}\nworkload: {rate: 10000}")},
       "more than --max-memory allows"},
      {{"simulate", "healthy", "--nodes", dir.Write("nodes.json", "{\"items\": []}")},
       "no Node in it"},
  };
  for (const auto& row : rows) {
    const Ran ran = RunMain(row.arguments);
    EXPECT_EQ(ran.code, 2) << row.why;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(row.why));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_EQ(RunMain({"simulate", "healthy", "-o", "/nowhere/x.om"}).code, 1);
  const Ran twice = RunMain({"simulate", "healthy", "--truth", dir / "x", "--trace", dir / "./x"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--truth is written to this file"));
}

}  // namespace
}  // namespace schedlens
