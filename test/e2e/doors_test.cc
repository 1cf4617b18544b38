// Pages about anything in the control plane, posted to `serve` beside a real server: each gets a
// report, from the same recording the same cause, and one about something else says that it is.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using testing::StartsWith;

struct DoorPage {
  const char* name;
  const char* expr;
  const char* headline;
};

constexpr const char* kDoorCause = "Proven: the webhook quota.policy.example is slow";
constexpr const char* kDoorElsewhere = "The alert does not query schedulers";

// One page a kind, as they are written for kube-state-metrics, etcd, any job and a node exporter.
constexpr DoorPage kDoorPages[] = {
    {"PodsPending",
     R"(sum(kube_pod_status_phase{job="kube-state-metrics",phase="Pending",namespace!=""}) > 1)",
     kDoorCause},
    {"EtcdFsync",
     R"(histogram_quantile(0.99, sum by (instance, le) )"
     R"((rate(etcd_disk_wal_fsync_duration_seconds_bucket{job=~".*etcd.*"}[5m]))) > 0.5)",
     kDoorCause},
    {"SchedulerDown", R"(up{job="kube-scheduler"} == 0)",
     "The alert does not fire in this window. Meanwhile: proven: the webhook quota.policy.example"},
    {"NodeDown", R"(up{job="node-exporter",cluster=""} == 0)", kDoorElsewhere},
};

std::string DoorWebhook(const DoorPage& page, std::size_t number, TimeMs at) {
  const std::string time = FormatTime(at);
  const json labels = {{"alertname", page.name}, {"severity", "critical"}};
  return json{{"version", "4"},
              {"status", "firing"},
              {"groupKey", fmt::format("{{}}:{{alertname=\"{}\"}}", page.name)},
              {"groupLabels", {{"alertname", page.name}}},
              {"commonLabels", labels},
              {"commonAnnotations", json::object()},
              {"externalURL", "http://alertmanager:9093"},
              {"alerts",
               {{{"status", "firing"},
                 {"labels", labels},
                 {"annotations", {{"summary", page.name}}},
                 {"startsAt", time},
                 {"endsAt", "0001-01-01T00:00:00Z"},
                 {"generatorURL",
                  "http://prometheus:9090/graph?" + HttpClient().Form({{"g0.expr", page.expr}})},
                 {"fingerprint", fmt::format("{:016x}", number + 1)}}}}}
      .dump();
}

/// What the folder's reports say, by the alert's name.
std::map<std::string, std::string> HeadlinesByAlert(const fs::path& reports) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(reports)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".json" || name == "state.json") continue;
    const json report = json::parse(ReadFile(entry.path()), nullptr, false);
    if (report.is_discarded()) continue;
    EXPECT_EQ(report.at("alert").at("given"), true) << name;
    found[name.substr(0, name.find('-'))] = report.at("headline");
  }
  return found;
}

void ExpectAnAnswerToEach(const std::string& url, TimeMs at, const fs::path& work) {
  const fs::path reports = work / "reports";
  const std::string address = "127.0.0.1:" + std::to_string(FreePort());
  Server serve({SCHEDLENS_BINARY, "serve", "--prometheus", url, "--listen", address, "--out",
                reports.string(), "--no-cross-check"},
               "http://" + address, "/-/healthy", work / "serve.log");
  for (std::size_t i = 0; i < std::size(kDoorPages); ++i) {
    long status = 0;
    serve.client().Post(serve.url() + "/webhook", DoorWebhook(kDoorPages[i], i, at), &status);
    EXPECT_EQ(status, 200) << kDoorPages[i].name;
  }
  std::map<std::string, std::string> found;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);
  while (found.size() < std::size(kDoorPages) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // between two looks
    found = HeadlinesByAlert(reports);
  }
  for (const DoorPage& page : kDoorPages) {
    EXPECT_THAT(found[page.name], StartsWith(page.headline))
        << page.name << "\n"
        << ReadFile((work / "serve.log").string());
  }
}

TEST(Doors, APrometheusAndEveryPage) {
  if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  const TempDir work;
  const Exposition recorded = ReadIncident("webhook-on-binding");
  const auto server = StartOver(recorded, work.path());
  ExpectAnAnswerToEach(server->url(), ExtentOf(recorded).end - 60'000, work.path());
}

TEST(Doors, AVictoriaMetricsAndEveryPage) {
  if (!Installed("victoria-metrics")) GTEST_SKIP() << "no VictoriaMetrics here";
  const TempDir work;
  const Exposition recorded = ReadIncident("webhook-on-binding");
  const auto server = StartVictoriaMetrics(work.path());
  Import(recorded.series, *server);
  ExpectAnAnswerToEach(server->url(), ExtentOf(recorded).end - 60'000, work.path());
}

}  // namespace
}  // namespace schedlens::test
