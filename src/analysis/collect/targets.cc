#include "analysis/collect/targets.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kube/metrics.h"
#include "model/sample_times.h"

namespace schedlens {
namespace {

const std::vector<std::string>& NameOfTarget() {
  static const std::vector<std::string> names = {"cluster", "job", "instance", "pod"};
  return names;
}

bool SameName(const Labels& a, const Labels& b) {
  return std::all_of(NameOfTarget().begin(), NameOfTarget().end(),
                     [&](const std::string& name) { return a.Get(name) == b.Get(name); });
}

/// Better is larger: how many labels of the process the series has, then how few it lacks.
using Fit = std::pair<std::size_t, std::ptrdiff_t>;

/// Nothing when the two are of different processes.
std::optional<Fit> FitOf(const Labels& process, const Labels& series) {
  if (!SameName(process, series)) return std::nullopt;
  std::size_t common = 0;
  for (const auto& [name, value] : process) {
    const std::string_view other = series.Get(name);
    if (other == value) {
      ++common;
    } else if (!other.empty()) {
      return std::nullopt;
    }
  }
  return Fit{common,
             static_cast<std::ptrdiff_t>(common) - static_cast<std::ptrdiff_t>(process.size())};
}

std::optional<Fit> FitOf(const Target& target, const Labels& series) {
  if (target.processes.empty()) return FitOf(target.id, series);
  std::optional<Fit> best;
  for (const Labels& process : target.processes) {
    best = std::max(best, FitOf(process, series));
  }
  return best;
}

using ScrapesOfProcess = std::pair<Labels, std::vector<TimeMs>>;

/// Processes of one name: a new target for each that ran at the same time as another.
std::vector<Target> TargetsOfName(const Labels& name, std::vector<ScrapesOfProcess> processes) {
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return a.second.front() < b.second.front();
  });
  std::vector<Target> targets;
  for (auto& [labels, scrapes] : processes) {
    const TimeMs first = scrapes.front();
    const auto before = std::find_if(targets.begin(), targets.end(), [&](const Target& target) {
      return target.scrapes.back() < first;
    });
    if (before == targets.end()) {
      targets.push_back({name, std::move(scrapes), {}, {labels}});
    } else {
      before->scrapes.insert(before->scrapes.end(), scrapes.begin(), scrapes.end());
      before->processes.push_back(labels);
    }
  }
  for (Target& target : targets) {
    if (targets.size() > 1) target.id = target.processes.front();
  }
  return targets;
}

}  // namespace

std::vector<TimeMs> Target::restarts() const {
  if (scrapes.empty()) return starts;
  return {std::upper_bound(starts.begin(), starts.end(), scrapes.front()), starts.end()};
}

const std::vector<std::string>& MeasurementLabels() {
  static const std::vector<std::string> names = {
      "__name__", "le",     "quantile", "result",    "profile",  "extension_point",
      "status",   "plugin", "attempts", "verb",      "url",      "call_type",
      "queue",    "event",  "work",     "operation", "__type__", "__unit__"};
  return names;
}

Labels ProcessOf(const Labels& labels) { return labels.Without(MeasurementLabels()); }

Labels NameLabels(const Labels& labels) { return labels.Only(NameOfTarget()); }

bool CountsAll(const Labels& labels) {
  const std::string_view name = labels.Get(kMetricName);
  return name.ends_with("_count") || (name.ends_with("_bucket") && labels.Get("le") == "+Inf");
}

std::vector<Target> TargetsOf(std::span<const Series* const> own) {
  std::map<Labels, std::vector<TimeMs>> scrapes;
  for (const Series* series : own) {
    MergeTimes(series->samples, &scrapes[ProcessOf(series->labels)]);
  }
  std::map<Labels, std::vector<ScrapesOfProcess>> names;
  for (auto& [process, times] : scrapes) {
    if (!times.empty()) names[NameLabels(process)].emplace_back(process, std::move(times));
  }
  std::vector<Target> targets;
  for (auto& [name, processes] : names) {
    for (Target& target : TargetsOfName(name, std::move(processes))) {
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

std::optional<std::size_t> FindTarget(std::span<const Target> targets, const Labels& labels) {
  std::optional<std::size_t> found;
  std::optional<Fit> best;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto fit = FitOf(targets[i], labels);
    if (!fit || fit < best) continue;
    found = fit == best ? std::nullopt : std::optional(i);
    best = fit;
  }
  return found;
}

void AddToTarget(const Series& series, std::vector<Target>* targets) {
  const auto at = FindTarget(*targets, series.labels);
  if (!at) return;
  Target& target = (*targets)[*at];
  MergeTimes(series.samples, &target.scrapes);
  if (series.labels.Get(kMetricName) != NameOf(kube::Metric::kProcessStart)) return;
  for (const Sample& sample : series.samples) {
    if (!std::isfinite(sample.v)) continue;
    const auto start = static_cast<TimeMs>(std::llround(sample.v * 1000));
    const auto place = std::lower_bound(target.starts.begin(), target.starts.end(), start);
    if (place == target.starts.end() || *place != start) target.starts.insert(place, start);
  }
}

}  // namespace schedlens
