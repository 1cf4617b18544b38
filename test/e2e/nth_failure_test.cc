// Twenty commands, each again and again with its n-th allocation, open, write, read, fsync, rename
// or connect failing: it ends with one line and a documented exit code, or as if nothing had
// happened; and no file is there but those that it had or whole ones. Allocations are drawn wider
// and wider apart; with NTH_FAILURE_ALL=1 every one of the first thousand fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "cli/process.h"
#include "cli/replayed_server.h"

namespace schedlens::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFailureScenario =
    "name: small\nkubernetes_version: \"1.26\"\nduration: 240s\n"
    "incident: {start: 120s, end: 240s}\nscrape: {interval: 15s}\n"
    "cluster: {nodes: [{count: 4, cpu: 64, memory: 256Gi}]}\n"
    "workload:\n  rate: 3\n  templates: [{name: web, cpu: 100m, memory: 128Mi, life: "
    "\"u(20,40)\"}]\n  costs: {bind_api: \"ln(0.006,0.5)\"}\n"
    "faults:\n  - {start: 120s, end: 240s, costs: {bind_api: "
    "\"0.9*ln(0.006,0.5)+0.1*ln(4,0.5)\"}}\n";

constexpr const char* kFailureRules =
    "groups:\n  - name: scheduler\n    rules:\n      - alert: Slow\n        expr: "
    "histogram_quantile(0.99, sum by (le) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3\n";

/// A folder's files with their contents, but for when a capture was recorded.
using Files = std::map<std::string, std::string>;

Files FilesOf(const std::string& folder) {
  static const std::regex recorded(" at [-0-9]+T[0-9:.]+Z");
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string content = ReadAll(entry.path());
    const std::size_t head = std::min(content.size(), std::size_t{200});
    content.replace(0, head, std::regex_replace(content.substr(0, head), recorded, ""));
    files[entry.path().filename()] = std::move(content);
  }
  return files;
}

/// What every command starts from; one for all tests of the program.
const Files& Given() {
  static const Files given = [] {
    const TempDir dir;
    dir.Write("s.yaml", kFailureScenario);
    dir.Write("rules.yaml", kFailureRules);
    const auto run = [&](std::vector<std::string> words) {
      for (std::string& word : words) {
        if (word.starts_with("@")) word = dir / word.substr(1);
      }
      const Finished done = RunBinary(words);
      if (done.code != 0) throw std::runtime_error(done.err);
      return done.out;
    };
    run({"simulate", "@s.yaml", "-o", "@m.om.gz"});
    run({"diagnose", "--capture", "@m.om.gz", "--no-cross-check", "--export-json", "@d.json"});
    return FilesOf(dir.path());
  }();
  return given;
}

struct Case {
  const char* name;
  std::vector<std::string> arguments;  ///< `URL` is a server over the same samples

  friend void PrintTo(const Case& command, std::ostream* out) { *out << command.name; }
};

struct Failure {
  const char* call;
  long n;
};

struct Outcome {
  Finished done;
  Files files;
  bool failed = false;  ///< there was an n-th call
};

Outcome Play(const std::vector<std::string>& arguments, const Failure* failure) {
  const TempDir dir, beside;
  for (const auto& [name, content] : Given()) dir.Write(name, content);
  std::vector<std::string> command = {"env", "-C", dir.path()};
  if (failure != nullptr) {
    command.insert(command.end(), {std::string("LD_PRELOAD=") + SCHEDLENS_NTH_FAILURE,
                                   std::string("NTH_FAILURE_CALL=") + failure->call,
                                   "NTH_FAILURE_N=" + std::to_string(failure->n),
                                   "NTH_FAILURE_FILE=" + (beside / "failed")});
  }
  command.push_back(SCHEDLENS_BINARY);
  command.insert(command.end(), arguments.begin(), arguments.end());
  Outcome outcome;
  outcome.done = RunProgram(command, "",
                            {"SCHEDLENS_URL=", "PROMETHEUS_URL=", "COLUMNS=", "SCHEDLENS_CONFIG=",
                             "SCHEDLENS_HTTP_CONFIG=", "SOURCE_DATE_EPOCH=1795226400",
                             "HOME=" + beside.path(), "XDG_CONFIG_HOME=" + beside.path()});
  outcome.files = FilesOf(dir.path());
  outcome.failed = fs::exists(beside / "failed");
  return outcome;
}

std::vector<std::string> LinesOfProgram(const std::string& err) {
  std::vector<std::string> lines;
  std::istringstream in(err);
  for (std::string line; std::getline(in, line);) {
    const bool remark =
        line.starts_with("schedlens: note: ") || line.starts_with("schedlens: warning: ");
    if (line.starts_with("schedlens: ") && !remark) lines.push_back(line);
  }
  return lines;
}

void ExpectEndedWell(const Outcome& now, const Outcome& undisturbed) {
  const Finished& done = now.done;
  ASSERT_EQ(done.signal, 0) << done.err;
  EXPECT_THAT(done.err, testing::Not(testing::HasSubstr("terminate called")));
  for (const auto& [name, content] : now.files) {
    const auto before = Given().find(name);
    const auto after = undisturbed.files.find(name);
    const bool kept = before != Given().end() && before->second == content;
    const bool whole = after != undisturbed.files.end() && after->second == content;
    EXPECT_TRUE(kept || whole) << name << " is neither as before nor whole; " << done.err;
  }
  if (done.code == undisturbed.done.code && done.out == undisturbed.done.out) return;
  EXPECT_THAT(done.code, testing::AnyOf(1, 2, 4, 5, 124)) << done.err;
  EXPECT_EQ(LinesOfProgram(done.err).size(), 1u) << done.err;
}

/// The n that fail: all of a few calls; of allocations, which are many, ever fewer.
long Next(const std::string& call, long n) {
  static const bool all = std::getenv("NTH_FAILURE_ALL") != nullptr;
  if (call != "malloc" || (all && n < 1000)) return n + 1;
  return all ? n + 1 + n / 50 : 1 + n * 5 / 2;
}

class NthFailure : public testing::TestWithParam<Case> {};

TEST_P(NthFailure, EndsWell) {
  std::unique_ptr<ReplayedServer> server;
  std::vector<std::string> arguments = GetParam().arguments;
  const TempDir dir;
  for (std::string& word : arguments) {
    if (word != "URL") continue;
    server = std::make_unique<ReplayedServer>(dir.Write("s.yaml", kFailureScenario));
    server->SetSecond(240);
    word = server->url();
  }
  const Outcome undisturbed = Play(arguments, nullptr);
  ASSERT_THAT(undisturbed.done.code, testing::AnyOf(0, 3)) << undisturbed.done.err;
  for (const char* call : {"open", "write", "read", "fsync", "rename", "connect", "malloc"}) {
    long n = 1;
    for (bool failed = true; failed; n = Next(call, n)) {
      SCOPED_TRACE(std::string(call) + " " + std::to_string(n));
      const Failure failure{call, n};
      const Outcome now = Play(arguments, &failure);
      failed = now.failed;
      ExpectEndedWell(now, undisturbed);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, NthFailure,
    testing::Values(
        Case{"diagnose", {"diagnose", "--capture", "m.om.gz"}},
        Case{"diagnose_json", {"diagnose", "--capture", "m.om.gz", "-o", "json"}},
        Case{"diagnose_exports",
             {"diagnose", "--capture", "m.om.gz", "--no-cross-check", "--export-html", "r.html",
              "--export-json", "r.json", "--export-markdown", "r.md"}},
        Case{"diagnose_scenario", {"diagnose", "--scenario", "s.yaml", "--lang", "zh"}},
        Case{"diagnose_against",
             {"diagnose", "--capture", "m.om.gz", "--no-cross-check", "--against", "d.json"}},
        Case{"report", {"report", "d.json", "-o", "html"}},
        Case{"quantile",
             {"quantile", "scheduler_scheduling_attempt_duration_seconds", "--capture", "m.om.gz"}},
        Case{"compare",
             {"compare", "scheduler_scheduling_algorithm_duration_seconds",
              "scheduler_scheduling_attempt_duration_seconds", "--capture", "m.om.gz"}},
        Case{"doctor", {"doctor", "--capture", "m.om.gz", "-o", "json"}},
        Case{"query",
             {"query", "rate(scheduler_schedule_attempts_total[1m])", "--capture", "m.om.gz",
              "--window", "2m", "--step", "30s"}},
        Case{"explain", {"explain", "bind.extender"}},
        Case{"lint", {"lint", "rules.yaml", "--release", "1.26", "--diff"}},
        Case{"lint_in_place", {"lint", "rules.yaml", "--release", "1.26", "--in-place"}},
        Case{"queries", {"queries", "list"}}, Case{"man", {"man"}},
        Case{"completion", {"completion", "bash"}},
        Case{"simulate", {"simulate", "s.yaml", "-o", "o.om.gz", "--truth", "t.csv"}},
        Case{"whatif",
             {"whatif", "--capture", "m.om.gz", "--set", "bind.request=baseline", "--baseline",
              "auto"}},
        Case{"capture", {"capture", "--capture", "m.om.gz", "--out", "c.om"}},
        Case{"query_live",
             {"query", "sum(scheduler_schedule_attempts_total)", "--prometheus", "URL"}}),
    [](const auto& command) { return std::string(command.param.name); });

}  // namespace
}  // namespace schedlens::test
