// What a diagnosis and the doctor say where only some of the rest of the control plane are scraped,
// or under other names: the recording of a slow webhook with parts of it taken away. The
// scheduler's findings stay as they are, nothing is made up, and what is missing is said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "diagnose/doctor/doctor.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<Series>& Whole() {
  static const std::vector<Series> all =
      ReadExposition(std::string(SCHEDLENS_SOURCE_DIR) +
                         "/examples/incidents/webhook-on-binding/metrics.om.gz",
                     std::nullopt)
          .series;
  return all;
}

std::string_view NameOf(const Series& series) { return series.labels.Get(kMetricName); }
bool IsOfJob(const Series& series, std::string_view job) { return series.labels.Get("job") == job; }

/// The recording without the series that `gone` names.
std::vector<Series> Without(const std::function<bool(const Series&)>& gone) {
  std::vector<Series> rest = Whole();
  std::erase_if(rest, gone);
  return rest;
}

struct Judgement {
  Diagnosis diagnosis;
  DoctorReport doctor;
};

Judgement Judge(std::vector<Series> series) {
  testing_support::StoreSource source(std::move(series));
  TimeRange extent{INT64_MAX, 0};
  for (const Series& one : Whole()) {
    extent.start = std::min(extent.start, one.samples.front().t);
    extent.end = std::max(extent.end, one.samples.back().t);
  }
  DiagnoseRequest request;  // the incident is looked for in the hour before
  request.now = extent.end;
  DoctorRequest check_up;
  check_up.range = extent;
  return {Diagnose(source, QuerySet::Embedded(), request),
          Examine(source, QuerySet::Embedded(), check_up)};
}

const Judgement& OfWhole() {
  static const Judgement judgement = Judge(Whole());
  return judgement;
}

/// Id, confidence and share of each finding: what the scheduler's own metrics say.
std::vector<std::string> OwnFindings(const Diagnosis& d) {
  std::vector<std::string> out;
  for (const Finding& finding : d.findings) {
    out.push_back(finding.id + " " + ToString(finding.confidence));
    if (finding.share) out.back() += " " + std::to_string(finding.share->value.value_or(-1));
  }
  return out;
}

std::vector<std::string> Behind(const Diagnosis& d) {
  std::vector<std::string> out;
  for (const Finding& finding : d.findings) {
    for (const CauseBehind& one : finding.behind) out.push_back(one.id + " " + one.object);
  }
  return out;
}

std::vector<std::string> StageIds(const Diagnosis& d) {
  std::vector<std::string> ids;
  for (const StageTime& stage : d.stages) ids.push_back(stage.id);
  return ids;
}

/// All that the doctor says of a component.
std::string Said(const DoctorReport& report, const std::string& subject) {
  std::string out;
  for (const CheckUp& check : report.checks) {
    if (check.subject != subject) continue;
    out += ToString(check.health) + ": " + InEnglish(check.text) + "\n";
    if (!check.fix.empty()) out += "-> " + InEnglish(check.fix) + "\n";
  }
  return out;
}

std::vector<std::string> ToScrape(const DoctorReport& report) {
  return report.configurations.empty() ? std::vector<std::string>()
                                       : report.configurations.front().components;
}

TEST(PartialInstalls, WithTheWholeControlPlaneTheWebhookIsNamed) {
  EXPECT_THAT(Behind(OfWhole().diagnosis), Contains("apiserver.webhook quota.policy.example"));
  EXPECT_THAT(Said(OfWhole().doctor, "kube-apiserver"),
              StartsWith("ok: 1 process of job apiserver"));
  EXPECT_EQ(
      Said(OfWhole().doctor, "etcd"),
      "ok: 1 process of job etcd\n"
      "note: etcd_server_leader_changes_seen_total is not there, though others of the same "
      "process are: elections are not seen\n"
      "-> keep etcd_server_leader_changes_seen_total in metric_relabel_configs of job etcd\n"
      "note: etcd_network_peer_round_trip_time_seconds is not there (nothing to count yet, or "
      "dropped): the network between members is not seen\n");
  EXPECT_THAT(ToScrape(OfWhole().doctor), ElementsAre("kube-controller-manager", "csi-sidecar"));
}

TEST(PartialInstalls, AManagedControlPlaneWithoutEtcd) {
  const Judgement j = Judge(Without([](const Series& one) { return IsOfJob(one, "etcd"); }));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_EQ(Behind(j.diagnosis), Behind(OfWhole().diagnosis)) << "etcd was not slow";
  EXPECT_THAT(StageIds(j.diagnosis), Contains("apiserver.storage")) << "the API server's own view";
  EXPECT_THAT(Said(j.doctor, "etcd"), HasSubstr("note: no etcd in this source: slow storage is not "
                                                "told further"));
  EXPECT_THAT(Said(j.doctor, "etcd"), HasSubstr("listen-metrics-urls"));
  EXPECT_THAT(ToScrape(j.doctor), Contains("etcd"));
  EXPECT_THAT(ToScrape(j.doctor), Not(Contains("kube-apiserver")));
}

TEST(PartialInstalls, TheApiServerUnderAnotherJob) {
  std::vector<Series> renamed = Whole();
  for (Series& one : renamed) {
    if (IsOfJob(one, "apiserver")) one.labels = one.labels.With("job", "eks-control-plane");
  }
  const Judgement j = Judge(std::move(renamed));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_EQ(Behind(j.diagnosis), Behind(OfWhole().diagnosis));
  EXPECT_EQ(StageIds(j.diagnosis), StageIds(OfWhole().diagnosis));
  EXPECT_THAT(Said(j.doctor, "kube-apiserver"),
              StartsWith("ok: 1 process of job eks-control-plane\n"));
}

TEST(PartialInstalls, RecordingRulesAloneProveNothing) {
  std::vector<Series> rules =
      Without([](const Series& one) { return IsOfJob(one, "apiserver") || IsOfJob(one, "etcd"); });
  std::vector<Sample> samples;
  for (const Series& one : Whole()) {
    if (NameOf(one) == "scheduler_schedule_attempts_total") samples = one.samples;
  }
  for (Sample& sample : samples) sample.v = 0.2;
  rules.push_back(
      {Labels{{kMetricName,
               "cluster_quantile:apiserver_request_sli_duration_seconds:histogram_quantile"},
              {"quantile", "0.99"},
              {"verb", "write"},
              {"resource", "pods"},
              {"subresource", "binding"}},
       samples,
       {}});
  rules.push_back({Labels{{kMetricName, "code_resource:apiserver_request_total:rate5m"},
                          {"code", "201"},
                          {"resource", "pods"}},
                   samples,
                   {}});
  const Judgement j = Judge(std::move(rules));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_THAT(Behind(j.diagnosis), IsEmpty());
  EXPECT_THAT(StageIds(j.diagnosis), Not(Contains(StartsWith("apiserver"))));
  EXPECT_THAT(
      Said(j.doctor, "kube-apiserver"),
      HasSubstr("only recording rules (cluster_quantile:apiserver_request_sli_duration_"
                "seconds:histogram_quantile, code_resource:apiserver_request_total:rate5m), "
                "which have no sums of bindings"));
  EXPECT_THAT(Said(j.doctor, "etcd"), StartsWith("note: no etcd in this source: "));
  EXPECT_THAT(ToScrape(j.doctor),
              ElementsAre("kube-apiserver", "etcd", "kube-controller-manager", "csi-sidecar"));
}

TEST(PartialInstalls, KubeStateMetricsWithoutPods) {
  const Judgement j =
      Judge(Without([](const Series& one) { return NameOf(one).starts_with("kube_pod_"); }));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_EQ(Behind(j.diagnosis), Behind(OfWhole().diagnosis));
  ASSERT_TRUE(j.diagnosis.impact);
  EXPECT_FALSE(j.diagnosis.impact->coverage.kube_state_metrics);
  EXPECT_THAT(j.diagnosis.impact->workloads, IsEmpty()) << "no name is made up";
  EXPECT_EQ(j.diagnosis.impact->pods_over_threshold.low,
            OfWhole().diagnosis.impact->pods_over_threshold.low)
      << "the scheduler's own";
  const std::string said = Said(j.doctor, "kube-state-metrics");
  EXPECT_THAT(said, StartsWith("ok: 1 process of job kube-state-metrics\n"));
  EXPECT_THAT(said, HasSubstr("kube_pod_created is not there"));
  EXPECT_THAT(said, HasSubstr("nobody can say who was hit"));
}

TEST(PartialInstalls, AHistogramThatRelabellingDrops) {
  const Judgement j = Judge(Without([](const Series& one) {
    return NameOf(one).starts_with("apiserver_request_sli_duration_seconds");
  }));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  for (const Finding& finding : j.diagnosis.findings) {
    EXPECT_THAT(finding.behind,
                Not(Contains(Field(&CauseBehind::confidence, Confidence::kCertain))))
        << "without the indicator nothing says which webhook bindings met";
  }
  EXPECT_THAT(Said(j.doctor, "kube-apiserver"),
              HasSubstr("-> keep apiserver_request_sli_duration_seconds in metric_relabel_configs "
                        "of job apiserver"));
  EXPECT_THAT(ToScrape(j.doctor), Not(Contains("kube-apiserver"))) << "it is scraped";
}

TEST(PartialInstalls, LabelsThatRelabellingRenames) {
  std::vector<Series> renamed = Whole();
  for (Series& one : renamed) {
    if (!NameOf(one).starts_with("apiserver_request_")) continue;
    const std::string subresource(one.labels.Get("subresource"));
    one.labels = one.labels.With("sub_resource", subresource).Without("subresource");
  }
  const Judgement j = Judge(std::move(renamed));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_THAT(Behind(j.diagnosis), IsEmpty());
  EXPECT_THAT(Said(j.doctor, "kube-apiserver"),
              HasSubstr("apiserver_request_duration_seconds of pods/binding is not there, though"));
}

TEST(PartialInstalls, NoControlPlaneAtAll) {
  const Judgement j =
      Judge(Without([](const Series& one) { return !IsOfJob(one, "kube-scheduler"); }));
  EXPECT_EQ(OwnFindings(j.diagnosis), OwnFindings(OfWhole().diagnosis));
  EXPECT_THAT(Behind(j.diagnosis), IsEmpty());
  EXPECT_THAT(j.diagnosis.changes, IsEmpty());
  for (const ComponentFound& seen : j.doctor.control_plane) EXPECT_EQ(seen.instances, 0U);
  EXPECT_EQ(ToScrape(j.doctor).size(), j.doctor.control_plane.size());
  EXPECT_TRUE(j.doctor.diagnosable);
}

TEST(WithoutABaseline, NoInnocentWebhookIsNamedWhateverTheWindow) {
  testing_support::StoreSource source(Whole());
  constexpr TimeMs kBegin = 1795313880000, kBroken = 1795314020000, kEnd = 1795314318000;
  for (TimeMs start = kBegin; start <= kBroken; start += 70'000) {
    for (TimeMs end = kBroken + 90'000; end <= kEnd; end += 50'000) {
      for (const bool exact : {false, true}) {
        DiagnoseRequest request;
        request.window = {start, end};
        request.exact = exact;
        request.want_baseline = false;
        request.now = kEnd;
        const Diagnosis d = Diagnose(source, QuerySet::Embedded(), request);
        EXPECT_EQ(d.verdict, Verdict::kIncident);
        EXPECT_THAT(Behind(d), ElementsAre("apiserver.webhook quota.policy.example"))
            << (start - kBegin) / 1000 << " s to " << (end - kBegin) / 1000 << " s";
      }
    }
  }
}

}  // namespace
}  // namespace schedlens
