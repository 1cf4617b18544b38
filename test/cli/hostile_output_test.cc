// Whatever others wrote into labels, rules, answers and file names: nothing of it moves a cursor,
// turns text around or is no UTF-8 on standard output or standard error of any command.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/exposition.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/run_main.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

const std::string kHostile =
    "\x1b[31mred\x1b]0;t\x07 \x7f\xc2\x9b\xc2\x85 \xe2\x80\xae"
    "evil \xe2\x81\xa7 \xd8\x9c \r end";
const std::string kBroken = kHostile + "\xff\xc0\xaf\xed\xa0\x80\xe2\x80";

/// The first thing that has no business on a terminal; empty without.
std::string Offence(const std::string& text) {
  for (std::string_view left = text; !left.empty();) {
    const Character next = NextCharacter(left);
    const char32_t c = next.code;
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F);
    const bool turns = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                       (c >= 0x2066 && c <= 0x2069);
    if (!next.well_formed || control || turns) {
      const std::size_t at = text.size() - left.size();
      return fmt::format("U+{:04X} at byte {}, after: {}", static_cast<unsigned>(c), at,
                         text.substr(at < 60 ? 0 : at - 60, at < 60 ? at : 60));
    }
    left.remove_prefix(next.bytes);
  }
  return "";
}

void ExpectSafe(const std::vector<std::string>& arguments, const std::string& input = "") {
  const Ran ran = RunMain(arguments, input);
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  EXPECT_EQ(Offence(ran.out), "") << line;
  EXPECT_EQ(Offence(ran.err), "") << line;
  EXPECT_FALSE(ran.out.empty() && ran.err.empty()) << line;
  const bool json = std::find(arguments.begin(), arguments.end(), "json") != arguments.end();
  if (json && !ran.out.empty()) {
    EXPECT_TRUE(nlohmann::json::accept(ran.out)) << line << ran.out.substr(0, 300);
  }
}

/// A real recording in which every name that a cluster gives is hostile.
std::string HostileCapture(const TempDir& dir) {
  Exposition capture = ReadExposition(
      std::string(SCHEDLENS_TEST_DATA) + "/captures/extender-bind-slow-A.om.gz", std::nullopt);
  for (Series& series : capture.series) {
    for (const char* label : {"job", "instance", "profile", "host", "pod"}) {
      const std::string value(series.labels.Get(label));
      if (!value.empty()) series.labels = series.labels.With(label, value + kHostile);
    }
  }
  capture.comments = {"from " + kHostile, "alert: " + kHostile};
  return dir.Write("hostile" + kHostile.substr(0, 12) + ".om", WriteOpenMetrics(capture));
}

TEST(HostileOutput, OfAHostileCapture) {
  const TempDir dir;
  const std::string capture = HostileCapture(dir);
  for (const char* format :
       {"text", "json", "brief", "markdown", "html", "slack", "grafana-annotation"}) {
    ExpectSafe({"diagnose", "--capture", capture, "-o", format});
  }
  ExpectSafe({"diagnose", "--capture", capture, "--full", "-v", "--lang", "zh"});
  ExpectSafe({"diagnose", "--capture", capture, "--by", "profile"});
  ExpectSafe({"doctor", "--capture", capture});
  ExpectSafe({"doctor", "--capture", capture, "-o", "json"});
  ExpectSafe({"query", "up", "--capture", capture});
  ExpectSafe({"query", "scheduler_pending_pods", "--capture", capture});
  ExpectSafe({"query", "scheduler_pending_pods", "--capture", capture, "-o", "json"});
  ExpectSafe({"quantile", "0.99", "--capture", capture});
  ExpectSafe({"capture", "--capture", capture, "--out", "-"});
  ExpectSafe({"capture", "--capture", capture, "--out", "-", "--redact"});
  ExpectSafe({"compare", capture, capture});
}

TEST(HostileOutput, OfHostileWordsOnTheCommandLine) {
  for (const std::string& word : {kHostile, kBroken}) {
    ExpectSafe({word});
    ExpectSafe({"diagnose", "--" + word});
    ExpectSafe({"diagnose", "--capture", word});
    ExpectSafe({"diagnose", "--prometheus", "http://" + word});
    ExpectSafe({"diagnose", "--capture", "x", "--selector", word});
    ExpectSafe({"query", word, "--capture", "x"});
    ExpectSafe({"explain", word});
    ExpectSafe({"lint", word});
    ExpectSafe({"report", word});
    ExpectSafe({"report", "-"}, word);
    ExpectSafe({"simulate", word});
    ExpectSafe({"simulate", "--show", word});
    ExpectSafe({"diagnose", "--capture", "-"}, word);
  }
}

TEST(HostileOutput, OfHostileRules) {
  const TempDir dir;
  const std::string name = nlohmann::json(kHostile).dump();
  const std::string file = dir.Write(
      "rules.yml", fmt::format("groups:\n- name: {0}\n  rules:\n  - alert: {0}\n    expr: "
                               "histogram_quantile(0.99, scheduler_e2e_scheduling_duration_seconds"
                               "_bucket{{job={0}}}) > 3\n    labels: {{severity: {0}}}\n",
                               name));
  ExpectSafe({"lint", file});
  ExpectSafe({"lint", file, "-o", "json"});
  ExpectSafe({"lint", dir.Write("broken.yml", "groups: [" + kBroken)});
}

TEST(HostileOutput, OfAHostileServer) {
  const std::string name = nlohmann::json(kHostile).dump();
  const std::string answers[] = {
      fmt::format(R"({{"status":"error","errorType":{0},"error":{0}}})", name),
      fmt::format(R"({{"status":"success","warnings":[{0}],"infos":[{0}],"data":{{"resultType":)"
                  R"("vector","result":[{{"metric":{{"job":{0}}},"value":[1,"1"]}}]}}}})",
                  name),
      kBroken, "<html>" + kBroken};
  for (const std::string& answer : answers) {
    for (const int status : {200, 400, 401, 403}) {
      test::FakeServer server([&](const test::FakeRequest&) { return test::Http(status, answer); });
      ExpectSafe({"query", "up", "--prometheus", server.url(), "--verbose"});
      ExpectSafe({"query", "up", "--prometheus", server.url(), "-o", "json"});
      ExpectSafe({"doctor", "--prometheus", server.url()});
      ExpectSafe({"diagnose", "--prometheus", server.url(), "--at", "1700000000"});
    }
  }
}

TEST(HostileOutput, OfAServersLongWarnings) {
  const std::string answer = R"({"status":"success","warnings":[")" + std::string(100'000, 'w') +
                             R"("],"infos":[")" + std::string(100'000, 'i') +
                             R"("],"data":{"resultType":"vector","result":[]}})";
  test::FakeServer server([&](const test::FakeRequest&) { return test::Http(200, answer); });
  for (const char* command : {"query", "doctor", "diagnose"}) {
    std::vector<std::string> arguments = {command, "--prometheus", server.url()};
    if (arguments[0] == "query") arguments.insert(arguments.begin() + 1, "up");
    const Ran ran = RunMain(arguments);
    EXPECT_LT(ran.out.size() + ran.err.size(), 3000u) << command;
  }
}

}  // namespace
}  // namespace schedlens
