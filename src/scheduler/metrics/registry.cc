#include "scheduler/metrics/registry.h"

#include <fmt/ranges.h>

namespace schedlens::sim {
namespace {

/// Whether the simulator exports a metric in some release.
bool IsExported(const MetricRow& row) { return !row.help.empty(); }

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

/// Calls use(suffix, bound, value) for each series of a child, in their order; only buckets have a
/// bound.
template <typename Use>
void EachSeries(const MetricChild& child, const Use& use) {
  if (child.row->kind != MetricKind::kHistogram) return use("", std::nullopt, child.value);
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < child.buckets.size(); ++i) {
    const bool finite = i < child.bounds->size();
    running += child.buckets[i];
    use("_bucket", std::optional(finite ? (*child.bounds)[i] : HUGE_VAL),
        static_cast<double>(running));
  }
  use("_sum", std::nullopt, child.sum);
  use("_count", std::nullopt, static_cast<double>(child.count));
}

/// Names and values of the child's labels, and of a bucket its `le`.
std::vector<Labels::Pair> LabelsOf(const MetricChild& child, const std::optional<double>& bound) {
  std::vector<Labels::Pair> out;
  for (std::size_t i = 0; i < child.label_values.size(); ++i) {
    out.emplace_back(child.era->labels[i], child.label_values[i]);
  }
  if (bound) out.emplace_back("le", FormatBound(*bound));
  return out;
}

void WriteChild(const MetricChild& child, std::string* out) {
  EachSeries(child, [&](std::string_view suffix, const std::optional<double>& bound, double value) {
    std::vector<std::string> labels;
    for (const auto& [name, text] : LabelsOf(child, bound)) {
      labels.push_back(fmt::format("{}=\"{}\"", name, Escaped(text, "\\\"\n")));
    }
    *out += fmt::format("{}{}", child.row->name, suffix);
    if (!labels.empty()) *out += fmt::format("{{{}}}", fmt::join(labels, ","));
    *out += fmt::format(" {}\n", FormatNumber(value));
  });
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

bool OfFewReleases(const MetricRow& row) {
  constexpr int kNotTheOldest = 20;
  constexpr int kNotTheNewest = 34;
  const bool own_gate =
      row.gate == kube::Gate::kAsyncApiCalls || row.gate == kube::Gate::kAsyncPreemption;
  return row.last < kNotTheOldest || row.first > kNotTheNewest ||
         (row.gate != kube::Gate::kNone && !own_gate);
}

/// A metric family as OpenMetrics names it: counters without `_total`.
std::string OpenMetricsFamily(std::string_view name, MetricKind kind) {
  static constexpr std::string_view kTotal = "_total";
  if (kind == MetricKind::kCounter && name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  return std::string(name);
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
  if (row == nullptr || row->kind == MetricKind::kHistogram) return Observe(v);
  value += v;
}

MetricRegistry::MetricRegistry(const Release& release, const MetricGates& gates)
    : MetricRegistry() {
  if (gates.nothing) return;
  for (const MetricRow& row : kube::MetricTable()) {
    const bool visible = PresenceIn(row, release.minor) == kube::Presence::kVisible;
    if (!IsExported(row) || !visible || !GateOpen(row.gate, release.minor, gates)) continue;
    Family& family = families_[static_cast<std::size_t>(row.id)];
    family.row = &row;
    family.era = &EraIn(row, release.minor);
    if (family.era->labels.empty()) Child(family, {});
  }
}

MetricChild& MetricRegistry::Child(Family& family, std::span<const std::string_view> values) {
  if (family.last != nullptr &&
      std::equal(values.begin(), values.end(), family.last->label_values.begin())) {
    return *family.last;
  }
  auto found = family.by_labels.find(values);
  if (found == family.by_labels.end()) {
    const std::vector<std::string> labels(values.begin(), values.end());
    children_.emplace_back(*family.row, *family.era, labels);
    found = family.by_labels.emplace(labels, &children_.back()).first;
  }
  return *(family.last = found->second);
}

MetricChild& MetricRegistry::Get(Metric metric,
                                 std::initializer_list<std::string_view> label_values) {
  Family& family = families_[static_cast<std::size_t>(metric)];
  return family.row == nullptr ? unseen_ : Child(family, Known(label_values, *family.era));
}

bool MetricRegistry::Has(Metric metric,
                         std::initializer_list<std::string_view> label_values) const {
  const Family& family = families_[static_cast<std::size_t>(metric)];
  return family.row != nullptr && family.by_labels.contains(Known(label_values, *family.era));
}

ControlPlaneRegistry::ControlPlaneRegistry(kube::Component component, int minor) {
  using enum kube::Component;
  for (std::size_t id = 0; id < families_.size(); ++id) {
    const MetricRow& row = kube::RowOf(static_cast<Metric>(id));
    const bool own = row.component == component;
    if (!own && row.component != kAny && row.component != kScheduler) continue;
    const int release = own ? ReleaseOf(component, minor) : minor;
    if (PresenceIn(row, release) != kube::Presence::kVisible) continue;
    if (!OnByDefault(row.gate, minor)) continue;
    families_[id].row = &row;
    families_[id].era = &EraIn(row, release);
  }
}

MetricChild& ControlPlaneRegistry::Get(Metric metric, std::initializer_list<NamedLabel> labels) {
  Family& family = families_[static_cast<std::size_t>(metric)];
  if (family.row == nullptr) return unseen_;
  std::vector<std::string_view> values;
  for (const std::string_view label : family.era->labels) {
    const auto given = std::ranges::find(labels, NewestSpelling(label), &NamedLabel::first);
    values.push_back(given == labels.end() ? "" : given->second);
  }
  return Child(family, values);
}

std::string FormatBound(double bound) {
  return std::isinf(bound) ? "+Inf" : fmt::format("{}", bound);
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

Scraper::Scraper(std::string job, std::string instance, std::string pod)
    : job_(std::move(job)), instance_(std::move(instance)), pod_(std::move(pod)) {
  series_.emplace_back().labels = Labels(
      {{std::string(kMetricName), "up"}, {"instance", instance_}, {"job", job_}, {"pod", pod_}});
}

std::size_t Scraper::SlotOf(const MetricChild& child) {
  const auto [slot, added] = slots_.try_emplace({child.era, child.label_values}, series_.size());
  if (!added) return slot->second;
  EachSeries(child, [&](std::string_view suffix, const std::optional<double>& bound, double) {
    std::vector<Labels::Pair> pairs = {
        {std::string(kMetricName), fmt::format("{}{}", child.row->name, suffix)},
        {"instance", instance_},
        {"job", job_},
        {"pod", pod_}};
    std::ranges::move(LabelsOf(child, bound), std::back_inserter(pairs));
    series_.emplace_back().labels = Labels(pairs);
  });
  return slot->second;
}

void Scraper::Scrape(const std::deque<MetricChild>& children, TimeMs t) {
  Up(t, 1);
  for (const MetricChild& child : children) {
    // A labelled histogram exists from its first observation on.
    const bool histogram = child.row->kind == MetricKind::kHistogram;
    if (histogram && child.count == 0 && !child.era->labels.empty()) continue;
    if (child.slot < 0) child.slot = static_cast<std::int32_t>(SlotOf(child));
    auto at = series_.begin() + child.slot;
    EachSeries(child, [&](std::string_view, const std::optional<double>&, double value) {
      if (!std::isnan(value)) at->samples.push_back({t, value});
      ++at;
    });
  }
}

void Scraper::MoveInto(Exposition* out) {
  for (Series& series : series_) {
    if (!series.samples.empty()) out->series.push_back(std::move(series));
  }
  series_.clear();
}

std::map<std::string, std::string> ExpositionTypes(const Release& release) {
  std::map<std::string, std::string> out = {{"up", "gauge"}};
  for (const MetricRow& row : kube::MetricTable()) {
    if (!IsExported(row)) continue;
    const bool has = PresenceIn(row, release.minor) == kube::Presence::kVisible &&
                     OnByDefault(row.gate, release.minor);
    if (OfFewReleases(row) && !has) continue;
    out.emplace(OpenMetricsFamily(row.name, row.kind), ToString(row.kind));
  }
  return out;
}

std::map<std::string, std::string> ControlPlaneTypes() {
  std::map<std::string, std::string> out;
  for (const kube::ControlPlaneMetricRow& row : kube::ControlPlaneTable()) {
    out[OpenMetricsFamily(row.name, row.kind)] = ToString(row.kind);
  }
  for (const Metric metric : {Metric::kBuildInfo, Metric::kLeader}) {
    out[std::string(kube::NameOf(metric))] = ToString(kube::RowOf(metric).kind);
  }
  return out;
}

}  // namespace schedlens::sim
