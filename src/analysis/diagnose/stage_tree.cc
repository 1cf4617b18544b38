#include "analysis/diagnose/stage_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/proven_interval.h"

namespace schedlens {
namespace {

/// Extension points that are stages, and the stage's id.
constexpr std::pair<std::string_view, std::string_view> kPointStages[] = {
    {"PreFilter", "algorithm.prefilter"},
    {"Filter", "algorithm.filter"},
    {"PreScore", "algorithm.prescore"},
    {"Score", "algorithm.score"},
    {"PostFilter", "postfilter"},
    {"Reserve", "reserve"},
    {"Permit", "permit"},
    {"PreBind", "prebind"},
    {"Bind", "bind.plugins"},
};

Measured ShareOf(const Measured& seconds, double all) {
  if (!(all > 0) || !seconds.value) return {std::nullopt, std::nullopt, std::nullopt, "1", ""};
  Measured share = seconds;
  share.unit = "1";
  for (auto* end : {&share.value, &share.low, &share.high}) {
    if (*end) **end /= all;
  }
  return share;
}

/// Sums are exact. A difference of sums is an estimate: attempts that straddle the window's edges
/// have some of their stages outside of it.
Measured SecondsOf(const WindowEvidence& c, std::string_view id) {
  const TimeBreakdown& now = c.now.breakdown;
  if (id == "bind.throttle" || id == "bind.request") {
    if (!c.limiter || !now.seconds.contains("bind.plugins"))
      return {std::nullopt, std::nullopt, std::nullopt, "s", ""};
    const double bind = now.Seconds("bind.plugins");
    return id == "bind.throttle" ? Bounded(c.limiter->low, c.limiter->value, c.limiter->high, "s",
                                           "rate limiter sums")
                                 : Bounded(bind - c.limiter->high, bind - c.limiter->value,
                                           bind - c.limiter->low, "s", "rate limiter sums");
  }
  const auto it = now.seconds.find(std::string(id));
  if (it == now.seconds.end() || std::isnan(it->second)) {
    return {std::nullopt, std::nullopt, std::nullopt, "s", ""};
  }
  if (id == "algorithm" && now.algorithm_from_points) {
    const double rest = std::max(0.0, now.Seconds("unmeasured") + now.Seconds("bind.unmeasured"));
    return Bounded(it->second, it->second, it->second + rest, "s", "its extension points");
  }
  const bool remainder = id.ends_with("unmeasured");
  const bool joined = id == "algorithm" && now.failed() > 0 && !now.algorithm_has_failures;
  if (remainder || joined) return Estimated(it->second, "s", "difference of sums");
  return Exact(it->second, "s");
}

Message MeasuredBy(const WindowEvidence& c, const StageName& name) {
  const TimeBreakdown& now = c.now.breakdown;
  if (name.id == "bind.unmeasured" && !now.has_binding && now.extender_binds > 0) {
    return Message("measured_by.bind.rest");
  }
  if (name.id == "bind") {
    if (now.has_binding) return Message("measured_by.bind");
    return Verbatim(now.extender_binds > 0 ? "EP{Bind} + bind.unmeasured" : "EP{Bind}");
  }
  if (name.id == "algorithm" && now.algorithm_from_points) {
    return Message("measured_by.algorithm.points");
  }
  if (name.id == "algorithm" && now.algorithm_has_failures) {
    return Verbatim("scheduling_algorithm - EP{PostFilter}");
  }
  if (name.id == "algorithm") return Message("measured_by.algorithm");
  if (name.id == "algorithm.unmeasured") return Message("measured_by.algorithm.rest");
  if (name.id == "bind.throttle") return Message("measured_by.limiter");
  if (name.id == "bind.request") return Message("measured_by.request");
  if (name.id == "unmeasured") return Message("measured_by.e2e.rest");
  return Verbatim(std::string(name.measured_by));
}

/// The histogram that a stage is measured by; empty for a remainder.
std::vector<const ScrapeIncreases*> HistogramOfStage(const WindowIncreases& cells,
                                                     std::string_view id) {
  if (id == "algorithm") return Select(cells.algorithm, "", "");
  if (id == "bind") return Select(cells.binding, "", "");
  if (id == "permit-wait") return Select(cells.permit_wait, "", "");
  for (const auto& [point, stage] : kPointStages) {
    if (stage == id) return Select(cells.extension_point, "extension_point", point);
  }
  return {};
}

bool IsSaturated(const WindowEvidence& c, std::string_view id) {
  double open = 0, all = 0;
  for (const ScrapeIncreases* child : HistogramOfStage(c.now.cells, id)) {
    if (child->bounds.size() < 2) continue;  // without buckets there is no top one
    const auto total = TotalBuckets(*child);
    if (total.size() > 1) open += total.back();
    all += TotalCount(*child);
  }
  return all > 0 && open > 0.01 * all;
}

/// Of the attempts over the alert's threshold, those in which this stage alone was over it: since
/// e2e >= stage, each stage over it is an attempt over it. Exact where the threshold is a bound of
/// both histograms, an interval elsewhere.
std::optional<Measured> SufficientOf(const WindowEvidence& c, std::string_view id) {
  if (!c.threshold) return std::nullopt;
  const auto children = HistogramOfStage(c.now.cells, id);
  if (children.empty()) return std::nullopt;
  CountBounds slow{0, 0}, attempts{0, 0};
  const auto add = [&](const ScrapeIncreases& cells, CountBounds* sum) {
    const CountBounds above = CountAbove(cells, *c.threshold);
    sum->low += above.low;
    sum->high += above.high;
  };
  for (const ScrapeIncreases* child : children) add(*child, &slow);
  for (const ScrapeIncreases& child : c.now.cells.attempt) add(child, &attempts);
  if (!(attempts.low > 0)) return std::nullopt;
  const double low = std::min(1.0, slow.low / attempts.high);
  const double high = std::min(1.0, slow.high / attempts.low);
  return Bounded(low, (low + high) / 2, high, "1", "counts over the threshold");
}

/// Of the slowest attempts' time: proven bounds, and inside them an estimate where there is one.
Measured TailShareOf(const TailShare& bounds, const std::string& id,
                     const std::map<std::string, double>& estimates) {
  const auto found = estimates.find(id);
  if (found == estimates.end()) {
    return {std::nullopt, bounds.low, bounds.high, "1", "proven, any pairing"};
  }
  return {std::clamp(found->second, bounds.low, bounds.high), bounds.low, bounds.high, "1",
          "proven, any pairing; value by reconstruction"};
}

Stage MakeStage(const WindowEvidence& c, const StageName& name,
                const std::map<std::string, double>& tail_estimates) {
  const TimeBreakdown& now = c.now.breakdown;
  const std::string id(name.id);
  Stage stage;
  stage.id = id;
  stage.parent = name.parent;
  stage.seconds = SecondsOf(c, name.id);
  stage.share = ShareOf(stage.seconds, now.e2e.seconds);
  stage.measured_by = MeasuredBy(c, name);
  stage.population = name.population;
  stage.saturated = IsSaturated(c, name.id);
  stage.sufficient = SufficientOf(c, name.id);
  if (const auto it = now.counts.find(id); it != now.counts.end()) stage.observations = it->second;
  if (const auto it = c.change.find(id); it != c.change.end() && stage.seconds.value) {
    stage.excess = Estimated(it->second.excess, "s", "against the baseline");
    stage.excess_mix = Estimated(it->second.mix, "s", "more observations");
    stage.excess_cost = Estimated(it->second.cost, "s", "dearer observations");
  }
  if (const auto it = c.tail.shares.find(id); it != c.tail.shares.end()) {
    stage.tail_time_share = TailShareOf(it->second, id, tail_estimates);
  }
  if (c.baseline) {
    const TimeBreakdown& before = c.baseline->breakdown;
    const auto it = before.seconds.find(id);
    if (it != before.seconds.end() && !std::isnan(it->second)) {
      stage.baseline_seconds = it->second;
      if (before.e2e.seconds > 0) stage.baseline_share = it->second / before.e2e.seconds;
    }
  }
  return stage;
}

}  // namespace

std::vector<Stage> StageTree(const WindowEvidence& c,
                             const std::map<std::string, double>& tail_estimates) {
  std::vector<Stage> tree;
  for (const StageName& name : StageNames()) {
    tree.push_back(MakeStage(c, name, tail_estimates));
    for (const auto& [point, id] : kPointStages) {
      if (id != name.id) continue;
      const Measured parent = tree.back().seconds;
      for (const PluginRow& row : c.plugins) {
        if (row.extension_point != point || !parent.value || !row.wall_share.value) continue;
        Stage stage;
        stage.id = fmt::format("{}/{}", id, row.plugin);
        stage.parent = id;
        stage.seconds = Estimated(*parent.value * *row.wall_share.value, "s", row.wall_share.basis);
        stage.share = ShareOf(stage.seconds, c.now.breakdown.e2e.seconds);
        stage.measured_by = Message("measured_by.plugin");
        stage.population = "about 10 % of cycles, then a lossy buffer";
        stage.observations = row.observations;
        tree.push_back(std::move(stage));
      }
    }
  }
  return tree;
}

}  // namespace schedlens
