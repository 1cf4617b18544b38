#ifndef SCHEDLENS_ANALYSIS_CAUSES_WINDOW_EVIDENCE_H_
#define SCHEDLENS_ANALYSIS_CAUSES_WINDOW_EVIDENCE_H_

// Everything the rules look at: the breakdowns of the window and the baseline, and what was
// measured on them. Made once; the rules only read.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/plugins.h"
#include "analysis/breakdown/stage_change.h"
#include "analysis/breakdown/time_breakdown.h"
#include "analysis/causes/bind_regime.h"
#include "analysis/collect/facts.h"
#include "analysis/tail/bounds.h"

namespace schedlens {

/// CPU seconds of the scheduler's processes.
struct CpuUse {
  double seconds = 0;
  double cores = 0;  ///< seconds per second of the window
};

/// How slow the attempts of one result are: the bucket of their 99th percentile. Where attempts
/// have no buckets also "algorithm", "binding", "Bind" and "PreBind".
struct ResultTail {
  std::string result;
  double count = 0;
  double mean = 0;
  double p99_low = 0, p99_high = 0;  ///< high may be infinite
};

/// One window with everything measured on it.
struct Measurement {
  WindowIncreases cells;
  TimeBreakdown breakdown;
  std::optional<CpuUse> cpu;
  std::vector<ResultTail> tails;  ///< results with at least one attempt
  double preemption_attempts = 0;
  double pending_active = 0;  ///< mean of the active queue; 0 where it was not scraped
  /// Execution seconds of dispatched binds; nothing where binds are not dispatched.
  std::optional<double> dispatched_bind_seconds;
  std::optional<ResultTail> Tail(std::string_view result) const;
};
/// True when the 99th percentile of some result with at least `least` attempts is proven to be half
/// a second or more, whatever a baseline says. False without attempts.
bool PlainlySlow(const Measurement& m, double least = 10);
Measurement Measure(const Facts& facts, const Histograms& histograms, const TimeRange& window);

struct WindowEvidence {
  std::string selector;  ///< of the schedulers that were looked at
  Measurement now;
  std::optional<Measurement> baseline;
  StageChanges change;             ///< empty without a usable baseline
  std::vector<PluginRow> plugins;  ///< of the window
  TailShares tail;
  std::optional<BindDispersion> dispersion;
  Throttling throttling = Throttling::kNo;
  std::optional<LimiterSplit> limiter, limiter_baseline;
  double bind_follows_loop = 0;  ///< rank correlation of bind's mean with the loop's busy seconds
  std::optional<double> threshold;     ///< the alert's, in seconds
  std::vector<std::string> restarted;  ///< targets whose counters restarted inside the window
  std::vector<Message> missing;        ///< metrics that the split of the time rests on, in words
  bool slow = false;  ///< some result's tail is clearly worse than the baseline's, or plainly bad
  bool failing = false;  ///< failed attempts outnumber scheduled ones, or their share rose

  /// Growth of a stage against the baseline, or all of its seconds without one.
  double Growth(kube::Stage stage) const;
  /// The part of the growth that is costlier observations, not more of them.
  double CostGrowth(kube::Stage stage) const;
  /// Time that failed attempts took more than in the baseline.
  double FailedGrowth() const;
  /// Sum of all positive growth at the top level: what there is to explain.
  double TotalGrowth() const;
};
WindowEvidence MakeWindowEvidence(const Facts& facts, const Histograms& histograms, Measurement now,
                                  std::optional<Measurement> baseline,
                                  std::optional<double> threshold);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_WINDOW_EVIDENCE_H_
