#include "diagnose/collect/targets.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/series.h"
#include "base/text.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

const std::vector<std::string>& NameOfTarget() {
  static const std::vector<std::string> names = {"cluster", "job", "instance", "pod"};
  return names;
}

/// Equal where the labels of NameOfTarget are.
std::string NameKey(const Labels& labels) {
  std::string key;
  for (const std::string& name : NameOfTarget()) key.append(labels.Get(name)).push_back('\0');
  return key;
}

/// Better is larger: how many labels of the process the series has, then how few it lacks.
using Fit = std::pair<std::size_t, std::ptrdiff_t>;

/// Nothing when the two, of one name, are of different processes.
std::optional<Fit> FitOf(const Labels& process, const Labels& series) {
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

TargetIndex::TargetIndex(std::span<const Target> targets) : targets_(targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) by_name_[NameKey(targets[i].id)].push_back(i);
}

std::optional<std::size_t> TargetIndex::Find(const Labels& labels) const {
  const auto named = by_name_.find(NameKey(labels));
  if (named == by_name_.end()) return std::nullopt;
  std::optional<std::size_t> found;
  std::optional<Fit> best;
  for (const std::size_t i : named->second) {
    const auto fit = FitOf(targets_[i], labels);
    if (!fit || fit < best) continue;
    found = fit == best ? std::nullopt : std::optional(i);
    best = fit;
  }
  return found;
}

void AddToTargets(std::span<const Series> all, std::vector<Target>* targets) {
  const TargetIndex index(*targets);
  for (const Series& series : all) {
    const auto at = index.Find(series.labels);
    if (!at) continue;
    Target& target = (*targets)[*at];
    MergeTimes(series.samples, &target.scrapes);
    if (series.labels.Get(kMetricName) != NameOf(kube::Metric::kProcessStart)) continue;
    for (const Sample& sample : series.samples) {
      const auto start = TimeOfSeconds(sample.v);
      if (!start) continue;
      const auto place = std::lower_bound(target.starts.begin(), target.starts.end(), *start);
      if (place == target.starts.end() || *place != *start) target.starts.insert(place, *start);
    }
  }
}

}  // namespace schedlens
