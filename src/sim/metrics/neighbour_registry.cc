#include "sim/metrics/neighbour_registry.h"

#include <algorithm>

#include "sim/metrics/scraper.h"

namespace schedlens::sim {
namespace {

int ReleaseOf(kube::Component component, int minor) {
  if (component == kube::Component::kEtcd) return kube::EtcdOf(minor);
  if (component == kube::Component::kKubeStateMetrics) return kube::KubeStateMetricsOf(minor);
  return minor;
}

// Before 1.20 some labels were written otherwise.
std::string_view NewestSpelling(std::string_view label) {
  if (label == "priorityLevel") return "priority_level";
  if (label == "flowSchema") return "flow_schema";
  return label == "requestKind" ? "request_kind" : label;
}

}  // namespace

NeighbourRegistry::NeighbourRegistry(kube::Component component, int minor)
    : component_(component), minor_(minor), release_(ReleaseOf(component, minor)) {}

int NeighbourRegistry::ReleaseFor(const MetricRow& row) const {
  return row.component == component_ ? release_ : minor_;
}

bool NeighbourRegistry::Shows(Metric metric) const {
  using enum kube::Component;
  const MetricRow& row = kube::RowOf(metric);
  const bool shared = row.component == kAny || row.component == kScheduler;
  return (shared || row.component == component_) &&
         PresenceIn(row, ReleaseFor(row)) == kube::Presence::kVisible &&
         OnByDefault(row.gate, minor_);
}

MetricChild& NeighbourRegistry::Get(Metric metric, std::initializer_list<NamedLabel> labels) {
  if (!Shows(metric)) return unseen_;
  const MetricRow* row = &kube::RowOf(metric);
  const MetricEra& era = EraIn(*row, ReleaseFor(*row));
  std::vector<std::string> values;
  for (const std::string_view label : era.labels) {
    const auto given = std::find_if(labels.begin(), labels.end(), [&](const NamedLabel& named) {
      return named.first == NewestSpelling(label);
    });
    values.emplace_back(given == labels.end() ? "" : given->second);
  }
  const auto found = by_labels_.find({row, values});
  if (found != by_labels_.end()) return *found->second;
  MetricChild child;
  child.row = row;
  child.era = &era;
  child.bounds = era.bounds;
  child.label_values = values;
  if (!child.bounds->empty()) child.buckets.resize(child.bounds->size() + 1);
  children_.push_back(std::move(child));
  by_labels_.emplace(std::pair(row, std::move(values)), &children_.back());
  return children_.back();
}

std::map<std::string, std::string> NeighbourTypes() {
  std::map<std::string, std::string> out;
  for (const MetricRow& row : kube::NeighbourTable()) {
    out[OpenMetricsFamily(row.name, row.kind)] = ToString(row.kind);
  }
  for (const Metric metric : {Metric::kBuildInfo, Metric::kLeader}) {
    out[std::string(kube::NameOf(metric))] = ToString(kube::RowOf(metric).kind);
  }
  return out;
}

}  // namespace schedlens::sim
