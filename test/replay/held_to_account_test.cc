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

#include "base/exposition.h"
#include "diagnose/pipeline/diagnose.h"
#include "replay/judged_table.h"
#include "replay/shaped.h"
#include "scheduler/scenario/scenario.h"
#include "source/capture/capture_source.h"

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
using test::Onset;
using test::Outcome;
using test::ShapedRun;
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

/// Of each replica of the scheduler.
std::vector<std::vector<TimeMs>> ScrapeTimes(Source& source, const TimeRange& all) {
  const Answer answer = source.Ask(
      {fmt::format("up{{job=\"kube-scheduler\"}}[{}ms]", all.end - all.start), all.end, all.end});
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

void JudgeScenario(const ShapedRun& asked, Outcome* outcome) {
  const sim::Scenario scenario = ScenarioOf(asked);
  outcome->applies = scenario.note.empty();
  if (!outcome->applies) return;
  std::vector<std::string> expected;
  std::copy_if(scenario.findings.begin(), scenario.findings.end(), std::back_inserter(expected),
               IsCause);
  outcome->causes = expected.size();
  sim::SimulationResult run;
  const std::unique_ptr<Source> source = ReplayAsSource(scenario, asked.seed, &run);
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
    held->Label(
        fmt::format("{}/{}/{:g}/{}", scenario.name, asked.release, asked.severity, asked.seed));
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
  request.exact = true;  // the truth is of this window
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

/// How the runs of a table are played, and what their rows are called; no row name: the scenario's.
struct Playing {
  std::string row;
  int scrape_seconds = 0;
  Onset onset = Onset::kStep;
};

/// Every combination, in order.
std::vector<Job> Scenarios(const Playing& playing, const std::vector<std::string>& names,
                           const std::vector<std::string>& releases,
                           const std::vector<std::string>& severities,
                           const std::vector<std::string>& seeds) {
  std::vector<Job> jobs;
  for (const std::string& name : names) {
    const bool file = std::filesystem::path(name).extension() == ".yaml";
    const std::string stem = file ? std::filesystem::path(name).stem().string() : name;
    const std::string shown = playing.row.empty() ? stem : playing.row;
    for (const std::string& release : releases) {
      for (const std::string& severity : severities) {
        for (const std::string& seed : seeds) {
          const ShapedRun run{
              name,         release, std::stod(severity), std::stoull(seed), playing.scrape_seconds,
              playing.onset};
          jobs.push_back({shown, [run](Outcome* outcome) { JudgeScenario(run, outcome); }});
        }
      }
    }
  }
  return jobs;
}

bool Small() { return std::getenv("ACCOUNT_SEEDS") == nullptr; }

std::string EveryScenario() {
  std::string names;
  for (const EmbeddedFile& s : sim::BuiltinScenarios()) names += std::string(s.name) + " ";
  return names;
}

/// The scenario files of a folder of test/data.
std::string EveryFileOf(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SCHEDLENS_TEST_DATA) + "/" + folder)) {
    files.insert(entry.path().string());
  }
  std::string names;
  for (const std::string& file : files) names += file + " ";
  return names;
}

/// What holds of every table: proven is proven, and `certain` is never wrong.
Table JudgeProofs(const std::string& title, const std::vector<Job>& jobs) {
  const Table table(RunAll(jobs));
  if (!Small()) {
    fmt::print("{}\n{}\n", title, table.text);
    fmt::print(stderr, "{}", table.Notes());
  }
  const Held &given = table.all.given, &found = table.all.found;
  const std::string why = table.text + table.Notes();
  EXPECT_EQ(given.wrong_certain + found.wrong_certain, 0) << why;
  EXPECT_EQ(given.tails_held, given.tails) << why;
  EXPECT_EQ(found.tails_held, found.tails) << why;
  EXPECT_EQ(given.quantiles_held, given.quantiles) << why;
  return table;
}

/// Besides, what can be asked of steps that are scraped often.
Table Judge(const std::string& title, const std::vector<Job>& jobs) {
  const Table table = JudgeProofs(title, jobs);
  const Held &given = table.all.given, &found = table.all.found;
  const std::string why = table.text + table.Notes();
  EXPECT_GE(given.first_right, 0.98 * given.runs) << why;
  EXPECT_GE(found.first_right, 0.98 * found.runs) << why;
  EXPECT_GE(table.several.found.all_named, 0.9 * table.several.found.runs) << why;
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
      Scenarios({},
                Words("ACCOUNT_NAMES",
                      small ? "bind.extender prebind attempts.unschedulable" : EveryScenario()),
                Words("ACCOUNT_RELEASES", small ? "1.20 1.34" : "1.20 1.23 1.26 1.30 1.34"),
                Words("ACCOUNT_SEVERITIES", small ? "1" : "0.5 1 2"), Words("ACCOUNT_SEEDS", "1")));
}

/// No cause above `possible` where nothing is wrong, however odd the load.
TEST(HeldToAccount, QuietLoads) {
  Judge(
      "Quiet loads",
      Scenarios(
          {}, Words("ACCOUNT_QUIET_NAMES", Small() ? "healthy" : "healthy " + EveryFileOf("quiet")),
          Words("ACCOUNT_QUIET_RELEASES", Small() ? "1.26" : "1.20 1.26 1.34"), {"1"},
          Words("ACCOUNT_QUIET_SEEDS", "1")));
}

std::vector<std::string> ShapeSeeds() { return Words("ACCOUNT_SHAPE_SEEDS", "1"); }

/// Proofs hold at every scrape interval, and nearly every cause is still found.
TEST(HeldToAccount, ScrapeIntervals) {
  std::vector<Job> jobs;
  for (const int seconds : {15, 30, 60}) {
    for (Job& job : Scenarios(
             {fmt::format("every {} s", seconds), seconds, Onset::kStep},
             Words("ACCOUNT_SHAPE_NAMES", Small() ? "bind.extender prebind" : EveryScenario()),
             {"1.26"}, {"1"}, ShapeSeeds())) {
      jobs.push_back(std::move(job));
    }
  }
  const Table table = JudgeProofs("Scrape intervals", jobs);
  EXPECT_GE(table.all.given.first_right, 0.9 * table.all.given.runs) << table.Notes();
}

/// Incidents that rise, that come and go, and what is over after five seconds and is none.
TEST(HeldToAccount, Onsets) {
  const std::string every =
      "bind.apiserver bind.extender algorithm.extender algorithm.score prebind reserve";
  const auto names = Words("ACCOUNT_SHAPE_NAMES", Small() ? "bind.extender" : every);
  const auto blips = Words("ACCOUNT_BLIP_NAMES", Small() ? SCHEDLENS_TEST_DATA "/blips/score.yaml"
                                                         : EveryFileOf("blips"));
  const std::vector<std::string> releases = {"1.20", "1.26"};
  std::vector<Job> jobs =
      Scenarios({"ramp", 0, Onset::kRamp}, names, releases, {"1"}, ShapeSeeds());
  const auto add = [&](const std::vector<Job>& more) {
    jobs.insert(jobs.end(), more.begin(), more.end());
  };
  add(Scenarios({"pulses", 0, Onset::kPulses}, names, releases, {"1"}, ShapeSeeds()));
  add(Scenarios({"blip", 0, Onset::kStep}, blips, releases, {"1"}, ShapeSeeds()));
  const Table table = JudgeProofs("Onsets", jobs);
  EXPECT_GE(table.all.given.first_right, 0.9 * table.all.given.runs) << table.Notes();
}

TEST(HeldToAccount, Pairs) {
  const auto names = Words("ACCOUNT_PAIR_NAMES", EveryFileOf("pairs"));
  const Table table =
      JudgeProofs("Pairs of causes", Scenarios({}, names,
                                               Small() ? std::vector<std::string>{"1.26"}
                                                       : std::vector<std::string>{"1.20", "1.26"},
                                               {"1"}, ShapeSeeds()));
  EXPECT_GE(table.all.given.first_right, 0.9 * table.all.given.runs) << table.Notes();
}

/// Two schedulers in one answer, and one of them twice, as by a pair of Prometheus servers: the
/// findings are those of the sick one. Only shown until a diagnosis tells the schedulers apart.
TEST(HeldToAccount, SeveralSchedulers) {
  const auto series_of = [](const ShapedRun& asked) {
    sim::RunOptions options;
    options.seed = asked.seed;
    return sim::RunScenario(ScenarioOf(asked), options).exposition.series;
  };
  std::vector<Job> jobs;
  for (const bool twice : {false, true}) {
    for (const std::string& name :
         Words("ACCOUNT_SHAPE_NAMES", Small() ? "bind.extender"
                                              : "bind.apiserver bind.extender "
                                                "bind.client-throttling algorithm.score prebind")) {
      for (const std::string& seed : ShapeSeeds()) {
        const ShapedRun run{name, "1.26", 1, std::stoull(seed), 5, Onset::kStep};
        jobs.push_back({twice ? "one seen twice" : "two schedulers", [=](Outcome* outcome) {
                          const sim::Scenario scenario = ScenarioOf(run);
                          outcome->applies = scenario.note.empty();
                          outcome->causes = 1;
                          std::vector<Series> series = series_of(run);
                          series =
                              twice ? test::SeenTwice(series)
                                    : test::Together(std::move(series),
                                                     series_of({"healthy", "1.26", 1,
                                                                run.seed + 100, 5, Onset::kStep}));
                          const auto source = NewLocalSource(std::move(series), {});
                          DiagnoseRequest request;
                          JudgeFindings(Diagnose(*source, QuerySet::Embedded(), request),
                                        scenario.findings, {}, &outcome->found);
                          request.window = TimeRange{At(scenario, scenario.incident_start),
                                                     At(scenario, scenario.incident_end)};
                          JudgeFindings(Diagnose(*source, QuerySet::Embedded(), request),
                                        scenario.findings, {}, &outcome->given);
                        }});
      }
    }
  }
  const Table table(RunAll(jobs));
  if (!Small()) fmt::print("Several schedulers\n{}\n", table.text);
  EXPECT_EQ(table.all.found.runs, static_cast<int>(jobs.size()));
}

}  // namespace
}  // namespace schedlens
