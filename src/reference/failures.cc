#include "reference/failures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/seconds.h"
#include "model/text.h"
#include "model/work_budget.h"
#include "reference/fit.h"
#include "reference/latency_shape.h"

namespace schedlens {
namespace {

using sim::Cost;

/// More failed attempts than this are played several as one.
constexpr double kMostFailures = 30'000;
/// The fitted release from which on the back-off queue is popped early.
constexpr int kPopsFromBackoff = 34;

/// What the pods that were bound in the window had gone through.
struct Retries {
  double pods = 0;                             ///< bound
  double retried = 0;                          ///< of these, at a second attempt or later
  double failures = 0;                         ///< attempts of theirs that had failed
  std::vector<const ScrapeIncreases*> waited;  ///< the histograms of the retried ones
};

Retries CountRetries(const Measurement& window) {
  Retries out;
  for (const ScrapeIncreases& child : window.cells.pod_scheduling) {
    // "1", "2", ... "15+"
    std::string label(child.labels.Get("attempts"));
    if (label.ends_with('+')) label.pop_back();
    const double attempts = ParseNumber(label).value_or(1);
    const double pods = TotalCount(child);
    out.pods += pods;
    if (attempts < 2) continue;
    out.retried += pods;
    out.failures += (attempts - 1) * pods;
    out.waited.push_back(&child);
  }
  return out;
}

double CountOf(const TimeBreakdown& breakdown, kube::AttemptResult result) {
  return breakdown.by_result.Get(result).count;
}

/// Errors of pods that are bound in the end: each attempt fails with the same chance, after a node
/// was found (the bind) or before.
void AddErrors(const TimeBreakdown& breakdown, double errors, sim::Conditions* now) {
  const double attempts = errors + breakdown.scheduled();
  const double all = CountOf(breakdown, kube::AttemptResult::kError);
  const double late = all > 0 ? std::min(1.0, breakdown.late_failures / all) : 0;
  const double at_bind = late * errors / attempts;
  now->costs.filter_error = (1 - late) * errors / attempts;
  now->costs.bind_error = at_bind;
  now->costs.ext_bind_error = at_bind;
}

/// What is known of pods that failed.
struct Stuck {
  bool tried_before = false;  ///< their status says so already
  bool preempt = false;       ///< they preempt others: theirs is the higher priority
};

/// A template that fits nowhere, whose attempts take that long.
std::size_t AddTemplate(const sim::Distribution& wall, const Stuck& stuck, Fitted* fitted) {
  sim::Scenario& scenario = fitted->scenario;
  sim::PodTemplate pod;
  const bool tried_before = stuck.tried_before;
  pod.name = tried_before ? "stuck" : "new-stuck";
  if (stuck.preempt) pod.priority = 1;
  pod.never_fits = sim::kAffinityPlugin;
  pod.once = true;
  pod.condition_set = tried_before;
  // An idle loop takes them from the back-off queue early: they wait for every other pod.
  if (tried_before && !stuck.preempt && scenario.release.minor >= kPopsFromBackoff) {
    pod.priority = -1;
  }
  scenario.templates.push_back(pod);
  scenario.preemption = false;
  sim::StepCost all, nothing;
  all.wall = wall;
  sim::CostOverrides costs = {{Cost::kFilter, all}};
  for (const Cost cost : {Cost::kSnapshot, Cost::kPreFilter, Cost::kPostFilter}) {
    costs.emplace_back(cost, nothing);
  }
  for (sim::Segment& segment : scenario.segments) {
    sim::Conditions& c = segment.conditions;
    c.weights.push_back(0);
    c.template_costs.resize(scenario.templates.size() - 1);
    c.template_costs.push_back(costs);
  }
  return scenario.templates.size() - 1;
}

/// As many attempts of a template as these counted, times `share`.
void AddCounted(const std::vector<const ScrapeIncreases*>& failed, double share,
                std::size_t pod_template, bool flushed, const PlayedPart& part, Fitted* fitted) {
  for (const ScrapeIncreases* child : failed) {
    for (std::size_t i = 0; i < child->cells(); ++i) {
      CountedArrivals attempts =
          part.Of(child->edges[i], child->edges[i + 1], child->Count(i) * share);
      if (!(attempts.count > 0)) continue;
      attempts.failing = pod_template;
      attempts.flushed = flushed;
      fitted->arrivals.push_back(attempts);
    }
  }
}

/// Attempts of pods that are not bound: `fresh` of them for the first time, which costs a status
/// PATCH, on the loop where calls are not dispatched. `bound` others were bound meanwhile.
void AddStuck(const std::vector<const ScrapeIncreases*>& failed, double stuck, double fresh,
              bool preempt, double bound, const PlayedPart& part, Fitted* fitted) {
  const LatencyShape shape = ShapeOf(failed);
  if (fresh > 0) {
    const std::size_t pod = AddTemplate(DistributionOf(shape, shape), {false, preempt}, fitted);
    if (part.incoming.empty()) AddCounted(failed, fresh / shape.count, pod, false, part, fitted);
    // In the queue they cannot be told from those that are bound: as many in ten as of those that
    // the loop got to.
    for (CountedArrivals arrivals : part.incoming) {
      arrivals.count *= fresh / (bound + fresh);
      arrivals.failing = pod;
      fitted->arrivals.push_back(arrivals);
    }
  }
  const double again = stuck - fresh;
  if (again < 1) return;
  AskMemory(sizeof(double) * again, "a replay of the window's failed attempts");
  const int merged = std::max(1, CutTo<int>(std::ceil(again / kMostFailures)));
  fitted->failures.merged = merged;
  // Many together take about their mean each.
  const std::size_t pod =
      AddTemplate(merged > 1 ? sim::Distribution::Constant(merged * shape.mean())
                             : DistributionOf(shape, shape),
                  {true, preempt}, fitted);
  const bool flushed = !preempt && fitted->scenario.release.minor < kPopsFromBackoff;
  AddCounted(failed, again / shape.count / merged, pod, flushed, part, fitted);
}

/// Attempts that found no node and whose pods were not bound.
double StuckAttempts(const Measurement& window) {
  const TimeBreakdown& breakdown = window.breakdown;
  const double errors = CountOf(breakdown, kube::AttemptResult::kError);
  const double unschedulable = CountOf(breakdown, kube::AttemptResult::kUnschedulable);
  return unschedulable - std::clamp(breakdown.late_failures - errors, 0.0, unschedulable);
}

/// Whether the pods that found no node made room for themselves: victims' deletion was most of what
/// their attempts took, and they were bound afterwards.
bool Preempt(const Measurement& window, const Retries& retries, double stuck) {
  const TimeBreakdown& breakdown = window.breakdown;
  const double took = breakdown.by_result.Get(kube::AttemptResult::kUnschedulable).seconds;
  return window.preemption_attempts > 0.5 * stuck && retries.failures > 0.5 * stuck &&
         breakdown.points[kube::ExtensionPoint::kPostFilter].seconds > 0.5 * took;
}

}  // namespace

double NewlyStuck(const Measurement& window, const Amount& patches) {
  return std::clamp(patches.count - CountRetries(window).retried, 0.0, StuckAttempts(window));
}

void AddFailures(const Measurement& window, const Amount& patches, const PlayedPart& part,
                 Fitted* fitted) {
  const TimeBreakdown& breakdown = window.breakdown;
  if (!(breakdown.failed() >= 1)) return;
  const Retries retries = CountRetries(window);
  sim::Conditions& now = fitted->now();
  if (patches.count > 0 && !fitted->scenario.AsyncApiCalls()) {
    now.costs[Cost::kWriteApi].wall = sim::Distribution::Constant(patches.mean());
  }
  const double all_errors = CountOf(breakdown, kube::AttemptResult::kError);
  const double errors = std::min(all_errors, retries.failures);
  if (errors > 0) AddErrors(breakdown, errors, &now);
  // What is left of the retried pods' failures is those that waited for a node.
  const double waited = retries.failures - errors;
  if (waited > 0 && retries.pods > 0) {
    const LatencyShape shape = ShapeOf(retries.waited);
    const double last = breakdown.by_result.Get(kube::AttemptResult::kScheduled).mean();
    fitted->failures.waiting_share =
        retries.retried / retries.pods * std::min(1.0, waited / retries.failures);
    // Less the attempt that succeeded, which is replayed.
    fitted->failures.waiting = DistributionOf(ScaledTo(shape, std::max(0.0, shape.mean() - last)));
  }
  // Those that failed after a node was found took the loop's time as any other, and came as such.
  const double stuck = StuckAttempts(window);
  const double fresh = NewlyStuck(window, patches);
  const bool preempt = Preempt(window, retries, stuck);
  const auto failed =
      Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kUnschedulable));
  if (stuck >= 1) AddStuck(failed, stuck, fresh, preempt, breakdown.scheduled(), part, fitted);
}

}  // namespace schedlens
