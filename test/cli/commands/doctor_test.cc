#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/exposition.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/process.h"
#include "cli/replayed_server.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

const std::string kDoctorCaptures = std::string(SCHEDLENS_TEST_DATA) + "/captures/";

TEST(DoctorCommand, ARealRecordingIsFitForDiagnosis) {
  const Ran ran =
      RunMain({"doctor", "--capture", kDoctorCaptures + "restart-and-two-replicas-A.om.gz"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* text : {"kube-scheduler-0", "kube-scheduler-1", "one every 5s", "restarted at",
                           "kube-scheduler 1.20", "will work with this source"}) {
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << "\n" << ran.out;
  }
}

TEST(DoctorCommand, AnotherProgramsMetricsAreExitFive) {
  const TempDir dir;
  const std::string file = dir.Write("x.om", "node_load1 1 1000\nnode_load1 2 1015\n# EOF\n");
  const Ran ran = RunMain({"doctor", "--capture", file});
  EXPECT_EQ(ran.code, 5);
  EXPECT_NE(ran.out.find("1 metric: node_load1"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("will not work"), std::string::npos);
}

/// The first sample of every series, without its time: what a browser shows of /metrics.
std::string PageOf(const std::string& recording) {
  std::string text;
  for (const Series& series : ReadExposition(recording, std::nullopt).series) {
    text += series.labels.ToString() + " " + FormatNumber(series.samples.front().v) + "\n";
  }
  return text;
}

// One page has counters and no increase: an idle cluster is not what it shows.
TEST(DoctorCommand, APageWithoutTimesNeedsASecondOne) {
  const TempDir dir;
  const std::string page = dir.Write("page.txt", PageOf(kDoctorCaptures + "healthy-A.om.gz"));
  const Ran ran = RunMain({"doctor", "--capture", page});
  EXPECT_EQ(ran.code, 5);
  for (const char* text : {"all samples are of one moment", "--scrape-before FILE",
                           "kube-scheduler 1.20", "its metrics are here", "will not work"}) {
    EXPECT_NE(ran.out.find(text), std::string::npos) << text << "\n" << ran.out;
  }
  for (const char* text : {"idle cluster", "0 attempts", "etcd"}) {
    EXPECT_EQ(ran.out.find(text), std::string::npos) << text << "\n" << ran.out;
  }
  const Ran diagnosed = RunMain({"diagnose", "--capture", page});
  EXPECT_EQ(diagnosed.code, 5);
  EXPECT_NE(diagnosed.out.find("- All samples are of one moment"), std::string::npos)
      << diagnosed.out;
  const Ran lifetime = RunMain({"diagnose", "--capture", page, "--window", "lifetime"});
  EXPECT_EQ(lifetime.code, 0) << lifetime.err;
  for (const char* text : {"Since the process started at 2026-", "without a baseline",
                           "Baseline  none", "Attempts  109,"}) {
    EXPECT_NE(lifetime.out.find(text), std::string::npos) << text << "\n" << lifetime.out;
  }
  EXPECT_EQ(
      RunMain({"quantile", "scheduler_e2e_scheduling_duration_seconds", "--capture", page}).code,
      0);
}

TEST(DoctorCommand, SeesATargetThatIsNoLongerScraped) {
  const TempDir dir;
  test::ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident));
  server.SetSecond(2400);  // the scenario ended at 900
  const Ran ran = RunMain({"doctor", "--prometheus", server.url(), "--window", "10m"});
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_NE(ran.out.find("one was last scraped at"), std::string::npos) << ran.out;
}

/// Twenty scrapes of one scheduler that never restarts; the eleventh shows the page before it.
TEST(DoctorCommand, CountersThatStepBackAreAProblem) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const int shown = 100 * (i == 10 ? 9 : i + 1), time = 1'795'223'400 + 15 * i;
    const std::string labels = "job=\"kube-scheduler\",instance=\"a\"";
    const std::string metric = "scheduler_scheduling_attempt_duration_seconds";
    for (const char* le : {"0.5", "1.0", "+Inf"}) {
      text += fmt::format("{}_bucket{{{},result=\"scheduled\",le=\"{}\"}} {} {}\n", metric, labels,
                          le, shown, time);
    }
    text += fmt::format("{}_count{{{},result=\"scheduled\"}} {} {}\n", metric, labels, shown, time);
    text +=
        fmt::format("{}_sum{{{},result=\"scheduled\"}} {} {}\n", metric, labels, shown / 10, time);
    text += fmt::format("process_start_time_seconds{{{}}} 1795220000 {}\n", labels, time);
  }
  const Ran ran = RunMain({"doctor", "--capture", dir.Write("d.om", text + "# EOF\n")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("problem  replicas"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("answers from replicas in turn"), std::string::npos) << ran.out;
}

// A server that keeps histograms as native ones alone: read all the same, and named.
TEST(DoctorCommand, NativeHistogramsAloneAreRead) {
  const TempDir dir;
  const std::string metric = "scheduler_scheduling_attempt_duration_seconds";
  std::string text;
  for (int i = 0; i <= 20; ++i) {
    text += fmt::format(
        "# HELP schedlens_native_histograms {}{{job=\"kube-scheduler\",instance=\"a\","
        "result=\"scheduled\"}} {} {{count:{}, sum:{}, (0.25,0.5]:{}, (0.5,1]:{}}}\n",
        metric, 1767225600000 + i * 30'000, 10 * i, 5 * i, 6 * i, 4 * i);
  }
  const std::string file = dir.Write("native.om", text + "# EOF\n");
  std::string classic;  // of another scheduler, as old as the natives
  for (int i = 0; i <= 20; ++i) {
    for (const char* series : {"_bucket{le=\"0.5\",", "_bucket{le=\"+Inf\",", "_sum{", "_count{"}) {
      classic += fmt::format("{}{}job=\"b\",instance=\"b\",result=\"scheduled\"}} {} {}\n", metric,
                             series, i, 1767225600 + i * 30);
    }
  }
  const std::string mixed = dir.Write("mixed.om", text + classic + "# EOF\n");
  const Ran doctor = RunMain({"doctor", file});
  EXPECT_EQ(doctor.code, 0) << doctor.err;
  EXPECT_NE(doctor.out.find("Stored only as native histograms: " + metric), std::string::npos)
      << doctor.out;
  const Ran diagnosed = RunMain({"diagnose", file});
  EXPECT_EQ(diagnosed.code, 0) << diagnosed.err;
  EXPECT_NE(diagnosed.out.find("200 attempts"), std::string::npos) << diagnosed.out;
  const std::string rule = "histogram_quantile(0.9, sum by (le) (rate(" + metric + "_bucket[5m])))";
  const Ran lint = RunMain({"lint", "--expr", rule + " > 1", "--capture", file});
  EXPECT_EQ(lint.code, 3);
  EXPECT_NE(lint.out.find("no-buckets"), std::string::npos) << lint.out;
  // Where another scheduler has buckets, rules over them find some.
  EXPECT_EQ(RunMain({"doctor", mixed}).out.find("native histograms"), std::string::npos);
  const Ran some = RunMain({"lint", "--expr", rule + " > 1", "--capture", mixed});
  EXPECT_EQ(some.out.find("no-buckets"), std::string::npos) << some.out;
}

TEST(DoctorCommand, AFileThatIsNoneSaysWhatItIs) {
  const TempDir dir;
  const auto told = [&](const std::string& content, int code, const std::string& what) {
    const std::string file = dir.Write("file", content);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"doctor"}, std::vector<std::string>{"quantile", "x"},
          std::vector<std::string>{"diagnose"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--capture", file});
      const Ran ran = RunMain(arguments);
      EXPECT_EQ(ran.code, code) << command.front() << ran.out;
      EXPECT_NE(ran.err.find(what), std::string::npos) << command.front() << ran.err;
    }
  };
  told("", 1, "the file is empty");
  told("# EOF\n", 5, "it holds no samples; give a /metrics page or a recording");
  told("<html><body>Sign in</body></html>\n", 1, "this is a web page, not what /metrics answers");
  told("{\n  \"schema\": 1\n}\n", 1, "this is JSON; `schedlens report` reads");
  told("{\"status\":\"success\"}\n", 1, "not an answer of the Prometheus API");
}

TEST(DoctorCommand, EveryLineHasItsEvidence) {
  for (const char* capture : {"restart-and-two-replicas-A.om.gz", "healthy-A.om.gz"}) {
    const Ran json = RunMain({"doctor", "--capture", kDoctorCaptures + capture, "-o", "json"});
    const auto document = nlohmann::json::parse(json.out);
    for (const auto& check : document.at("checks")) {
      EXPECT_NE(check.at("evidence"), "") << check;
    }
    const Ran text = RunMain({"doctor", "--capture", kDoctorCaptures + capture});
    EXPECT_NE(text.out.find("evidence: samples from "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("evidence: count by (__name__"), std::string::npos) << "the release's";
  }
}

TEST(DoctorCommand, ASourceThatFailsIsADocumentToo) {
  const Ran ran = RunMain({"doctor", "--capture", "/no/such/file", "-o", "json"});
  EXPECT_EQ(ran.code, 1);
  const auto document = nlohmann::json::parse(ran.out);
  EXPECT_EQ(document["diagnosable"], false);
  EXPECT_EQ(document["checks"][0]["health"], "problem");
  EXPECT_NE(ran.err.find("/no/such/file"), std::string::npos) << ran.err;
  EXPECT_EQ(RunMain({"doctor", "--capture", "/no/such/file"}).out, "");
  EXPECT_EQ(RunMain({"doctor", "-o", "json"}).out, "") << "a wrong command line is none";
}

TEST(DoctorCommand, ComponentsThatAreThereAndThoseThatAreNot) {
  const std::string recording =
      std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/webhook-on-binding/metrics.om.gz";
  const Ran json = RunMain({"doctor", "--capture", recording, "-o", "json"});
  const auto document = nlohmann::json::parse(json.out);
  std::map<std::string, int> instances;
  for (const auto& seen : document.at("neighbours")) {
    instances[seen.at("component")] = seen.at("instances");
  }
  EXPECT_EQ(instances, (std::map<std::string, int>{{"kube-apiserver", 1},
                                                   {"etcd", 1},
                                                   {"kube-state-metrics", 1},
                                                   {"kube-controller-manager", 0},
                                                   {"csi-sidecar", 0}}));
  const auto& configurations = document.at("scrape_configurations");
  ASSERT_EQ(configurations.size(), 3U);
  const Ran text = RunMain({"doctor", "--capture", recording});
  for (const auto& one : configurations) {
    EXPECT_NE(text.out.find("\n" + one.at("yaml").get<std::string>()), std::string::npos)
        << one.at("tool") << " is printed as it is";
  }
}

TEST(DoctorCommand, Json) {
  const Ran ran =
      RunMain({"doctor", "--capture", kDoctorCaptures + "healthy-A.om.gz", "-o", "json"});
  const auto document = nlohmann::json::parse(ran.out);
  EXPECT_EQ(document["schema"], "schedlens.doctor/1");
  EXPECT_EQ(document["diagnosable"], true);
  EXPECT_EQ(document["checks"][0]["subject"], "source");
}

}  // namespace
}  // namespace schedlens
