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

bool NeighbourRegistry::Shows(Neighbour metric) const {
  const kube::NeighbourRow& row = RowOf(metric);
  const bool mine = row.component == component_ || row.component == kube::Component::kAny;
  return mine &&
         PresenceIn(row, row.component == component_ ? release_ : minor_) ==
             kube::Presence::kVisible &&
         OnByDefault(row.gate, minor_);
}

MetricChild& NeighbourRegistry::Get(Neighbour metric, std::initializer_list<NamedLabel> labels) {
  auto found = rows_.find(metric);
  if (found == rows_.end()) {
    if (!Shows(metric)) return unseen_;
    const kube::NeighbourRow& row = RowOf(metric);
    const MetricEra& era = EraIn(row, row.component == component_ ? release_ : minor_);
    MetricRow shown{.id = Metric::kCount, .name = row.name, .kind = row.kind, .eras = {era}};
    found = rows_.emplace(metric, std::move(shown)).first;
  }
  return Find(&found->second, labels);
}

MetricChild& NeighbourRegistry::Get(Metric metric, std::initializer_list<NamedLabel> labels) {
  const MetricRow& row = kube::RowOf(metric);
  if (PresenceIn(row, minor_) != kube::Presence::kVisible) return unseen_;
  return Find(&row, labels);
}

MetricChild& NeighbourRegistry::Find(const MetricRow* row,
                                     std::initializer_list<NamedLabel> labels) {
  const MetricEra& era = row->eras.size() == 1 ? row->eras.front() : EraIn(*row, minor_);
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
  child.bounds = &BoundsOf(era.buckets);
  child.label_values = values;
  if (!child.bounds->empty()) child.buckets.resize(child.bounds->size() + 1);
  children_.push_back(std::move(child));
  by_labels_.emplace(std::pair(row, std::move(values)), &children_.back());
  return children_.back();
}

std::map<std::string, std::string> NeighbourTypes() {
  std::map<std::string, std::string> out;
  for (const kube::NeighbourRow& row : kube::NeighbourTable()) {
    out[OpenMetricsFamily(row.name, row.kind)] = ToString(row.kind);
  }
  for (const Metric metric : {Metric::kBuildInfo, Metric::kLeader}) {
    out[std::string(kube::NameOf(metric))] = ToString(kube::RowOf(metric).kind);
  }
  return out;
}

}  // namespace schedlens::sim
