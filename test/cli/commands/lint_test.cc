#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/process.h"
#include "cli/run_main.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;

constexpr char kRules[] =
    "groups:\n"
    "- name: g\n"
    "  rules:\n"
    "  - alert: Slow\n"
    "    expr: histogram_quantile(0.99, sum by (job) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3\n"
    "    for: 1m\n";

TEST(LintCommandTest, FindsMendsAndExitsWith3) {
  const TempDir dir;
  const std::string rules = dir.Write("rules.yaml", kRules);
  const std::string fixed = dir / "mended.yaml";
  const Ran ran =
      RunMain({"lint", rules, "--release", "1.26", "--mended", fixed, "--move-thresholds"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("rules.yaml:5 Slow: error: missing-le"));
  EXPECT_THAT(ran.out, HasSubstr("1 rule checked, 4 findings"));
  const RuleFile file = ParseRuleFile(ReadAll(fixed), fixed);
  EXPECT_EQ(file.rules[0].expr,
            "histogram_quantile(0.99, sum by (job, le) "
            "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m]))) > 4.096");
}

// MetricsQL is no fault in the rules of VictoriaMetrics's operator.
TEST(LintCommandTest, LeavesMetricsQlOfVictoriaMetricsAlone) {
  const std::string rest =
      "spec:\n  groups:\n  - name: g\n    rules:\n    - record: a\n      expr: WITH (w = 5m) "
      "rate(scheduler_schedule_attempts_total[w])\n";
  const Ran victoria =
      RunMain({"lint", "-"}, "apiVersion: operator.victoriametrics.com/v1beta1\n" + rest);
  EXPECT_EQ(victoria.code, 0) << victoria.out;
  EXPECT_THAT(victoria.out, HasSubstr("0 findings"));
  const Ran prometheus = RunMain({"lint", "-"}, "apiVersion: monitoring.coreos.com/v1\n" + rest);
  EXPECT_THAT(prometheus.out, HasSubstr("error: syntax"));
}

TEST(LintCommandTest, OneFileThatHoldsNoRulesStopsNoOther) {
  const TempDir dir;
  const std::string other =
      dir.Write("kustomization.yaml", "kind: Kustomization\nresources: [a]\n");
  const std::string rules = dir.Write("rules.yaml", kRules);
  const Ran both = RunMain({"lint", other, rules, dir / "gone.yaml"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.out, HasSubstr("rules.yaml:5 Slow: error: missing-le"));
  EXPECT_THAT(both.err, HasSubstr("kustomization.yaml:1: expected a rule file"));
  EXPECT_THAT(both.err, HasSubstr("gone.yaml: No such file"));
  const Ran mended = RunMain({"lint", other, rules, "--in-place", "--release", "1.26"});
  EXPECT_EQ(mended.code, 2);
  EXPECT_THAT(mended.err, HasSubstr("--in-place: nothing is written"));
  EXPECT_EQ(ReadAll(rules), kRules);
  EXPECT_EQ(RunMain({"lint", other}).out, "");
}

// What one file records is there for the rules of the others.
TEST(LintCommandTest, KnowsWhatTheOtherFilesRecord) {
  const TempDir dir;
  const std::string uses =
      dir.Write("uses.yaml",
                "groups: [{name: g, rules: [{alert: A, expr: scheduler_own_share * "
                "scheduler_pending_pods > 1}]}]\n");
  const std::string makes = dir.Write(
      "makes.yaml", "groups: [{name: g, rules: [{record: scheduler_own_share, expr: up}]}]\n");
  EXPECT_THAT(RunMain({"lint", uses}).out, HasSubstr("note: foreign-metric"));
  EXPECT_THAT(RunMain({"lint", uses, makes}).out, HasSubstr("0 findings"));
}

// A hundred thousand faults help nobody and take memory: the first ones, and how many there are.
TEST(LintCommandTest, ListsTheFirstFindingsOfAFileAndCountsTheOthers) {
  std::string rules = "groups: [{name: g, rules: [{record: a, expr: up, labels: [1]}";
  for (int i = 0; i < 300; ++i) rules += ", {}";
  rules += "]}]\n";
  const Ran ran = RunMain({"lint", "-"}, rules);
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("error: bad-rule\n  the rule is neither an alert nor a record\n"
                                 "standard input: 401 findings more, not listed\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 rule checked, 601 findings;"));
  const auto json = nlohmann::json::parse(RunMain({"lint", "-", "-o", "json"}, rules).out);
  EXPECT_EQ(json.at("findings").size(), 200u);
  EXPECT_EQ(json.at("findings_left_out"), 401);
  const auto sarif = nlohmann::json::parse(RunMain({"lint", "-", "-o", "sarif"}, rules).out);
  EXPECT_EQ(sarif.at("runs")[0].at("results").size(), 200u);
  EXPECT_EQ(sarif.at("runs")[0].at("properties").at("findings_left_out"), 401);

  // What is not listed decides the exit code too.
  std::string last = "groups:\n- name: g\n  rules:\n";
  const std::string noted = "  - {record: a, expr: scheduler_foreign_total}\n";
  for (int i = 0; i < 250; ++i) last += noted;
  EXPECT_EQ(RunMain({"lint", "-"}, last).code, 0);
  EXPECT_EQ(RunMain({"lint", "-"}, last + "  - {}\n").code, 3);
}

TEST(LintCommandTest, FailOnDecidesTheExitCode) {
  const std::string expr =
      "histogram_quantile(0.99, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m]))) "
      "> 3";
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.20"}).code, 0);
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.20", "--fail-on", "warning"}).code, 3);
  EXPECT_EQ(RunMain({"lint", "--expr", expr, "--release", "1.21", "--fail-on", "never"}).code, 0);
}

TEST(LintCommandTest, WritesJsonAndSarif) {
  const auto json = nlohmann::json::parse(RunMain({"lint", "-", "-o", "json"}, kRules).out);
  EXPECT_EQ(json.at("schema"), "schedlens.lint/1");
  EXPECT_EQ(json.at("mended").size(), 1u);
  for (const auto& finding : json.at("findings")) {
    EXPECT_EQ(finding.at("message_detail").at("text"), finding.at("message"));
    EXPECT_EQ(finding.at("fix_detail").at("text"), finding.at("fix"));
  }
  const auto sarif = nlohmann::json::parse(RunMain({"lint", "-", "-o", "sarif"}, kRules).out);
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const auto& run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("results").size(), json.at("findings").size());
  const auto& place = run.at("results").at(0).at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("region").at("startLine"), 5);
}

/// One expression for each kind of finding, and the release it is judged for.
struct Kind {
  const char* id;
  const char* release;
  const char* expr;
};

constexpr Kind kKinds[] = {
    {"threshold-inside-bucket", "1.20",
     "histogram_quantile(0.99, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m]))) "
     "> 3"},
    {"threshold-over-top", "1.20",
     "histogram_quantile(0.99, sum by (le) (rate(scheduler_binding_duration_seconds_bucket[5m]))) "
     "> 20"},
    {"missing-rate", "1.20",
     "histogram_quantile(0.99, sum by (le) (scheduler_binding_duration_seconds_bucket))"},
    {"missing-le", "1.20",
     "histogram_quantile(0.99, sum(rate(scheduler_binding_duration_seconds_bucket[5m])))"},
    {"short-window", "1.20",
     "histogram_quantile(0.99, sum by (le) "
     "(rate(scheduler_binding_duration_seconds_bucket[20s])))"},
    {"averaged-quantiles", "1.20",
     "avg(histogram_quantile(0.99, rate(scheduler_binding_duration_seconds_bucket[5m])))"},
    {"metric-removed", "1.27",
     "histogram_quantile(0.99, sum by (le, result) "
     "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))"},
    {"metric-hidden", "1.24",
     "histogram_quantile(0.99, sum by (le, result) "
     "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))"},
};

// The fixed file is what Prometheus's own tool accepts, for every kind that is fixed.
TEST(LintCommandTest, PromtoolAcceptsWhatIsFixed) {
  if (RunProgram({"promtool", "--version"}).code != 0) GTEST_SKIP() << "promtool is not installed";
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.id);
    const TempDir dir;
    const std::string rules =
        dir.Write("rules.yaml",
                  std::string("groups:\n- name: g\n  interval: 30s\n  rules:\n  - record: up:sum\n"
                              "    expr: sum(up)\n  - alert: Slow\n    expr: '") +
                      kind.expr + "'\n    for: 1m\n    labels: {severity: page}\n");
    const std::string fixed = dir / "mended.yaml";
    for (const std::vector<std::string>& what :
         {std::vector<std::string>{rules}, {"--expr", kind.expr}}) {
      std::vector<std::string> arguments = {"lint",     "--release", kind.release,
                                            "--mended", fixed,       "--move-thresholds"};
      arguments.insert(arguments.end(), what.begin(), what.end());
      EXPECT_THAT(RunBinary(arguments).out, HasSubstr(kind.id));
      const Finished checked = RunProgram({"promtool", "check", "rules", fixed});
      EXPECT_EQ(checked.code, 0) << checked.out << checked.err << ReadAll(fixed);
      // Nothing is left to fix.
      EXPECT_EQ(RunBinary({"lint", "--release", kind.release, "--fail-on", "warning", fixed}).code,
                0);
    }
  }
}

/// The files of test/data/rules and test/data/lint, and the rules that schedlens itself exports.
std::vector<std::string> RuleFiles(const TempDir& dir) {
  std::vector<std::string> files;
  for (const char* folder : {"rules", "lint/rules", "lint/configmaps", "lint/dashboards"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(SCHEDLENS_TEST_DATA) + "/" + folder)) {
      files.push_back(entry.path());
    }
  }
  files.push_back(dir.Write("exported.yaml", RunMain({"queries", "export"}).out));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The lines of the old file that a diff takes away.
std::vector<int> RemovedLines(const std::string& diff) {
  std::vector<int> removed;
  int line = 0;
  for (const std::string& text : LinesOf(diff)) {
    if (text.rfind("@@ -", 0) == 0) {
      line = std::stoi(text.substr(4));
    } else if (text[0] == '-' && text.rfind("--- ", 0) != 0) {
      removed.push_back(line++);
    } else if (text[0] == ' ') {
      ++line;
    }
  }
  return removed;
}

// Fixing twice changes nothing, every changed line belongs to a finding, and nothing but the
// changed lines differs.
TEST(LintCommandTest, MendsTheUsersOwnFile) {
  const TempDir dir;
  for (const std::string& original : RuleFiles(dir)) {
    SCOPED_TRACE(original);
    const std::string text = ReadAll(original);
    const std::string fixed = dir / "mended.yaml";
    for (const char* thresholds : {"", "--move-thresholds"}) {
      std::vector<std::string> arguments = {"lint", original, "--release", "1.26"};
      if (*thresholds != 0) arguments.push_back(thresholds);
      const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        return RunMain(more);
      };
      const auto json = nlohmann::json::parse(with({"-o", "json", "--mended", fixed}).out);
      const std::string diff = with({"--diff"}).out;
      arguments[1] = fixed;
      EXPECT_EQ(with({"--diff"}).out, "");
      with({"--mended", dir / "again.yaml"});
      EXPECT_EQ(ReadAll(dir / "again.yaml"), ReadAll(fixed));
      for (const int line : RemovedLines(diff)) {
        // The last expression that starts at or before it is one of a finding.
        int start = 0;
        for (const FileRule& rule : ParseRuleFile(text, original).rules) {
          if (rule.line <= line) start = std::max(start, rule.line);
        }
        const auto& findings = json.at("findings");
        EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                                [&](const auto& f) { return f.at("line") == start; }))
            << line << "\n"
            << diff;
      }
    }
  }
}

TEST(LintCommandTest, ADiffIsWhatPatchTakes) {
  if (RunProgram({"patch", "--version"}).code != 0) GTEST_SKIP() << "patch is not installed";
  const TempDir dir;
  for (const std::string& original : RuleFiles(dir)) {
    const std::string copy = dir.Write("copy.yaml", ReadAll(original));
    const std::string diff =
        dir.Write("diff", RunMain({"lint", copy, "--release", "1.26", "--diff"}).out);
    RunMain({"lint", original, "--release", "1.26", "--mended", dir / "mended.yaml"});
    EXPECT_EQ(RunProgram({"patch", "-s", copy, diff}).code, 0);
    EXPECT_EQ(ReadAll(copy), ReadAll(dir / "mended.yaml")) << original;
  }
}

TEST(LintCommandTest, PromtoolAcceptsFixedFiles) {
  if (RunProgram({"promtool", "--version"}).code != 0) GTEST_SKIP() << "promtool is not installed";
  const TempDir dir;
  const std::string plain = std::string(SCHEDLENS_TEST_DATA) + "/rules/plain.yaml";
  RunMain({"lint", plain, "--release", "1.26", "--mended", dir / "mended.yaml"});
  EXPECT_EQ(RunProgram({"promtool", "check", "rules", dir / "mended.yaml"}).code, 0);
  // The groups of an object, as the operator hands them to Prometheus.
  const std::string object = std::string(SCHEDLENS_TEST_DATA) + "/rules/prometheus-rule.yaml";
  RunMain({"lint", object, "--release", "1.26", "--mended", dir / "mended.yaml"});
  const std::string text = ReadAll(dir / "mended.yaml");
  std::string groups;
  for (const std::string& line : LinesOf(text.substr(text.find("spec:\n") + 6))) {
    groups += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
  }
  const Finished checked =
      RunProgram({"promtool", "check", "rules", dir.Write("groups.yaml", groups)});
  EXPECT_EQ(checked.code, 0) << checked.err << groups;
}

TEST(LintCommandTest, NothingToMendIsTheFileAsItIs) {
  const TempDir dir;
  const std::string good = "# good\ngroups:\n- name: g\n  rules:\n  - {alert: A, expr: up == 0}\n";
  const std::string file = dir.Write("good.yaml", good);
  EXPECT_EQ(RunMain({"lint", file, "--mended", file}).code, 0);
  EXPECT_EQ(ReadAll(file), good);
  EXPECT_EQ(RunMain({"lint", file, "--diff"}).out, "");
}

TEST(LintCommandTest, MendsSeveralFilesInPlace) {
  const TempDir dir;
  const std::string bad = dir.Write("bad.yaml", kRules);
  const std::string worse = dir.Write("worse.yaml", "# mine\n" + std::string(kRules));
  const std::string good = dir.Write("good.yaml", "groups: []\n");
  EXPECT_EQ(RunMain({"lint", bad, good, worse, "--release", "1.20", "--in-place"}).code, 3);
  EXPECT_EQ(ReadAll(good), "groups: []\n");
  EXPECT_THAT(ReadAll(bad), HasSubstr("sum by (job, le) (rate"));
  EXPECT_EQ(ReadAll(worse), "# mine\n" + ReadAll(bad));
  EXPECT_EQ(RunMain({"lint", bad, worse, "--release", "1.20", "--diff"}).out, "");
}

// One that cannot be read leaves the others as they are.
TEST(LintCommandTest, NothingIsWrittenAfterAnError) {
  const TempDir dir;
  const std::string bad = dir.Write("bad.yaml", kRules);
  EXPECT_EQ(RunMain({"lint", bad, dir / "missing.yaml", "--in-place"}).code, 1);
  EXPECT_EQ(ReadAll(bad), kRules);
  EXPECT_EQ(RunMain({"lint", bad, bad, "--mended", dir / "out"}).code, 2);
  EXPECT_EQ(RunMain({"lint", "-", "--in-place"}, kRules).code, 2);
  EXPECT_EQ(RunMain({"lint", bad, "--diff", "-o", "json"}).code, 2);
  EXPECT_EQ(dir.Entries(), 1u);
}

TEST(LintCommandTest, TakesReleaseAndScrapeIntervalFromASource) {
  const auto lint = [](const std::string& capture, const std::string& expr) {
    return nlohmann::json::parse(
        RunBinary({"lint", "--expr", expr, "-o", "json", "--capture",
                   std::string(SCHEDLENS_TEST_DATA) + "/captures/" + capture + ".om.gz"})
            .out);
  };
  const std::string e2e =
      "histogram_quantile(0.99, sum by (le, result) "
      "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[20s])))";
  // Scraped every 5 s: 20 s are four scrapes.
  const auto old = lint("healthy-A", e2e);
  EXPECT_EQ(old.at("release"), "1.20");
  EXPECT_EQ(old.at("scrape_interval"), 5);
  EXPECT_TRUE(old.at("findings").empty()) << old;
  const auto newer = lint("apiserver-bind-slow-1.26-A", e2e);
  EXPECT_EQ(newer.at("findings").at(0).at("id"), "metric-hidden") << newer;
  EXPECT_EQ(newer.at("findings").at(0).at("fix"), "scheduler_scheduling_attempt_duration_seconds");
}

TEST(LintCommandTest, ASourceWithoutASchedulerTellsNothing) {
  const TempDir dir;
  const std::string capture =
      dir.Write("m.om", "# TYPE up gauge\nup{job=\"x\"} 1 1\nup{job=\"x\"} 1 6\n# EOF\n");
  const Finished finished = RunBinary({"lint", "--expr", "up", "--capture", capture});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("no kube-scheduler metrics"));
}

// What SARIF 2.1.0 asks of the parts that are written.
TEST(LintCommandTest, SarifKeepsItsSpecification) {
  const TempDir dir;
  std::string yaml = "groups:\n- name: g\n  rules:\n";
  for (const Kind& kind : kKinds) {
    yaml += std::string("  - alert: A\n    expr: '") + kind.expr + "'\n";
  }
  const std::string rules = dir.Write("my rules#1.yaml", yaml);
  const Finished finished = RunBinary({"lint", rules, "-o", "sarif", "--release", "1.27"});
  const auto sarif = nlohmann::json::parse(finished.out);
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const auto& run = sarif.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "schedlens");
  std::set<std::string> ids;
  for (const auto& rule : run.at("tool").at("driver").at("rules")) {
    EXPECT_TRUE(ids.insert(rule.at("id")).second);
    EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
  }
  ASSERT_FALSE(run.at("results").empty());
  for (const auto& result : run.at("results")) {
    EXPECT_TRUE(ids.count(result.at("ruleId")));
    EXPECT_THAT(result.at("level").get<std::string>(), testing::AnyOf("error", "warning", "note"));
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    const auto& place = result.at("locations").at(0).at("physicalLocation");
    EXPECT_THAT(place.at("artifactLocation").at("uri").get<std::string>(),
                HasSubstr("my%20rules%231.yaml"));
    EXPECT_GE(place.at("region").at("startLine"), 1);
  }
}

TEST(LintCommandTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(RunMain({"lint"}).code, 2);
  EXPECT_EQ(RunMain({"lint", "-"}, "groups: 3").code, 2);
  EXPECT_EQ(RunMain({"lint", "/nowhere/rules.yaml"}).code, 1);
  EXPECT_EQ(RunMain({"lint", "--expr", "up", "--release", "newest"}).code, 2);
}

}  // namespace
}  // namespace schedlens
