#include "diagnose/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/last_seen.h"
#include "diagnose/collect/missing.h"
#include "diagnose/doctor/checks.h"
#include "diagnose/doctor/neighbours.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Component;

constexpr TimeMs kLookBack = 30 * 60 * 1000;
/// How many of the names that are there instead are shown.
constexpr std::size_t kShownNames = 12;

void Append(std::vector<CheckUp>& to, std::vector<CheckUp> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

/// Values of one label over a vector, the ones with most series first.
std::vector<std::string> Names(const Answer& answer, std::string_view label) {
  std::vector<std::pair<double, std::string>> counted;
  for (const Series& series : answer.series) {
    const double count = series.samples.empty() ? 0 : series.samples.back().v;
    counted.emplace_back(-count, std::string(series.labels.Get(label)));
  }
  std::sort(counted.begin(), counted.end());
  std::vector<std::string> names;
  for (auto& [count, name] : counted) names.push_back(name.empty() ? "(none)" : std::move(name));
  return names;
}

/// Names of a scheduler's metrics, when those of its attempts are not among them.
struct Remnant {
  std::vector<std::string> names;
  std::string promql;
};

Remnant FindRemnant(Source& source, const TimeRange& range, const std::string& selector) {
  Remnant found;
  const std::string statement = fmt::format(
      "count by (__name__) (last_over_time({{__name__=~\"{}.+\", $selector}}[$window]))",
      kube::kOwnPrefix);
  found.promql =
      Substitute(statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  const Answer answer =
      source.Ask({.promql = found.promql, .start = range.end, .end = range.end, .step_ms = 0});
  found.names = Names(answer, "__name__");
  std::sort(found.names.begin(), found.names.end());
  return found;
}

/// The first of the names, and dots for those left out.
std::string Listed(std::vector<std::string> names) {
  const bool more = names.size() > kShownNames;
  names.resize(std::min(names.size(), kShownNames));
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

CheckUp OnlyRemnant(const Remnant& remnant) {
  return {.health = Health::kProblem,
          .subject = "scheduler",
          .text = Message("doctor.remnant", {{"names", Listed(remnant.names)}}),
          .fix = Message("doctor.remnant.fix",
                         {{"attempts", arg::Metric(NameOf(kube::Metric::kAttempt))},
                          {"runs", arg::Metric(NameOf(kube::Metric::kAlgorithm))}}),
          .evidence = Shown(remnant.promql)};
}

/// What else a source holds, after the sentence that it holds no scheduler.
Message WhatElse(Message nothing, const std::vector<std::string>& names, bool local) {
  if (names.empty()) return Message("doctor.nothing.at_all", {{"nothing", std::move(nothing)}});
  return Message(local ? "doctor.nothing.metrics" : "doctor.nothing.jobs",
                 {{"nothing", std::move(nothing)},
                  {"count", arg::Count(names.size())},
                  {"names", Listed(names)}});
}

Message Both(Message first, Message second) {
  return Message("list.pair", {{"first", std::move(first)}, {"second", std::move(second)}});
}

/// When a scheduler was scraped last before the range.
std::optional<NearestScrape> LastSeen(Source& source, const TimeRange& range) {
  auto seen = FindNearestScrape(
      source, fmt::format("{{__name__=~\"{}{}\"}}", kube::kOwnPrefix, kube::kOwnCounts), range);
  return seen && seen->before ? seen : std::nullopt;
}

/// What is there, when it is no scheduler.
CheckUp NothingFound(Source& source, const SourceInfo& info, const TimeRange& range,
                     const std::string& selector) {
  // Samples in memory are few enough to count by name; on a server that would touch every series.
  const bool local = info.extent.has_value();
  const std::string label = local ? "__name__" : "job";
  const std::string promql =
      local ? fmt::format("count by (__name__) (last_over_time({{__name__=~\".+\"}}[{}]))",
                          FormatDuration(std::max<TimeMs>(range.end - range.start, 1)))
            : "count by (job) (up)";
  const Answer answer =
      source.Ask({.promql = promql, .start = range.end, .end = range.end, .step_ms = 0});
  Message nothing = selector.empty() ? Message("doctor.nothing")
                                     : Message("doctor.nothing.selector", {{"selector", selector}});
  CheckUp check{.health = Health::kProblem,
                .subject = "scheduler",
                .text = WhatElse(std::move(nothing), Names(answer, label), local),
                .fix = Message(selector.empty() ? "doctor.nothing.fix" : "doctor.selector.fix"),
                .evidence = Shown(promql)};
  const auto elsewhere = FindRelabelledMetrics(source, selector, range);
  if (elsewhere && !elsewhere->failure.empty()) {
    check.text = Both(check.text, elsewhere->failure);
  } else if (elsewhere) {
    check.text = Both(check.text, elsewhere->text);
    check.fix = elsewhere->fix;
    check.evidence = Shown(elsewhere->promql);
  } else if (const auto seen = local ? std::nullopt : LastSeen(source, range)) {
    check.text = Both(check.text, Message("doctor.last_seen", {{"at", arg::Time(seen->at)}}));
    check.fix = Message("doctor.last_seen.fix", {{"at", arg::Time(seen->at)}});
    check.evidence = Shown(seen->promql);
  }
  return check;
}

/// A page without times, or what else is of one moment: whose metrics they are can be told, and
/// nothing of attempts or scrapes.
void ExamineOneMoment(const Facts& facts, std::vector<CheckUp>* checks) {
  const Message evidence = checks->front().evidence;  // the source's first and last sample
  checks->push_back({.health = Health::kProblem,
                     .subject = "scrapes",
                     .text = Message("doctor.one_moment"),
                     .fix = Message("doctor.one_moment.fix"),
                     .evidence = evidence});
  for (const Target& target : facts.targets) {
    checks->push_back({.health = Health::kOk,
                       .subject = "scheduler",
                       .text = Message("doctor.scheduler.here", {{"target", target.id.ToString()}}),
                       .fix = {},
                       .evidence = evidence});
  }
  const ReleaseRange release = DetectRelease(facts);
  checks->push_back(CheckRelease(facts, release));
  Append(*checks, CheckMissing(facts, release));
}

/// One component: an item of `scrape_configs`, and what the chart's values need, which for a
/// component that the chart does not know is the same item. Every line of both ends.
struct Job {
  Component component;
  std::string_view item;
  std::string_view values;
};

constexpr Job kJobs[] = {
    {Component::kApiServer, R"(- job_name: apiserver
  scheme: https
  kubernetes_sd_configs: [{role: endpoints, namespaces: {names: [default]}}]
  authorization: {credentials_file: /var/run/secrets/kubernetes.io/serviceaccount/token}
  tls_config: {ca_file: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt}
  relabel_configs:
    - {source_labels: [__meta_kubernetes_service_name], regex: kubernetes, action: keep}
    - {source_labels: [__meta_kubernetes_endpoint_port_name], regex: https, action: keep}
)",
     R"(kubeApiServer: {enabled: true}
)"},
    {Component::kEtcd, R"(- job_name: etcd
  kubernetes_sd_configs: [{role: pod, namespaces: {names: [kube-system]}}]
  relabel_configs:
    - {source_labels: [__meta_kubernetes_pod_label_component], regex: etcd, action: keep}
    - {source_labels: [__meta_kubernetes_pod_ip], replacement: "$1:2381", target_label: __address__}
)",
     R"(kubeEtcd: {enabled: true, service: {enabled: true, port: 2381, targetPort: 2381}}
)"},
    {Component::kKubeStateMetrics, R"(- job_name: kube-state-metrics
  honor_labels: true
  kubernetes_sd_configs: [{role: pod}]
  relabel_configs:
    - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name], regex: kube-state-metrics, action: keep}
    - {source_labels: [__meta_kubernetes_pod_container_port_number], regex: "8080", action: keep}
)",
     R"(kubeStateMetrics: {enabled: true}
)"},
    {Component::kControllerManager, R"(- job_name: kube-controller-manager
  scheme: https
  kubernetes_sd_configs: [{role: pod, namespaces: {names: [kube-system]}}]
  authorization: {credentials_file: /var/run/secrets/kubernetes.io/serviceaccount/token}
  tls_config: {insecure_skip_verify: true}
  relabel_configs:
    - {source_labels: [__meta_kubernetes_pod_label_component], regex: kube-controller-manager, action: keep}
    - {source_labels: [__meta_kubernetes_pod_ip], replacement: "$1:10257", target_label: __address__}
)",
     R"(kubeControllerManager: {enabled: true, serviceMonitor: {https: true, insecureSkipVerify: true}}
)"},
    {Component::kCsiSidecar, R"(- job_name: csi-sidecars
  kubernetes_sd_configs: [{role: pod}]
  relabel_configs:
    - {source_labels: [__meta_kubernetes_pod_container_name], regex: csi-(provisioner|attacher), action: keep}
    - {source_labels: [__meta_kubernetes_pod_container_port_name], regex: metrics|http-endpoint, action: keep}
)",
     ""},
};

std::string Indented(std::string_view text, std::size_t by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    out.append(by, ' ').append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string Prometheus(const std::vector<Job>& jobs) {
  std::string out = "scrape_configs:\n";
  for (const Job& job : jobs) out += Indented(job.item, 2);
  return out;
}

std::string Values(const std::vector<Job>& jobs) {
  std::string out, items;
  for (const Job& job : jobs) {
    out += job.values;
    if (job.values.empty()) items += Indented(job.item, 6);
  }
  if (items.empty()) return out;
  return out + "prometheus:\n  prometheusSpec:\n    additionalScrapeConfigs:\n" + items;
}

/// The collector replaces `$NAME` itself, and takes `$$` for a dollar.
std::string Collector(const std::vector<Job>& jobs) {
  std::string out = "receivers:\n  prometheus/neighbours:\n    config:\n      scrape_configs:\n";
  for (const Job& job : jobs) out += Indented(job.item, 8);
  for (std::size_t at = out.find('$'); at != std::string::npos; at = out.find('$', at + 2)) {
    out.insert(at, 1, '$');
  }
  return out +
         "service:\n  pipelines:\n    metrics/neighbours:\n"
         "      receivers: [prometheus/neighbours]\n"
         "      exporters: [prometheusremotewrite]  # the one of your other pipelines\n";
}

}  // namespace

DoctorReport Examine(Source& source, const QuerySet& queries, const DoctorRequest& request) {
  DoctorReport report;
  const SourceInfo info = source.Describe();
  report.checks.push_back(CheckSource(info));
  for (const Message& warning : info.warnings) {
    report.checks.push_back({Health::kNote, "source", warning, {}, {}});
  }
  if (!request.access.empty()) report.checks.push_back(CheckAccess(request.access));
  if (request.clock_skew) report.checks.push_back(CheckClock(*request.clock_skew));

  TimeRange range = request.range.value_or(TimeRange{request.now - kLookBack, request.now});
  if (!request.range && info.extent) range = {info.extent->start - 1, info.extent->end};
  const Facts facts = Collect(source, queries, request.selector, range);
  if (facts.targets.empty()) {
    const Remnant remnant = FindRemnant(source, range, request.selector);
    report.checks.push_back(remnant.names.empty()
                                ? NothingFound(source, info, range, request.selector)
                                : OnlyRemnant(remnant));
    return report;
  }
  if (info.extent && info.extent->start == info.extent->end) {
    ExamineOneMoment(facts, &report.checks);
    return report;
  }
  const ReleaseRange release = DetectRelease(facts);
  const CheckUp attempts = CheckAttempts(facts);
  Append(report.checks, CheckReplicas(facts));
  report.checks.push_back(CheckRelease(facts, release));
  report.checks.push_back(attempts);
  Append(report.checks, CheckScrapes(facts));
  Append(report.checks, CheckRestarts(facts));
  Append(report.checks, CheckMissing(facts, release));
  NeighbourCheckUp neighbours = CheckNeighbours(source, queries, facts, release);
  Append(report.checks, std::move(neighbours.checks));
  report.neighbours = std::move(neighbours.seen);
  report.configurations = std::move(neighbours.configurations);
  for (const Message& warning : facts.warnings) {
    report.checks.push_back({Health::kNote, "server", warning, {}, {}});
  }
  report.diagnosable = attempts.health != Health::kProblem;
  return report;
}

std::vector<ScrapeConfiguration> ScrapeConfigurations(const std::vector<Component>& components) {
  std::vector<Job> jobs;
  std::vector<std::string> names;
  for (const Job& job : kJobs) {
    if (std::find(components.begin(), components.end(), job.component) == components.end()) {
      continue;
    }
    jobs.push_back(job);
    names.emplace_back(ToString(job.component));
  }
  if (jobs.empty()) return {};
  return {{"prometheus", names, Prometheus(jobs)},
          {"kube-prometheus-stack", names, Values(jobs)},
          {"opentelemetry-collector", names, Collector(jobs)}};
}

}  // namespace schedlens
