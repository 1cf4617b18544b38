#include "scheduler/metrics/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text.h"

namespace schedlens::sim {
namespace {

bool GateOpen(kube::Gate gate, int minor, const MetricGates& gates) {
  if (gate == kube::Gate::kAsyncApiCalls) return gates.async_api;
  if (gate == kube::Gate::kAsyncPreemption) return gates.async_preemption;
  if (gate == kube::Gate::kGenericWorkload) return gates.generic_workload;
  return OnByDefault(gate, minor);
}

/// The values of those labels that the release has: later ones added labels at the end.
std::span<const std::string_view> Known(std::initializer_list<std::string_view> values,
                                        const MetricEra& era) {
  return {values.begin(), std::min(values.size(), era.labels.size())};
}

std::string Escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string LabelText(const MetricChild& child, std::string_view le) {
  std::string out;
  for (std::size_t i = 0; i < child.label_values.size(); ++i) {
    out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", child.era->labels[i],
                       Escape(child.label_values[i]));
  }
  if (!le.empty()) out += fmt::format("{}le=\"{}\"", out.empty() ? "" : ",", le);
  return out.empty() ? out : "{" + out + "}";
}

void WriteChild(const MetricChild& child, std::string* out) {
  const MetricRow& row = *child.row;
  if (row.kind != MetricKind::kHistogram) {
    *out += fmt::format("{}{} {}\n", row.name, LabelText(child, ""), FormatNumber(child.value));
    return;
  }
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < child.buckets.size(); ++i) {
    running += child.buckets[i];
    const std::string le = i < child.bounds->size() ? FormatBound((*child.bounds)[i]) : "+Inf";
    *out += fmt::format("{}_bucket{} {}\n", row.name, LabelText(child, le), running);
  }
  *out += fmt::format("{}_sum{} {}\n", row.name, LabelText(child, ""), FormatNumber(child.sum));
  *out += fmt::format("{}_count{} {}\n", row.name, LabelText(child, ""), child.count);
}

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

MetricChild::MetricChild(const MetricRow& of, const MetricEra& in, std::vector<std::string> labels)
    : row(&of), era(&in), bounds(in.bounds), label_values(std::move(labels)) {
  if (!bounds->empty()) buckets.resize(bounds->size() + 1);
}

void MetricChild::Observe(double v) {
  if (row == nullptr) return;
  const auto at = std::lower_bound(bounds->begin(), bounds->end(), v);
  ++buckets[static_cast<std::size_t>(at - bounds->begin())];
  sum += v;
  ++count;
}

void MetricChild::Add(double v) {
  if (row == nullptr || row->kind == MetricKind::kHistogram) {
    Observe(v);
  } else {
    value += v;
  }
}

MetricRegistry::MetricRegistry(const Release& release, const MetricGates& gates)
    : families_(static_cast<std::size_t>(Metric::kCount)) {
  if (gates.nothing) return;
  for (const MetricRow& row : kube::MetricTable()) {
    const bool visible = PresenceIn(row, release.minor) == kube::Presence::kVisible;
    if (!IsExported(row) || !visible || !GateOpen(row.gate, release.minor, gates)) continue;
    Family& family = families_[static_cast<std::size_t>(row.id)];
    family.row = &row;
    family.era = &EraIn(row, release.minor);
    if (family.era->labels.empty()) Create(family, {});
  }
}

MetricChild& MetricRegistry::Create(Family& family, std::vector<std::string> label_values) {
  children_.emplace_back(*family.row, *family.era, label_values);
  family.by_labels.emplace(std::move(label_values), &children_.back());
  return children_.back();
}

MetricChild& MetricRegistry::Get(Metric metric,
                                 std::initializer_list<std::string_view> label_values) {
  Family& family = families_[static_cast<std::size_t>(metric)];
  if (family.row == nullptr) return unseen_;
  const std::span<const std::string_view> values = Known(label_values, *family.era);
  if (family.last != nullptr &&
      std::equal(values.begin(), values.end(), family.last->label_values.begin())) {
    return *family.last;
  }
  const auto found = family.by_labels.find(values);
  family.last = found != family.by_labels.end() ? found->second
                                                : &Create(family, {values.begin(), values.end()});
  return *family.last;
}

bool MetricRegistry::Has(Metric metric,
                         std::initializer_list<std::string_view> label_values) const {
  const Family& family = families_[static_cast<std::size_t>(metric)];
  return family.row != nullptr && family.by_labels.contains(Known(label_values, *family.era));
}

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
    const auto given = std::ranges::find_if(
        labels, [&](const NamedLabel& named) { return named.first == NewestSpelling(label); });
    values.emplace_back(given == labels.end() ? "" : given->second);
  }
  const auto found = by_labels_.find({row, values});
  if (found != by_labels_.end()) return *found->second;
  children_.emplace_back(*row, era, values);
  by_labels_.emplace(std::pair(row, std::move(values)), &children_.back());
  return children_.back();
}

std::string FormatBound(double bound) {
  char text[40];
  const bool tiny = bound > 0 && bound < 1e-4;
  const auto format = tiny ? std::chars_format::scientific : std::chars_format::fixed;
  const auto [end, error] = std::to_chars(text, text + sizeof(text), bound, format);
  return std::string(text, end);
}

std::string WriteMetricsPage(const MetricRegistry& registry) {
  std::vector<const MetricChild*> sorted;
  for (const MetricChild& child : registry.children()) {
    const bool unseen = child.row->kind == MetricKind::kHistogram && child.count == 0;
    if (!unseen || child.era->labels.empty()) sorted.push_back(&child);
  }
  std::ranges::sort(sorted, [](const MetricChild* a, const MetricChild* b) {
    return a->row->name != b->row->name ? a->row->name < b->row->name
                                        : a->label_values < b->label_values;
  });
  std::string out;
  const MetricRow* last = nullptr;
  for (const MetricChild* child : sorted) {
    if (child->row != last) {
      last = child->row;
      out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", last->name, last->help, last->name,
                         ToString(last->kind));
    }
    WriteChild(*child, &out);
  }
  return out;
}

}  // namespace schedlens::sim
