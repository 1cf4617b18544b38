#include "analysis/causes/contradictions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analysis/breakdown/conservation.h"
#include "analysis/tail/running.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

using kube::Stage;

/// What rounding, downsampling and a page that is written while attempts end may be off by.
constexpr double kHair = 1e-3;
/// A page's histograms are read one after the other: attempts of this long may lie between two.
constexpr double kPageSeconds = 0.1;

template <typename Child>
Value NameOfChild(const Child& child) {
  static const std::vector<std::string> kOwn = {"extension_point", "status", "result", "profile"};
  return child.labels.Only(kOwn).With("__name__", child.family).ToString();
}

/// One sentence a child at most.
void AddImpossibleValues(const Histograms& histograms, const TimeRange& window,
                         std::vector<Message>* found) {
  for (const HistogramFacts* histogram : AllOf(histograms)) {
    for (const HistogramSeries& child : histogram->children) {
      for (std::size_t i = 0; i < child.times.size(); ++i) {
        if (child.times[i] < window.start || child.times[i] > window.end) continue;
        const auto row = child.Row(i);
        const double most = row.empty() ? 0 : *std::max_element(row.begin(), row.end());
        if (std::isinf(most) || std::isinf(child.sums[i])) {
          found->push_back(Message("contradiction.infinite", {{"series", NameOfChild(child)}}));
          break;
        }
        if (most >= kMostCounted) {
          found->push_back(Message("contradiction.count",
                                   {{"series", NameOfChild(child)}, {"count", arg::Number(most)}}));
          break;
        }
        if (child.sums[i] < 0) {
          found->push_back(
              Message("contradiction.negative",
                      {{"series", NameOfChild(child)}, {"sum", arg::Number(child.sums[i])}}));
          break;
        }
      }
    }
  }
}

void AddFallenSum(const ScrapeIncreases& child, std::vector<Message>* found) {
  for (std::size_t i = 0; i < child.cells(); ++i) {
    if (child.reset[i] || !(child.sums[i] < 0)) continue;
    const double size = i + 1 < child.sum_at.size() ? std::abs(child.sum_at[i + 1]) : 0;
    if (child.sums[i] >= -1e-9 * std::max(1.0, size)) continue;
    found->push_back(Message("contradiction.fell", {{"series", NameOfChild(child)},
                                                    {"seconds", arg::Duration(-child.sums[i])}}));
    return;
  }
}

/// A histogram's sum lies between its observations at the lower and at the upper edges.
void AddSumOutsideBuckets(const ScrapeIncreases& child, std::vector<Message>* found) {
  if (child.torn || child.bounds.size() < 2) return;
  const std::vector<double> buckets = TotalBuckets(child);
  const double sum = TotalSum(child);
  double low = 0, high = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b] <= 0) continue;
    low += buckets[b] * (b == 0 ? 0 : child.bounds[b - 1]);
    high += buckets[b] * child.bounds[b];
  }
  const double size = child.sum_at.empty() ? 0 : std::abs(child.sum_at.back());
  const double slack = 1e-9 * std::max(1.0, size);
  const bool under = sum<(1 - kHair) * low - slack, over = sum>(1 + kHair) * high + slack;
  if (!under && !over) return;
  found->push_back(Message(under ? "contradiction.sum.low" : "contradiction.sum.high",
                           {{"series", NameOfChild(child)},
                            {"sum", arg::Duration(sum)},
                            {"bound", arg::Duration(under ? low : high)}}));
}

/// What may make parts look larger than their whole: attempts that cross the window's end, and
/// those that end while a page is read.
Tops AllowanceOf(const Facts& facts, const Histograms& histograms, const WindowIncreases& cells,
                 const TimeBreakdown& breakdown) {
  const TailPopulations p = TailPopulationsOf(facts.targets, cells);
  const double length = static_cast<double>(cells.window.end - cells.window.start) / 1000;
  const double rate = length > 0 ? breakdown.e2e.count / length : 0;
  const double between = 2 * static_cast<double>(facts.targets.size()) + kPageSeconds * rate;
  Tops running = RunningAtEnd(histograms, facts.targets, cells, breakdown);
  for (const kube::StageRow& row : kube::kStageTable) running[row.stage] += between;
  Tops tops = TopsOfRunning(p, breakdown, running, breakdown.e2e.count);
  tops[Stage::kBind] = BindTop(p, breakdown, RoundUp(running.Get(Stage::kBind)));
  return tops;
}

void AddPartsOverTheirWhole(const Facts& facts, const Histograms& histograms,
                            const WindowIncreases& cells, const TimeBreakdown& breakdown,
                            std::vector<Message>* found) {
  if (cells.extension_point.empty() || cells.algorithm.empty() || cells.attempt.empty()) return;
  const Tops allowance = AllowanceOf(facts, histograms, cells, breakdown);
  const auto compare = [&](const Value& part, double seconds, const Value& whole, double total,
                           double allowed) {
    if (!(seconds > (1 + kHair) * total + allowed)) return;
    found->push_back(Message("contradiction.part", {{"part", part},
                                                    {"seconds", arg::Duration(seconds)},
                                                    {"whole", whole},
                                                    {"total", arg::Duration(total)}}));
  };
  double stages = 0, stages_allowed = 0, points = 0, points_allowed = 0;
  std::pair<double, std::string> largest;
  for (const kube::StageRow& row : kube::kStageTable) {
    if (row.parent == Stage::kAlgorithm && row.point) {
      points += breakdown.Seconds(row.stage);
      points_allowed += allowance.Get(row.stage);
    }
    if (row.parent || row.stage == Stage::kUnmeasured) continue;
    stages_allowed += allowance.Get(row.stage);
    // From 1.21 an extender's bind is only what the rest leaves.
    const bool rest = row.stage == Stage::kBind && !breakdown.has_binding;
    const Stage stage = rest ? Stage::kBindPlugins : row.stage;
    stages += breakdown.Seconds(stage);
    largest = std::max(largest, {breakdown.Seconds(stage), std::string(RowOf(stage).measured_by)});
  }
  // Which failed attempts had found a node may be an estimate.
  if (breakdown.late_failures > 0) {
    stages_allowed += breakdown.FailedSeconds();
    points_allowed += breakdown.FailedSeconds();
  }
  compare(Message("contradiction.stages", {{"largest", largest.second}}), stages,
          cells.attempt.front().family, breakdown.e2e.seconds, stages_allowed);
  compare(Message("contradiction.points"), points, cells.algorithm.front().family,
          breakdown.Seconds(Stage::kAlgorithm), points_allowed);
  if (breakdown.has_binding) {
    compare("EP{Bind, status=Success}", breakdown.bind_ok.seconds, cells.binding.front().family,
            breakdown.binding.seconds, allowance.Get(Stage::kBind));
  }
}

std::vector<Message> FindIn(const Facts& facts, const Histograms& histograms,
                            const WindowIncreases& cells, const TimeBreakdown& breakdown) {
  std::vector<Message> found;
  AddImpossibleValues(histograms, cells.window, &found);
  if (!found.empty()) return found;  // whatever is added up from these follows from them
  for (const auto* children : {&cells.attempt, &cells.algorithm, &cells.binding,
                               &cells.extension_point, &cells.permit_wait, &cells.pod_scheduling}) {
    for (const ScrapeIncreases& child : *children) {
      AddFallenSum(child, &found);
      AddSumOutsideBuckets(child, &found);
    }
  }
  if (breakdown.e2e.count < 1 || std::isnan(breakdown.e2e.seconds)) return found;
  AddPartsOverTheirWhole(facts, histograms, cells, breakdown, &found);
  const auto counts = ContradictingCounts(facts, cells, breakdown, kHair);
  found.insert(found.end(), counts.begin(), counts.end());
  return found;
}

}  // namespace

std::vector<Message> FindContradictions(const Facts& facts, const Histograms& histograms,
                                        const Measurement& now,
                                        const std::optional<Measurement>& baseline) {
  std::vector<Message> found = FindIn(facts, histograms, now.cells, now.breakdown);
  if (!baseline) return found;
  const std::vector<Message> before =
      FindIn(facts, histograms, baseline->cells, baseline->breakdown);
  // The same of both is said once, of the window.
  const std::size_t of_window = found.size();
  for (const Message& text : before) {
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(of_window);
    const bool known =
        std::any_of(found.begin(), end, [&](const Message& one) { return one.id == text.id; });
    if (!known) found.push_back(text);
  }
  return found;
}

}  // namespace schedlens
