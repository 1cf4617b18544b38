#include "analysis/doctor/scrape_configuration.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace schedlens {
namespace {

using kube::Component;

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
