// No sentence of a report contradicts another one or a number: of diagnoses of simulated incidents,
// with the window found and given, with and without an alert, at several scrape intervals.

#include "report/contradictions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/run_main.h"
#include "contract/report.h"
#include "diagnose/pipeline/diagnose.h"
#include "replay/readings.h"

namespace schedlens {
namespace {

using test::Form;

/// A short scenario: five minutes of quiet, then `faults`.
std::string Scenario(const std::string& more, int scrape_s, const std::string& faults) {
  return fmt::format(
      "name: short\nkubernetes_version: \"1.26\"\nduration: 540s\n"
      "incident: {{start: 300s, end: 480s}}\nscrape: {{interval: {}s}}\n"
      "cluster: {{nodes: [{{count: 30, cpu: 64, memory: 256Gi}}]}}\n"
      "workload:\n  rate: 10\n  templates: [{{name: web, cpu: 100m, memory: 128Mi, life: "
      "\"u(20,40)\"}}]\n  costs: {{bind_api: \"ln(0.006,0.5)\", ext_bind: \"ln(0.02,0.4)\"}}\n{}{}",
      scrape_s, more, faults.empty() ? "" : "faults:\n" + faults);
}

std::string Fault(int start, int end, const std::string& costs) {
  return fmt::format("  - {{start: {}s, end: {}s, costs: {{{}}}}}\n", start, end, costs);
}

struct Case {
  std::string name;
  std::string more, faults;
};

std::vector<Case> Cases() {
  const std::string slow = "bind_api: \"0.9*ln(0.006,0.5)+0.1*ln(1.5,0.5)\"";
  const std::string little = "bind_api: \"ln(0.012,0.5)\"";
  const std::string score = "score: \"0.97*ln(0.0004,0.5)+0.03*ln(1.2,0.3)\"";
  const std::string prebind = "prebind_wait: \"0.9*0+0.1*u(0.5,2)\"";
  std::string pulses;
  for (int t = 300; t < 480; t += 60) pulses += Fault(t, t + 15, slow);
  return {{"healthy", "", ""},
          {"bind", "", Fault(300, 480, slow)},
          {"bind, twice as slow", "", Fault(300, 480, little)},
          {"score", "", Fault(300, 480, score)},
          {"prebind", "", Fault(300, 480, prebind)},
          {"extender", "extenders: [{verbs: [bind], timeout: 60s}]\n",
           Fault(300, 480, "ext_bind: \"0.8*ln(0.02,0.4)+0.2*ln(2,0.4)\"")},
          {"bind and prebind", "", Fault(300, 480, slow + ", " + prebind)},
          {"bind and score", "", Fault(300, 480, slow + ", " + score)},
          {"throttled", "scheduler: {qps: 12, burst: 12}\n",
           "  - {start: 300s, end: 480s, rate: 14}\n"},
          {"blip", "", Fault(300, 305, slow)},
          {"pulses", "", pulses},
          {"ends slow", "", Fault(420, 540, slow)}};
}

constexpr const char* kAlert =
    "histogram_quantile(0.99, sum by (le) (rate(scheduler_scheduling_attempt_duration_seconds_"
    "bucket{{result=\"scheduled\"}}[5m]))) > {}";

/// Every format of a diagnosis against itself and against the numbers.
std::vector<std::string> AllContradictions(const Diagnosis& d) {
  std::vector<std::string> found = test::ContradictionsIn(d);
  const auto read = [&](Form form, const std::string& lang, const std::string& text) {
    const test::Said said = ReadReport(form, lang, text);
    if (said.verdict != ToString(d.verdict)) {
      found.push_back(fmt::format("\"{}\" for {}", said.headline, ToString(d.verdict)));
    }
    for (const std::string& one : ContradictionsIn(said)) found.push_back(one);
  };
  read(Form::kSlack, "en", RenderSlack(d));
  for (const std::string lang : {"en", "zh"}) {
    const RenderOptions options{.full = true, .lang = lang};
    read(Form::kText, lang, RenderText(d, options));
    read(Form::kText, lang, RenderText(d, {.width = 80, .lang = lang}));
    read(Form::kMarkdown, lang, RenderMarkdown(d, options));
    read(Form::kHtml, lang, RenderHtml(d, options));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

TEST(ContradictionsTest, NoneInSimulatedIncidents) {
  std::uint64_t seed = 0;
  for (const Case& one : Cases()) {
    for (const int scrape : {5, 15, 30}) {
      const sim::Scenario scenario =
          sim::ParseScenario(Scenario(one.more, scrape, one.faults), one.name);
      const auto source = ReplayAsSource(scenario, ++seed, nullptr);
      const TimeMs start = scenario.start_time;
      const TimeRange incident{start + 300'000, start + 480'000};
      const TimeRange quiet{start, start + 300'000};
      for (const bool given : {false, true}) {
        for (const std::string threshold : {"", "0.03", "0.5"}) {
          DiagnoseRequest request;
          if (given) request.window = incident;
          if (given) request.baseline = quiet;
          if (!threshold.empty()) request.alert_expr = fmt::format(fmt::runtime(kAlert), threshold);
          const Diagnosis d = Diagnose(*source, QuerySet::Embedded(), request);
          EXPECT_THAT(AllContradictions(d), testing::IsEmpty())
              << one.name << ", scraped every " << scrape << " s, seed " << seed
              << (given ? ", window given" : ", window found") << ", threshold " << threshold
              << ":\n"
              << RenderText(d, {}).substr(0, 1200);
        }
      }
    }
  }
}

/// What the exit code tells a script is what the report tells a reader.
TEST(ContradictionsTest, TheExitCodeSaysWhatTheReportSays) {
  const auto path = std::filesystem::temp_directory_path() / "schedlens-contradictions.yaml";
  std::set<int> codes;
  for (const Case& one : Cases()) {
    std::ofstream(path) << Scenario(one.more, 15, one.faults);
    const Ran ran = RunMain({"diagnose", "--scenario", path.string(), "--no-cross-check",
                             "--fail-on", "possible", "-o", "json"});
    const Diagnosis d = ParseDiagnosis(ran.out, one.name);
    EXPECT_EQ(ran.code, test::ExitCodeOf(d)) << one.name << ran.err;
    codes.insert(ran.code);
  }
  EXPECT_THAT(codes, testing::IsSupersetOf({0, 3}));
  const Ran empty =
      RunMain({"diagnose", "--scenario", path.string(), "--no-cross-check", "--start",
               "2020-01-01T00:00:00Z", "--end", "2020-01-01T01:00:00Z", "-o", "json"});
  EXPECT_EQ(empty.code, test::ExitCodeOf(ParseDiagnosis(empty.out, "empty")));
  EXPECT_EQ(empty.code, 5);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace schedlens
