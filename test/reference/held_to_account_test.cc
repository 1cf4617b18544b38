// The diagnosis held against exact truth: every recording of a real scheduler, and every built-in
// scenario by release, severity and seed, with the incident's window given and found. One table:
// first findings, stage shares, the tail's proven shares, proven quantiles and estimates.
//
// Here a few scenarios at one seed; `test/breakdown` plays all of them over many and keeps the
// table.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "analysis/diagnose/diagnose.h"
#include "model/exposition.h"
#include "reference/judged_table.h"
#include "sim/scenario/scenario.h"
#include "source/capture/local_source.h"

namespace schedlens {
namespace {

using test::AtPart;
using test::Held;
using test::IsCause;
using test::JudgeFindings;
using test::JudgeQuantiles;
using test::JudgeStages;
using test::Middle;
using test::Most;
using test::Outcome;
using test::Table;
using test::WindowTruth;

std::vector<std::string> Words(const char* variable, const std::string& otherwise) {
  const char* set = std::getenv(variable);
  std::istringstream text(set == nullptr ? otherwise : set);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

struct Job {
  std::string name;
  std::function<void(Outcome*)> run;
};

/// Virtual time as wall-clock.
TimeMs At(const sim::Scenario& scenario, sim::Nanos t) {
  return scenario.start_time + t / sim::kMillisecond;
}

TimeMs LastScrape(const std::vector<TimeMs>& scrapes, TimeMs t) {
  const auto after = std::upper_bound(scrapes.begin(), scrapes.end(), t);
  return after == scrapes.begin() ? t : *std::prev(after);
}

/// Of each replica.
std::vector<std::vector<TimeMs>> ScrapeTimes(Source& source, const TimeRange& all) {
  const Answer answer =
      source.Ask({fmt::format("up[{}ms]", all.end - all.start), all.end, all.end});
  std::vector<std::vector<TimeMs>> times;
  for (const Series& series : answer.series) {
    times.emplace_back();
    for (const Sample& sample : series.samples) times.back().push_back(sample.t);
  }
  return times;
}

/// The truth of a window between the scrapes of whoever leads then: of two replicas the second
/// takes over from the first.
WindowTruth TruthBetweenScrapes(const sim::Scenario& scenario, const sim::SimulationResult& run,
                                const std::vector<std::vector<TimeMs>>& scrapes,
                                const TimeRange& window) {
  std::vector<TimeRange> lost;
  for (const sim::Action& action : scenario.actions) {
    if (action.kind != sim::ActionKind::kRestart && action.kind != sim::ActionKind::kLeaderChange) {
      continue;
    }
    const TimeMs death = At(scenario, action.at);
    lost.push_back({LastScrape(scrapes.front(), death), death});
  }
  return test::TruthOf(
      run, {LastScrape(scrapes.front(), window.start), LastScrape(scrapes.back(), window.end)},
      lost);
}

/// The client's limiter, where it truly had most of the time: a take-over's backlog or victims'
/// deletions can fill it.
std::vector<std::string> TrueBesides(const WindowTruth& truth) {
  if (truth.all.throttle <= 0.5 * truth.all.all) return {};
  return {"bind.client-throttling"};
}

void JudgeScenario(const std::string& name, const std::string& release, double severity,
                   std::uint64_t seed, Outcome* outcome) {
  sim::ScenarioOptions options;
  options.severity = severity;
  options.kubernetes_version = release;
  const sim::Scenario scenario = sim::LoadScenario(name, options);
  outcome->applies = scenario.note.empty();
  if (!outcome->applies) return;
  std::vector<std::string> expected;
  std::copy_if(scenario.findings.begin(), scenario.findings.end(), std::back_inserter(expected),
               IsCause);
  outcome->causes = expected.size();
  sim::SimulationResult run;
  const std::unique_ptr<Source> source = ReplayAsSource(scenario, seed, &run);
  const auto scrapes = ScrapeTimes(*source, {At(scenario, 0), At(scenario, scenario.duration)});
  const auto truth_in = [&](const TimeRange& window) {
    return TruthBetweenScrapes(scenario, run, scrapes, window);
  };
  DiagnoseRequest request;
  const Diagnosis found = Diagnose(*source, QuerySet::Embedded(), request);
  JudgeFindings(found, expected, TrueBesides(truth_in(found.window)), &outcome->found);
  if (!found.stages.empty()) {
    JudgeStages(found, truth_in(found.window), 0.01, &outcome->found);
  }
  request.window =
      TimeRange{At(scenario, scenario.incident_start), At(scenario, scenario.incident_end)};
  const Diagnosis given = Diagnose(*source, QuerySet::Embedded(), request);
  JudgeFindings(given, expected, TrueBesides(truth_in(given.window)), &outcome->given);
  if (given.stages.empty()) return;
  const WindowTruth truth = truth_in(given.window);
  JudgeStages(given, truth, 0.005, &outcome->given);
  JudgeQuantiles(given, truth, &outcome->given);
  for (Held* held : {&outcome->given, &outcome->found}) {
    held->Label(fmt::format("{}/{:g}/{}", release, severity, seed));
  }
}

nlohmann::json ReadJson(const std::string& file) {
  std::ifstream in(std::string(SCHEDLENS_TEST_DATA) + "/" + file);
  return nlohmann::json::parse(in);
}

/// The finding ids of a recording's cause (test/data/captures/README.md).
std::vector<std::string> ExpectedOf(const std::string& cause) {
  static const std::map<std::string, std::string> ids = {
      {"extender_bind", "bind.extender"},
      {"bind", "bind.apiserver"},
      {"client_throttle", "bind.client-throttling"},
      {"extender_filter", "algorithm.extender"},
      {"prebind", "prebind.volume"},
      {"algorithm", "algorithm.prescore"},
      {"unschedulable", "attempts.unschedulable"}};
  std::vector<std::string> expected;
  for (const auto& [word, id] : ids) {
    if (("+" + cause + "+").find("+" + word + "+") != std::string::npos) expected.push_back(id);
  }
  return expected;
}

void JudgeRecording(const std::string& name, Outcome* outcome) {
  const std::string path = std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz";
  const std::unique_ptr<Source> source =
      NewLocalSource(ReadExposition(path, std::nullopt).series, {});
  const nlohmann::json file = ReadJson("captures/" + name + ".json");
  std::vector<std::string> expected = ExpectedOf(file.at("cause"));
  // The series that fires is the scheduled one's; its slowness is the API server's.
  if (name == "unschedulable-flood-A") expected.push_back("bind.apiserver");
  outcome->applies = true;
  outcome->causes = expected.size();
  DiagnoseRequest request;
  JudgeFindings(Diagnose(*source, QuerySet::Embedded(), request), expected, {}, &outcome->found);
  const nlohmann::json& scrapes = file.at("window").at("incident_scrapes");
  request.window = TimeRange{std::llround(1e3 * scrapes.at(0).get<double>()),
                             std::llround(1e3 * scrapes.at(1).get<double>())};
  const Diagnosis given = Diagnose(*source, QuerySet::Embedded(), request);
  JudgeFindings(given, expected, {}, &outcome->given);
  const WindowTruth truth = test::RecordedTruth(name, file, ReadJson("exact_quantiles.json"));
  JudgeStages(given, truth, 0.005, &outcome->given);
  JudgeQuantiles(given, truth, &outcome->given);
}

/// Every job, on as many threads as there are processors; in the order of the jobs.
std::vector<Outcome> RunAll(const std::vector<Job>& jobs) {
  std::vector<Outcome> outcomes(jobs.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t j; (j = next++) < jobs.size();) {
        outcomes[j].name = jobs[j].name;
        jobs[j].run(&outcomes[j]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

std::vector<Job> Recordings() {
  std::vector<Job> jobs;
  for (const char* name :
       {"apiserver-bind-slow-1.26-A", "apiserver-bind-slow-A", "client-throttled-A",
        "extender-bind-partial-A", "extender-bind-slow-A", "extender-filter-slow-A",
        "filter-cpu-heavy-A", "healthy-A", "prebind-volume-slow-A", "quantile-inversion-A",
        "restart-and-two-replicas-A", "unschedulable-flood-A"}) {
    jobs.push_back({name, [name](Outcome* outcome) { JudgeRecording(name, outcome); }});
  }
  return jobs;
}

/// Every combination, in order.
std::vector<Job> Scenarios(const std::vector<std::string>& names,
                           const std::vector<std::string>& releases,
                           const std::vector<std::string>& severities,
                           const std::vector<std::string>& seeds) {
  std::vector<Job> jobs;
  for (const std::string& name : names) {
    const std::string shown = std::filesystem::path(name).extension() == ".yaml"
                                  ? std::filesystem::path(name).stem().string()
                                  : name;
    for (const std::string& release : releases) {
      for (const std::string& severity : severities) {
        for (const std::string& seed : seeds) {
          jobs.push_back({shown, [=](Outcome* outcome) {
                            JudgeScenario(name, release, std::stod(severity), std::stoull(seed),
                                          outcome);
                          }});
        }
      }
    }
  }
  return jobs;
}

bool Small() { return std::getenv("ACCOUNT_SEEDS") == nullptr; }

std::string EveryScenario() {
  std::string names;
  for (const sim::BuiltinScenario& s : sim::BuiltinScenarios()) names += std::string(s.name) + " ";
  return names;
}

std::string EveryQuietLoad() {
  std::set<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SCHEDLENS_TEST_DATA) + "/quiet")) {
    files.insert(entry.path().string());
  }
  std::string names = "healthy ";
  for (const std::string& file : files) names += file + " ";
  return names;
}

Table Judge(const std::string& title, const std::vector<Job>& jobs) {
  const Table table(RunAll(jobs));
  if (!Small()) {
    fmt::print("{}\n{}\n", title, table.text);
    fmt::print(stderr, "{}", table.Notes());
  }
  const Held &given = table.all.given, &found = table.all.found;
  const std::string why = table.text + table.Notes();
  EXPECT_GE(given.first_right, 0.98 * given.runs) << why;
  EXPECT_GE(found.first_right, 0.98 * found.runs) << why;
  EXPECT_EQ(given.wrong_certain + found.wrong_certain, 0) << why;
  EXPECT_GE(table.several.found.all_named, 0.9 * table.several.found.runs) << why;
  EXPECT_EQ(given.tails_held, given.tails) << why;
  EXPECT_EQ(found.tails_held, found.tails) << why;
  EXPECT_EQ(given.quantiles_held, given.quantiles) << why;
  // A scrape may fall between an attempt's last stage and its own end: rarely, and for little.
  EXPECT_LE(AtPart(given.share_errors, 0.995), 0.005) << why;
  EXPECT_LE(Most(given.share_errors), 0.01) << why;
  EXPECT_LE(Middle(given.p99_ratio), 1.7) << why;
  return table;
}

TEST(HeldToAccount, Recordings) {
  const Table table = Judge("Recordings of real kube-schedulers", Recordings());
  EXPECT_LE(Middle(table.all.given.p99_estimate), 0.12) << table.text;
  EXPECT_LE(Most(table.all.given.p99_estimate), 0.30) << table.text;
}

TEST(HeldToAccount, Scenarios) {
  const bool small = Small();
  Judge(
      "Built-in scenarios",
      Scenarios(Words("ACCOUNT_NAMES",
                      small ? "bind.extender prebind attempts.unschedulable" : EveryScenario()),
                Words("ACCOUNT_RELEASES", small ? "1.20 1.34" : "1.20 1.23 1.26 1.30 1.34"),
                Words("ACCOUNT_SEVERITIES", small ? "1" : "0.5 1 2"), Words("ACCOUNT_SEEDS", "1")));
}

/// No cause above `possible` where nothing is wrong, however odd the load.
TEST(HeldToAccount, QuietLoads) {
  Judge("Quiet loads",
        Scenarios(Words("ACCOUNT_QUIET_NAMES", Small() ? "healthy" : EveryQuietLoad()),
                  Words("ACCOUNT_QUIET_RELEASES", Small() ? "1.26" : "1.20 1.26 1.34"), {"1"},
                  Words("ACCOUNT_QUIET_SEEDS", "1")));
}

}  // namespace
}  // namespace schedlens
