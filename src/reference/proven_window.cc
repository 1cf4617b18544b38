#include "reference/proven_window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kube/words.h"
#include "reference/replay.h"
#include "reference/what_if.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

std::vector<ProvenAt> Prove(std::span<const ScrapeIncreases> children,
                            const std::vector<double>& quantiles) {
  std::vector<ProvenAt> out;
  if (!HasBuckets({children.begin(), children.end()})) return out;
  for (const double q : quantiles) {
    const ProvenQuantile proof = ProveQuantile(children, q);
    if (proof.observations >= 1) out.push_back({q, proof.proof.interval});
  }
  return out;
}

/// The rows of the diagnosis have what other histograms prove, too.
void Narrow(const Diagnosis& diagnosis, std::vector<ProvenAt>* proven) {
  if (diagnosis.quantiles.empty()) return;
  const std::string& metric = diagnosis.quantiles.front().metric;
  for (const QuantileRow& row : diagnosis.quantiles) {
    const bool scheduled = row.labels.size() == 1 && row.labels.front().first == "result" &&
                           row.labels.front().second == ToString(kube::AttemptResult::kScheduled);
    if (row.metric != metric || !scheduled) continue;
    for (ProvenAt& at : *proven) {
      if (std::abs(at.q - row.q) > 1e-9) continue;
      Interval& i = at.interval;
      if (row.interval.low) i.low = std::max(i.low.value_or(0), *row.interval.low);
      if (row.interval.high) i.high = std::min(i.high.value_or(HUGE_VAL), *row.interval.high);
    }
  }
}

}  // namespace

ProvenWindow ProveWindow(const Investigation& investigation, const Fitted& fitted,
                         const std::vector<double>& quantiles) {
  const Measurement& now = investigation.evidence->now;
  const bool whole = fitted.window.end >= now.breakdown.window.end;
  const WindowIncreases part =
      whole ? WindowIncreases()
            : CutWindow(investigation.histograms, investigation.facts.targets, fitted.window);
  const WindowIncreases& cells = whole ? now.cells : part;
  std::vector<ScrapeIncreases> scheduled = cells.attempt;
  std::erase_if(scheduled, [](const ScrapeIncreases& c) { return !kube::IsScheduled(c.labels); });
  ProvenWindow out{Prove(scheduled, quantiles), Prove(cells.attempt, quantiles),
                   Prove(cells.pod_scheduling, quantiles)};
  if (whole) Narrow(investigation.diagnosis, &out.e2e);
  return out;
}

std::optional<Miss> WorstMissOfAll(const std::vector<ProvenAt>& proven,
                                   const std::vector<const std::vector<std::vector<double>>*>& sets,
                                   double slack) {
  std::optional<Miss> worst;
  for (const ProvenAt& at : proven) {
    Measured all;
    for (const auto* runs : sets) {
      const Measured one = PredictedInterval(*runs, at.q, slack * std::min(at.q, 1 - at.q));
      if (!one.value) continue;
      if (!all.value) all = one;
      all.low = std::min(*all.low, *one.low);
      all.high = std::max(*all.high, *one.high);
    }
    if (!all.value) continue;
    const double low = at.interval.low.value_or(0);
    const double high = at.interval.high.value_or(std::numeric_limits<double>::infinity());
    const double factor = std::max(low / *all.high, *all.low / high);
    if (factor > 1 && (!worst || factor > worst->factor)) {
      worst = Miss{at.q, at.interval, all, factor};
    }
  }
  return worst;
}

std::optional<Miss> Outlying(const std::vector<ProvenAt>& proven, const std::vector<double>& run) {
  if (run.empty()) return std::nullopt;
  for (const ProvenAt& at : proven) {
    const double value = NearestRank(run, at.q);
    const double low = at.interval.low.value_or(0);
    const double high = at.interval.high.value_or(std::numeric_limits<double>::infinity());
    const double factor = std::max(low / value, value / high);
    if (factor > kFitError) return Miss{at.q, at.interval, PredictedInterval({run}, at.q), factor};
  }
  return std::nullopt;
}

std::optional<Miss> WorstMiss(const std::vector<ProvenAt>& proven,
                              const std::vector<std::vector<double>>& runs, double slack) {
  return WorstMissOfAll(proven, {&runs}, slack);
}

}  // namespace schedlens
