#pragma once

// Turns registries into series, as a Prometheus that scrapes them would store them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "scheduler/metrics/registry.h"

namespace schedlens::sim {

/// The series of one target. Survives restarts of the process behind it: the new process's
/// counters continue the old series, lower.
class Scraper {
 public:
  /// Labels that the scrape adds: job, instance, pod.
  Scraper(std::string job, std::string instance, std::string pod);

  /// A successful scrape: a sample for every exported value, and `up` 1.
  void Scrape(const MetricRegistry& registry, TimeMs t) { Scrape(registry.children(), t); }
  void Scrape(const std::deque<MetricChild>& children, TimeMs t);
  /// The target did not answer: `up` 0, nothing else.
  void Miss(TimeMs t) { Up(t, 0); }
  /// Moves the series out, in order of first appearance.
  void MoveInto(Exposition* out);

 private:
  std::size_t SlotOf(const MetricChild& child);
  Labels Label(const MetricChild& child, std::string_view suffix, std::string_view le) const;
  void Up(TimeMs t, double value) { series_.front().samples.push_back({t, value}); }

  std::string job_;
  std::string instance_;
  std::string pod_;
  std::vector<Series> series_;
  std::map<std::pair<const MetricEra*, std::vector<std::string>>, std::size_t> slots_;
};

/// A metric family as OpenMetrics names it: counters without `_total`.
std::string OpenMetricsFamily(std::string_view name, MetricKind kind);

/// The scheduler's metric families and their types. What only the oldest or the newest releases
/// have is declared for those.
std::map<std::string, std::string> ExpositionTypes(const Release& release);

/// Metric families of the neighbours and their types, as OpenMetrics names them.
std::map<std::string, std::string> NeighbourTypes();

}  // namespace schedlens::sim
