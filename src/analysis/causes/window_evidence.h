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
#include "analysis/causes/brief.h"
#include "analysis/causes/loop_pressure.h"
#include "analysis/causes/measurement.h"
#include "analysis/causes/slowness.h"
#include "analysis/collect/facts.h"
#include "analysis/tail/bounds.h"

namespace schedlens {

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
  double in_flight = 0;  ///< attempts that ran at the window's edges: parts of them lie outside
  /// Of the window or the baseline. Where there are any nothing is proven: `tail` is empty.
  std::vector<Message> contradictions;
  Speed speed;                         ///< of the attempts, against the baseline's
  std::optional<BriefSlowness> brief;  ///< slower, but not so that it matters
  bool slow = false;                   ///< speed.slow, and it matters
  LoopPressure loop;
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
/// Without `bound_tail`, `tail` stays empty.
WindowEvidence MakeWindowEvidence(const Facts& facts, const Histograms& histograms, Measurement now,
                                  std::optional<Measurement> baseline,
                                  std::optional<double> threshold, bool bound_tail = true);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_CAUSES_WINDOW_EVIDENCE_H_
