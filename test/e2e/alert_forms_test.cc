// One alert in every form in which somebody may hold it: its expression, the link that Prometheus
// puts into a notification, links to its pages of today and before, and what Alertmanager and
// Grafana post to a webhook. All give the same diagnosis.

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "cli/process.h"
#include "e2e/alerting.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

/// kSlowExpr as a server prints it.
constexpr const char* kExpr =
    "histogram_quantile(0.99, sum without (instance, pod) "
    "(rate(scheduler_e2e_scheduling_duration_seconds_bucket{job=\"kube-scheduler\"}[1m]))) > 1";

/// Takes what a Prometheus posts to its Alertmanager.
class Alertmanager {
 public:
  int port() const { return server_.port(); }
  /// Waits for an alert that fires, as it was posted.
  json AwaitAlert() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      {
        const std::lock_guard lock(mutex_);
        if (!posted_.empty()) return posted_;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // between two looks
    }
    return {};
  }

 private:
  FakeReply Take(const FakeRequest& request) {
    const json list = json::parse(request.body, nullptr, false);
    const std::lock_guard lock(mutex_);
    if (list.is_array() && !list.empty()) posted_ = list.front();
    return Http(200, "{}");
  }

  std::mutex mutex_;
  json posted_;
  FakeServer server_{[this](const FakeRequest& request) { return Take(request); }};
};

class AlertForms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Installed("prometheus") || !Installed("promtool")) return;
    work_ = new TempDir;
    const Exposition capture = IncidentNow();
    const TimeRange extent = ExtentOf(capture);
    window_ = {extent.start + 150'000, extent.start + 400'000};
    WriteBlocks(capture, work_->path());
    std::ofstream(work_->path() / "rules.yml")
        << "groups:\n- name: scheduler\n  interval: 1s\n  rules:\n  - alert: SchedulerSlow\n"
           "    expr: "
        << kExpr << "\n    for: 1s\n    labels: {severity: page}\n";
    Alertmanager alertmanager;
    server_ = StartConfigured(work_->path(),
                              fmt::format("rule_files: [rules.yml]\n"
                                          "global: {{evaluation_interval: 1s}}\n"
                                          "alerting:\n  alertmanagers:\n  - static_configs:\n"
                                          "    - targets: ['127.0.0.1:{}']\n",
                                          alertmanager.port()),
                              "/-/ready", {"--rules.alert.resend-delay=1s"})
                  .release();
    WaitForAlert(*server_, "firing");
    posted_ = alertmanager.AwaitAlert();
  }
  static void TearDownTestSuite() {
    delete server_;
    delete work_;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
    ASSERT_TRUE(posted_.is_object()) << "Prometheus posted no alert";
    expected_ = Diagnosis({"--alert", kExpr});
    ASSERT_EQ(expected_.at("verdict"), "incident");
    ASSERT_EQ(expected_.at("findings").at(0).at("id"), "bind.extender");
    ASSERT_EQ(expected_.at("alert").at("threshold"), 1);
  }

  static Finished Diagnose(const std::vector<std::string>& alert, const std::string& in = "") {
    std::vector<std::string> arguments = {"diagnose", "--prometheus", server_->url(),
                                          "--start",  Seconds(0),     "--end",
                                          Seconds(1), "-o",           "json"};
    arguments.insert(arguments.end(), alert.begin(), alert.end());
    return RunBinary(arguments, in);
  }
  static std::string Seconds(int edge) {
    const TimeMs t = edge == 0 ? window_.start : window_.end;
    return fmt::format("{:.3f}", static_cast<double>(t) / 1000);
  }

  /// The diagnosis, without what can only be said of an alert that has a name: whether its own
  /// stored samples agree, and when it fired; and without the words that asked.
  static json Diagnosis(const std::vector<std::string>& alert, const std::string& in = "") {
    const Finished finished = Diagnose(alert, in);
    EXPECT_EQ(finished.code, 0) << finished.err;
    json document = json::parse(finished.out, nullptr, false);
    if (!document.is_object()) return document;
    document.erase("command");
    document.at("alert").erase("episodes");
    document.at("alert").erase("for_seconds");
    json& redone = document.at("alert").at("recomputed");
    for (std::size_t i = redone.size(); i > 0; --i) {
      if (redone[i - 1].at("what").get<std::string>().starts_with("ALERTS of SchedulerSlow")) {
        EXPECT_EQ(redone[i - 1].at("agrees"), true);
        redone.erase(i - 1);
      }
    }
    return document;
  }

  void ExpectSame(const std::string& form, const std::vector<std::string>& alert,
                  const std::string& in = "") const {
    const json document = Diagnosis(alert, in);
    EXPECT_TRUE(document == expected_) << form << ": " << json::diff(expected_, document).dump(1);
  }

  /// From a file and by standard input.
  void ExpectWebhook(const std::string& form, const json& body) const {
    const std::string file = (work_->path() / "body.json").string();
    std::ofstream(file) << body.dump();
    ExpectSame(form, {"--webhook", file});
    ExpectSame(form + " by standard input", {"--webhook", "-"}, file);
  }

  static inline TempDir* work_ = nullptr;
  static inline Server* server_ = nullptr;
  static inline TimeRange window_;
  static inline json posted_;
  json expected_;
};

TEST_F(AlertForms, TheLinkThatPrometheusItselfPutsIntoAnAlert) {
  const std::string link = posted_.at("generatorURL");
  EXPECT_NE(link.find("g0.expr="), std::string::npos) << link;
  ExpectSame("generatorURL", {"--alert", link});
}

TEST_F(AlertForms, LinksToTheGraphPagesOfPrometheus2And3) {
  const std::string expr = "g0.expr=" + PercentEncode(kExpr);
  ExpectSame("Prometheus 2", {"--alert", server_->url() + "/graph?" + expr +
                                             "&g0.tab=0&g0.stacked=0&g0.range_input=1h"});
  const std::string end = FormatTime(window_.end).substr(0, 19);
  ExpectSame("Prometheus 3",
             {"--alert", server_->url() + "/query?" + expr +
                             "&g0.show_tree=0&g0.tab=graph&g0.range_input=1h&g0.end_input=" +
                             PercentEncode(end) + "&g0.display_mode=lines"});
}

TEST_F(AlertForms, WhatAlertmanagerPosts) {
  const json alert = {{"status", "firing"},
                      {"labels", posted_.at("labels")},
                      {"annotations", json::object()},
                      {"startsAt", posted_.at("startsAt")},
                      {"endsAt", "0001-01-01T00:00:00Z"},
                      {"generatorURL", posted_.at("generatorURL")},
                      {"fingerprint", "1f2e3d4c5b6a7980"}};
  ExpectWebhook("Alertmanager", {{"version", "4"},
                                 {"groupKey", "{}:{alertname=\"SchedulerSlow\"}"},
                                 {"truncatedAlerts", 0},
                                 {"status", "firing"},
                                 {"receiver", "hook"},
                                 {"groupLabels", {{"alertname", "SchedulerSlow"}}},
                                 {"commonLabels", posted_.at("labels")},
                                 {"commonAnnotations", json::object()},
                                 {"externalURL", "http://alertmanager:9093"},
                                 {"alerts", json::array({alert})}});
}

/// Grafana's link leads to its own page of the rule: the expression is the server's rule of that
/// name.
TEST_F(AlertForms, WhatGrafanaPosts) {
  json labels = posted_.at("labels");
  labels["grafana_folder"] = "scheduler";
  const json alert = {{"status", "firing"},
                      {"labels", labels},
                      {"annotations", {{"summary", "scheduling is slow"}}},
                      {"startsAt", posted_.at("startsAt")},
                      {"endsAt", "0001-01-01T00:00:00Z"},
                      {"generatorURL", "http://grafana:3000/alerting/grafana/d3a7/view?orgId=1"},
                      {"fingerprint", "89aa10f3c2b54e21"},
                      {"silenceURL", "http://grafana:3000/alerting/silence/new?alertmanager=x"},
                      {"dashboardURL", ""},
                      {"panelURL", ""},
                      {"values", {{"A", 7.26}, {"B", 1}}},
                      {"valueString", "[ var='A' labels={job=kube-scheduler} value=7.26 ]"}};
  ExpectWebhook("Grafana", {{"receiver", "hook"},
                            {"status", "firing"},
                            {"orgId", 1},
                            {"alerts", json::array({alert})},
                            {"groupLabels", {{"alertname", "SchedulerSlow"}}},
                            {"commonLabels", labels},
                            {"commonAnnotations", {{"summary", "scheduling is slow"}}},
                            {"externalURL", "http://grafana:3000/"},
                            {"version", "1"},
                            {"groupKey", "{}:{alertname=\"SchedulerSlow\"}"},
                            {"truncatedAlerts", 0},
                            {"title", "[FIRING:1] SchedulerSlow"},
                            {"state", "alerting"},
                            {"message", "**Firing**"}});
}

}  // namespace
}  // namespace schedlens::test
