#include "scheduler/metrics/scraper.h"

namespace schedlens::sim {
namespace {

bool OfFewReleases(const MetricRow& row) {
  constexpr int kNotTheOldest = 20;
  constexpr int kNotTheNewest = 34;
  const bool own_gate =
      row.gate == kube::Gate::kAsyncApiCalls || row.gate == kube::Gate::kAsyncPreemption;
  return row.last < kNotTheOldest || row.first > kNotTheNewest ||
         (row.gate != kube::Gate::kNone && !own_gate);
}

}  // namespace

Scraper::Scraper(std::string job, std::string instance, std::string pod)
    : job_(std::move(job)), instance_(std::move(instance)), pod_(std::move(pod)) {
  Series up;
  up.labels = Labels(
      {{std::string(kMetricName), "up"}, {"instance", instance_}, {"job", job_}, {"pod", pod_}});
  series_.push_back(std::move(up));
}

Labels Scraper::Label(const MetricChild& child, std::string_view suffix,
                      std::string_view le) const {
  std::vector<Labels::Pair> pairs = {{std::string(kMetricName), std::string(child.row->name)},
                                     {"instance", instance_},
                                     {"job", job_},
                                     {"pod", pod_}};
  pairs.front().second += suffix;
  for (std::size_t i = 0; i < child.label_values.size(); ++i) {
    pairs.emplace_back(child.era->labels[i], child.label_values[i]);
  }
  if (!le.empty()) pairs.emplace_back("le", le);
  return Labels(pairs);
}

std::size_t Scraper::SlotOf(const MetricChild& child) {
  const auto key = std::make_pair(child.era, child.label_values);
  const auto found = slots_.find(key);
  if (found != slots_.end()) return found->second;
  const std::size_t slot = series_.size();
  slots_.emplace(key, slot);
  const auto add = [&](std::string_view suffix, std::string_view le) {
    series_.emplace_back();
    series_.back().labels = Label(child, suffix, le);
  };
  if (child.row->kind != MetricKind::kHistogram) {
    add("", "");
    return slot;
  }
  for (double bound : *child.bounds) add("_bucket", FormatBound(bound));
  add("_bucket", "+Inf");
  add("_sum", "");
  add("_count", "");
  return slot;
}

void Scraper::Scrape(const std::deque<MetricChild>& children, TimeMs t) {
  Up(t, 1);
  for (const MetricChild& child : children) {
    const bool histogram = child.row->kind == MetricKind::kHistogram;
    // A labelled histogram exists from its first observation on.
    if (histogram && child.count == 0 && !child.era->labels.empty()) continue;
    if (child.slot < 0) child.slot = static_cast<std::int32_t>(SlotOf(child));
    auto at = series_.begin() + child.slot;
    if (!histogram) {
      at->samples.push_back({t, child.value});
      continue;
    }
    std::uint64_t running = 0;
    for (std::uint64_t count : child.buckets) {
      running += count;
      (at++)->samples.push_back({t, static_cast<double>(running)});
    }
    (at++)->samples.push_back({t, child.sum});
    at->samples.push_back({t, static_cast<double>(child.count)});
  }
}

void Scraper::MoveInto(Exposition* out) {
  for (Series& series : series_) {
    if (!series.samples.empty()) out->series.push_back(std::move(series));
  }
  series_.clear();
}

std::string OpenMetricsFamily(std::string_view name, MetricKind kind) {
  static constexpr std::string_view kTotal = "_total";
  if (kind == MetricKind::kCounter && name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  return std::string(name);
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
