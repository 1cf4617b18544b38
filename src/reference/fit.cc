#include "reference/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/release.h"

namespace schedlens {
namespace {

using sim::Cost;
using sim::Distribution;

/// Buckets of several children together, the open one with its mean in place of a bound.
struct Shape {
  std::vector<std::pair<double, double>> buckets;  // upper bound, count
  double count = 0;
  double seconds = 0;
  double mean() const { return count > 0 ? seconds / count : 0; }
};

Shape ShapeOf(const std::vector<const HistogramCells*>& children) {
  std::map<double, double> at;
  Shape shape;
  for (const HistogramCells* child : children) {
    const auto total = TotalBuckets(*child);
    for (std::size_t b = 0; b < total.size(); ++b) at[child->bounds[b]] += total[b];
    shape.count += TotalCount(*child);
    shape.seconds += TotalSum(*child);
  }
  double lower = 0, closed = 0;
  for (const auto& [bound, n] : at) {
    if (std::isinf(bound)) continue;
    shape.buckets.emplace_back(bound, n);
    closed += n * (lower + bound) / 2;
    lower = bound;
  }
  const auto open = at.find(INFINITY);
  if (open != at.end() && open->second > 0) {
    // The open bucket holds what the sum has left; log-linear up to twice its mean.
    const double mean = (shape.seconds - closed) / open->second;
    shape.buckets.emplace_back(std::max(lower * 1.5, 2 * mean - lower), open->second);
  }
  return shape;
}

Shape ShapeOf(const std::vector<HistogramCells>& cells) { return ShapeOf(Select(cells, "", "")); }

/// The distribution of a shape with its mean moved to `mean`: interpolation inside buckets is a
/// guess, the sum is not.
Distribution WithMean(const Shape& shape, double mean) {
  if (shape.count <= 0 || !(mean > 0)) return Distribution();
  const Distribution raw = Distribution::Empirical(shape.buckets);
  return raw.Mean() > 0 ? raw.Scaled(mean / raw.Mean()) : Distribution::Constant(mean);
}

/// A stage whose own ladder ends too low for it takes the tail of e2e instead: where it leads, the
/// slow attempts are its own.
Distribution WithTailOf(const Shape& stage, const Shape& whole) {
  if (stage.count <= 0) return Distribution();
  if (stage.buckets.size() < 2) return WithMean(stage, stage.mean());
  const auto& [top, open] = stage.buckets.back();
  const double lower = stage.buckets[stage.buckets.size() - 2].first;
  if (open < 1 || whole.buckets.empty() || whole.buckets.back().first <= top / 4) {
    return WithMean(stage, stage.mean());
  }
  Shape joined;
  joined.buckets.assign(stage.buckets.begin(), stage.buckets.end() - 1);
  double above = 0;
  for (const auto& [bound, n] : whole.buckets) above += bound > lower ? n : 0;
  if (above <= 0) return WithMean(stage, stage.mean());
  for (const auto& [bound, n] : whole.buckets) {
    if (bound > lower) joined.buckets.emplace_back(bound, n * open / above);
  }
  joined.count = stage.count;
  return WithMean(joined, stage.mean());
}

std::vector<const HistogramCells*> Point(const WindowCells& cells, std::string_view point) {
  return Select(cells.extension_point, "extension_point", point);
}

/// Stages that are one extension point, and what they cost in the reference scheduler.
constexpr std::pair<std::string_view, Cost> kPointCosts[] = {
    {"PreFilter", Cost::kPreFilter}, {"Filter", Cost::kFilter},
    {"PreScore", Cost::kPreScore},   {"Score", Cost::kScore},
    {"Reserve", Cost::kReserveWait}, {"Permit", Cost::kPermit},
    {"PreBind", Cost::kPreBindWait}, {"PostFilter", Cost::kPostFilter},
};

/// The quicker half: what a bind takes when nothing holds it back, also where the quiet stretch was
/// held back at times.
Shape LowerHalf(const Shape& shape) {
  Shape half;
  for (const auto& [bound, n] : shape.buckets) {
    const double left = shape.count / 2 - half.count;
    if (left <= 0) break;
    half.buckets.emplace_back(bound, std::min(n, left));
    half.count += half.buckets.back().second;
  }
  return half;
}

/// The part of a bind that the API server takes: all of it unless the client's limiter is known to
/// hold it back; then the quiet part alone, and the token bucket adds the wait again.
Distribution BindRequest(const Case& c, const Measurement& window, const Shape& e2e) {
  const Shape bind = ShapeOf(Point(window.cells, "Bind"));
  if (&window == &c.now && c.throttling == Throttling::kYes && c.baseline) {
    const Shape quiet = LowerHalf(ShapeOf(Point(c.baseline->cells, "Bind")));
    if (quiet.count > 0) return Distribution::Empirical(quiet.buckets);
  }
  // Less than a tenth in the limiter does not change a bind's shape.
  if (&window == &c.now && c.limiter && c.limiter->value > 0.1 * bind.seconds) {
    return WithMean(bind,
                    std::max(0.01 * bind.mean(), bind.mean() - c.limiter->value / bind.count));
  }
  return WithTailOf(bind, e2e);
}

int MinorOf(const Facts& facts) {
  const Release release = DetectRelease(facts);
  const int minor = release.newest < 99 ? release.newest : std::max(release.oldest, 34);
  // The reference scheduler knows these releases; the nearest older one behaves the same.
  for (const int known : {34, 30, 26, 23}) {
    if (minor >= known) return known;
  }
  return 20;
}

sim::Nanos Length(const TimeRange& range) {
  const double seconds = std::clamp(range.seconds(), 60.0, 600.0);
  return static_cast<sim::Nanos>(seconds * 1e9);
}

}  // namespace

sim::Conditions FitConditions(const Case& c, const Measurement& window) {
  sim::Conditions out;
  const Account& account = window.account;
  const double seconds = std::max(1.0, account.window.seconds());
  // What arrived, not what left: behind a limiter the two differ.
  const double found = account.Point("Reserve").count;
  out.rate = std::max(1e-3, (found > 0 ? found : account.scheduled()) / seconds);
  const Shape e2e = ShapeOf(Select(window.cells.attempt, "result", "scheduled"));
  sim::Costs& costs = out.costs;
  for (const auto& [point, cost] : kPointCosts) {
    const Shape shape = ShapeOf(Point(window.cells, point));
    costs[cost].wall = WithTailOf(shape, e2e);
  }
  const Shape algorithm = ShapeOf(window.cells.algorithm);
  // What the scheduled attempts waited for: quick failures would thin it out.
  const double runs = std::max(1.0, account.Point("Reserve").count);
  costs[Cost::kSnapshot].wall =
      WithMean(algorithm, std::max(0.0, account.Seconds("algorithm.unmeasured")) / runs);
  costs[Cost::kBindApi].wall = BindRequest(c, window, e2e);
  if (account.extender_binds > 0) {
    const double mean = account.Seconds("bind.unmeasured") / account.extender_binds;
    const Shape whole = account.has_binding ? ShapeOf(window.cells.binding) : e2e;
    costs[Cost::kExtBind].wall = WithMean(whole, mean);
  } else {
    costs[Cost::kSpawn].wall = Distribution::Constant(std::max(0.0, account.Seconds("unmeasured")) /
                                                      std::max(1.0, account.scheduled()));
  }
  return out;
}

Fitted FitScenario(const Investigation& investigation) {
  Fitted fitted;
  const Case& c = *investigation.evidence;
  sim::Scenario& scenario = fitted.scenario;
  scenario.name = "fitted";
  scenario.release.minor = MinorOf(*investigation.facts);
  scenario.nodes = {{}};
  scenario.nodes.front().count = 50;
  scenario.templates = {{}};
  scenario.templates.front().life = Distribution::Uniform(20, 40);
  scenario.scrape_jitter = 0;
  sim::Nanos at = 0;
  if (c.baseline && c.baseline->account.scheduled() > 0) {
    scenario.segments.push_back({0, FitConditions(c, *c.baseline)});
    at = Length(c.baseline->account.window);
    fitted.has_baseline = true;
  }
  scenario.segments.push_back({at, FitConditions(c, c.now)});
  scenario.incident_start = at;
  scenario.incident_end = at + Length(c.now.account.window);
  scenario.duration = scenario.incident_end + 5 * sim::kSecond;
  const Account& now = c.now.account;
  const double slow = std::max(now.algorithm.mean(), 1e-3);
  scenario.qps = std::max(50.0, 4 * now.scheduled() / std::max(1.0, now.window.seconds()));
  scenario.client_burst = 2 * scenario.qps;
  const bool limited = c.limiter && c.limiter->low > 0.5 * now.Point("Bind").seconds;
  if (c.rhythm && (limited || (!c.limiter && c.throttling == Throttling::kYes))) {
    scenario.qps = c.rhythm->rate;
    scenario.client_burst = std::max(1.0, c.rhythm->rate);
  }
  if (now.extender_binds > 0) {
    sim::Extender extender;
    extender.bind = true;
    extender.timeout = 600;
    scenario.extenders.push_back(extender);
    if (now.extender_binds < 0.99 * now.Point("PostBind").count) {
      // An extender for some pods only: it manages a resource that this share of them requests.
      extender.managed = "example.com/managed";
      scenario.extenders.back() = extender;
      sim::PodTemplate managed = scenario.templates.front();
      managed.name = "managed";
      managed.extended["example.com/managed"] = 1;
      scenario.templates.push_back(managed);
      scenario.nodes.front().extended["example.com/managed"] = 1e6;
      const double share = now.extender_binds / std::max(1.0, now.Point("PostBind").count);
      for (sim::Segment& segment : scenario.segments)
        segment.conditions.weights = {1 - share, share};
    }
  }
  // A loop that cannot keep up would never end its queue: what was measured bounds what is asked.
  for (sim::Segment& segment : scenario.segments) {
    segment.conditions.rate = std::min(segment.conditions.rate, 0.95 / slow);
    if (segment.conditions.weights.empty()) {
      segment.conditions.weights.assign(scenario.templates.size(), 1.0);
    }
    segment.conditions.template_costs.resize(scenario.templates.size());
  }
  return fitted;
}

}  // namespace schedlens
