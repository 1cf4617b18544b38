#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGE_LOG_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGE_LOG_H_

// The changes around one moment, each once.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"

namespace schedlens {

/// Median time between scrapes; 0 of fewer than two.
TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes);

class ChangeLog {
 public:
  /// `interval` is that of the schedulers' scrapes: the onset lies within one of it.
  ChangeLog(TimeMs onset, TimeMs interval) : onset_(onset), interval_(interval) {}

  TimeMs onset() const { return onset_; }

  /// Notes a change that happened between two moments, if they are close enough to the onset:
  /// before it, or after it, which is said.
  /// `interval` is that of the scrapes that show it. The best guess is the middle; `at` sets it.
  void Note(ClusterChange change, TimeMs interval);

  /// Those that may be from before the onset first, nearest first; at most twenty, alike ones
  /// together.
  std::vector<ClusterChange> Changes() const;

 private:
  TimeMs onset_, interval_;
  std::vector<ClusterChange> changes_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_CHANGE_LOG_H_
