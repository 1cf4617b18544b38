#pragma once

// Which scheduler processes the samples are from: the one definition of a process.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/series.h"

namespace schedlens {

/// One scraped scheduler: a process, and those that took its place under the same name.
struct Target {
  Labels id;  ///< its NameLabels; all its labels where another target has the same ones
  std::vector<TimeMs> scrapes;    ///< when any of its series has a sample, ascending
  std::vector<TimeMs> starts;     ///< process starts, ascending; empty where unknown
  std::vector<Labels> processes;  ///< the labels of each process; `id` alone when empty

  /// Process starts after the first scrape.
  std::vector<TimeMs> restarts() const;
};

/// Labels that tell the measurements of one process apart, the metric's name and `le` among them.
const std::vector<std::string>& MeasurementLabels();

/// The process that a scheduler's own series is of: its labels without MeasurementLabels.
Labels ProcessOf(const Labels& labels);

/// The labels by which people name a scheduler: cluster, job, instance, pod, whichever it has.
Labels NameLabels(const Labels& labels);

/// Whether a histogram's series counts all of its observations: `_count`, and the last bucket.
bool CountsAll(const Labels& labels);

/// The targets that expose these series, sorted by id. Processes of the same name are one target
/// when each appears only after the one before it has ended (a restart that changes other labels).
std::vector<Target> TargetsOf(std::span<const Series* const> own);

/// Finds targets by their names, in time that does not grow with how many there are. The targets
/// must outlive it; their ids and processes must stay as they are.
class TargetIndex {
 public:
  explicit TargetIndex(std::span<const Target> targets);

  /// The target that a series of any metric is of: it has the target's name, and no label of the
  /// series contradicts those of one of the target's processes. Nothing when that fits no target,
  /// or several equally well.
  std::optional<std::size_t> Find(const Labels& labels) const;

 private:
  std::span<const Target> targets_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
};

/// Adds the times of each series to its target's scrapes, and process start times to its starts. A
/// series of no target adds nothing.
void AddToTargets(std::span<const Series> all, std::vector<Target>* targets);

}  // namespace schedlens
