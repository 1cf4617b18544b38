#pragma once

// From what was measured to a scenario of the reference scheduler that should measure the same.

#include <utility>
#include <vector>

#include "diagnose/pipeline/diagnose.h"
#include "replay/arrivals.h"
#include "replay/latency_shape.h"
#include "replay/loop_fit.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens {

/// Classes of attempts by how expensive they are: the share of all attempts in each.
const std::vector<double>& AttemptClasses();

/// No metric joins the stages of one attempt. The algorithm's own histogram says whether an attempt
/// that is expensive in one of its stages is expensive in the others too.
/// What each class pays for each stage when the dearest attempts are so in every stage: as many
/// entries as classes. Empty where drawing the stages independently comes closer to the histogram
/// of their sum.
std::vector<sim::CostOverrides> CoupledCosts(
    const std::vector<std::pair<sim::Cost, FineBuckets>>& stages, const LatencyShape& sum);

// A stage that is waiting (extenders, API calls, PreBind, Permit) and the tails of all stages are
// drawn from what was measured. The loop's own points have work that can be computed: Fitted::loop
// says how many times the computed time they take here, and how they change with the work.

/// The conditions of one window: arrival rate and the cost of each stage, from its histogram. A
/// remainder has no histogram: it takes the shape of what holds it, scaled to its own mean.
/// `volumes`: what PreBind waits for is VolumeBinding's, not a plugin's of the user.
sim::Conditions FitConditions(const WindowEvidence& c, const Measurement& window, bool volumes);

/// A scenario with two periods: the baseline's conditions, then the window's. Without a baseline
/// the first period is absent. Of a long window its start is played, of a long baseline its end; of
/// one with more attempts than asked for less, which stands for the whole, since the costs are the
/// whole window's.
struct Fitted {
  sim::Scenario scenario;                 ///< its rates are means; Played puts the counts in
  std::vector<CountedArrivals> arrivals;  ///< as measured
  std::vector<double> rates;              ///< of the segments, as measured
  TimeRange window;                       ///< the part of the window that the replay stands for
  bool has_baseline = false;
  bool limited = false;    ///< the API client's limiter held binds back
  int group = 1;           ///< pods that come at the same moment
  bool spikes = false;     ///< what is more than in most intervals comes at one moment
  bool rolls_out = false;  ///< a roll-out's pods come as they are bound, not as `counted`
  std::vector<CountedArrivals> counted = {};
  Failures failures;
  LoopFit loop;  ///< the loop's points as work, and the setting that they are played in

  /// The window's conditions, and those of the quiet period (the window's own without a baseline).
  sim::Conditions& now() { return scenario.segments.back().conditions; }
  const sim::Conditions& now() const { return scenario.segments.back().conditions; }
  const sim::Conditions& quiet() const { return scenario.segments.front().conditions; }
  /// Pods that came in the window and found a node.
  bool InWindow(const CountedArrivals& pods) const {
    return pods.start >= scenario.incident_start && !pods.failing;
  }
  double WindowPods() const;
  /// All that is played, as measured.
  double Pods() const;

  /// The scenario with the arrivals that were counted, placed by `seed`; where a segment's rate was
  /// changed they are thinned out or multiplied accordingly.
  sim::Scenario Played(std::uint64_t seed) const;
};
/// How many attempts of the window and of the baseline are played, about.
struct PlayedAttempts {
  double window = 40'000;
  double baseline = 40'000;
  double starved = 40'000;  ///< in place of `window` where attempts wait for a processor
};

/// Where attempts wait for each other at the client's limiter a part does not stand for the whole:
/// then the window is played as with the default.
Fitted FitScenario(const Investigation& investigation, const PlayedAttempts& most = {});

/// With the window's first attempts alone, about so many.
Fitted StartOf(const Fitted& fitted, double attempts);
/// Without the baseline's attempts but the last ones before the window, at least so many.
Fitted WithoutBaseline(const Fitted& fitted, double but);

}  // namespace schedlens
