#include "reference/readings.h"

#include <algorithm>
#include <cmath>

#include "reference/latency_shape.h"
#include "reference/roll_out.h"

namespace schedlens {
namespace {

using sim::Cost;

/// Replays of a reading other than the plain one.
constexpr std::size_t kSeeds = 3;
/// So many are kept at most.
constexpr std::size_t kMostKept = 6, kMostFound = 12;
/// What a limit that was not measured may miss each rank by: the next one of the search is as near.
constexpr double kSearchSlack = 0.15;
constexpr std::size_t kLeastSearched = 24;
/// Pods come more evenly than chance allows below it, and together above it.
constexpr double kEven = 0.3, kTogether = 1.6;
/// Less in the limiter does not change a bind's shape.
constexpr double kShapedByLimiter = 0.1;
/// Below it nobody waits for the other.
constexpr double kIdle = 0.02;
/// From this part of an attempt on its form is the bind's.
constexpr double kNearlyAll = 0.8;

/// The pods of the window by scrape interval, those without any among them.
std::vector<double> Counts(const Fitted& fitted) {
  std::vector<double> counts, lengths;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    const bool inside = arrivals.start >= fitted.scenario.incident_start && !arrivals.failing;
    if (!inside) continue;
    counts.push_back(arrivals.count);
    lengths.push_back(sim::ToSeconds(arrivals.end - arrivals.start));
  }
  if (counts.empty()) return counts;
  std::nth_element(lengths.begin(),
                   lengths.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), lengths.end());
  const double intervals = fitted.window.seconds() / lengths[counts.size() / 2];
  counts.resize(std::max(counts.size(), static_cast<std::size_t>(std::lround(intervals))));
  return counts;
}

/// How many pods may have come together, by how their number varies from interval to interval.
std::vector<int> Groups(const Fitted& fitted) {
  std::vector<int> groups = {1};
  const std::vector<double> counts = Counts(fitted);
  double sum = 0, squares = 0, most = 0;
  for (const double n : counts) {
    sum += n;
    squares += n * n;
    most = std::max(most, n);
  }
  const double n = std::max<double>(1, static_cast<double>(counts.size()));
  const double mean = sum / n;
  if (mean < 2) return groups;
  const double dispersion = (squares / n - mean * mean) / mean;
  if (dispersion > kTogether) groups.push_back(static_cast<int>(std::lround(dispersion)));
  if (dispersion > 8) groups.push_back(static_cast<int>(std::lround(std::sqrt(dispersion))));
  if (dispersion > 8 || dispersion < kEven) groups.push_back(static_cast<int>(std::lround(most)));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  std::erase(groups, 0);
  return groups;
}

Fitted Grouped(const Fitted& fitted, int group) {
  Fitted out = fitted;
  out.group = group;
  return out;
}

/// The pods above those of the quieter half of the intervals come together.
std::optional<Fitted> Spikes(const Fitted& fitted) {
  std::vector<double> counts = Counts(fitted);
  if (counts.size() < 4) return std::nullopt;
  std::sort(counts.begin(), counts.end());
  const double usual = counts[counts.size() / 4];
  if (counts.back() < 2 * usual + 10) return std::nullopt;
  Fitted out = fitted;
  out.spikes = true;
  for (CountedArrivals& arrivals : out.arrivals) {
    if (arrivals.start < fitted.scenario.incident_start || arrivals.failing) continue;
    arrivals.at_once = std::max(0.0, arrivals.count - usual);
  }
  return out;
}

/// Every way in which the pods of an interval may have come; the first one evenly.
std::vector<Fitted> Groupings(const Fitted& plain) {
  std::vector<Fitted> out;
  for (const int group : Groups(plain)) out.push_back(Grouped(plain, group));
  if (auto spikes = Spikes(plain)) out.push_back(std::move(*spikes));
  return out;
}

/// Time that no metric has, on the loop instead of after it.
std::optional<Fitted> UnmeasuredOnLoop(const Fitted& fitted) {
  Fitted out = fitted;
  sim::Costs& costs = out.scenario.segments.back().conditions.costs;
  const double unmeasured = costs[Cost::kSpawn].wall.Mean();
  if (unmeasured * out.rates.back() < kIdle) return std::nullopt;
  std::swap(costs[Cost::kSpawn], costs[Cost::kAssume]);
  return out;
}

/// The whole bind less its wait for the limiter, in the form of the quiet period.
std::optional<Fitted> BindLessLimiter(const WindowEvidence& c, const Fitted& fitted) {
  const Amount& bind = c.now.breakdown.points[kube::ExtensionPoint::kBind];
  if (!fitted.limited || !c.limiter || bind.count < 1) return std::nullopt;
  Fitted out = fitted;
  sim::StepCost& api = out.scenario.segments.back().conditions.costs[Cost::kBindApi];
  const double mean = (bind.seconds - c.limiter->value) / bind.count;
  if (!(api.wall.Mean() > 0) || mean < 1.2 * api.wall.Mean()) return std::nullopt;
  api.wall = api.wall.Scaled(mean / api.wall.Mean());
  return out;
}

/// Binds whole: the limiter's wait may be that of other requests, events above all.
std::optional<Fitted> BindWhole(const WindowEvidence& c, const Fitted& fitted) {
  const LatencyShape bind =
      ShapeOf(SelectPoint(c.now.cells.extension_point, kube::ExtensionPoint::kBind));
  const bool certain = !c.limiter || c.limiter->low > kShapedByLimiter * bind.seconds ||
                       c.limiter->value <= kShapedByLimiter * bind.seconds;
  if (fitted.limited || certain) return std::nullopt;
  Fitted out = fitted;
  out.scenario.segments.back().conditions.costs[Cost::kBindApi].wall = DistributionOf(bind, bind);
  return out;
}

/// Gives a period's bind the form of its attempts, where it is nearly all of them; false elsewhere.
bool TakeAttemptsForm(const Measurement& window, sim::Segment* segment) {
  const LatencyShape e2e =
      ShapeOf(Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled)));
  sim::Distribution& api = segment->conditions.costs[Cost::kBindApi].wall;
  if (!(e2e.mean() > 0) || api.Mean() < kNearlyAll * e2e.mean()) return false;
  api = DistributionOf(ScaledTo(e2e, api.Mean()));
  return true;
}

/// The bind in the form of the attempts: their buckets lie elsewhere, and what is proven of them is
/// held against those.
std::optional<Fitted> BindAsAttempt(const WindowEvidence& c, const Fitted& fitted) {
  if (fitted.limited) return std::nullopt;
  Fitted out = fitted;
  std::vector<sim::Segment>& periods = out.scenario.segments;
  bool any = TakeAttemptsForm(c.now, &periods.back());
  if (fitted.has_baseline) any = TakeAttemptsForm(*c.baseline, &periods.front()) || any;
  return any ? std::optional(std::move(out)) : std::nullopt;
}

/// Limits to try where no backlog lasts from scrape to scrape: binds never leave faster than it.
std::vector<Fitted> Limits(const Fitted& fitted) {
  std::vector<Fitted> out;
  for (const double factor : {1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0}) {
    for (const double burst : {0.1, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0}) {
      out.push_back(fitted);
      sim::Scenario& scenario = out.back().scenario;
      scenario.qps *= factor;
      scenario.client_burst = std::max(1.0, burst * scenario.qps);
    }
  }
  return out;
}

/// How a reading stands against the data.
struct Judged {
  Reading reading;
  std::optional<Miss> e2e, all, pod;
  /// By how much it misses; 1 where it does not.
  double Factor() const { return std::max(e2e ? e2e->factor : 1, pod ? pod->factor : 1); }
};

Judged Play(const ProvenWindow& proven, const Fitted& fitted, std::size_t seeds, double slack = 0) {
  Judged out{{fitted, PlayRuns(fitted, 1, seeds)}, {}, {}, {}};
  out.e2e = WorstMiss(proven.e2e, out.reading.before.e2e, slack);
  if (fitted.failures.merged == 1) out.all = WorstMiss(proven.all, out.reading.before.all, slack);
  out.pod = WorstMiss(proven.pod, out.reading.before.pod, slack);
  return out;
}

/// The binds that ran when the window began come with its first pods.
std::optional<Fitted> BacklogFirst(const WindowEvidence& c, const Fitted& fitted) {
  if (!c.dispersion || c.dispersion->backlog_start < 10) return std::nullopt;
  Fitted out = fitted;
  CountedArrivals backlog{fitted.scenario.incident_start, fitted.scenario.incident_start + 1};
  backlog.count = backlog.at_once = c.dispersion->backlog_start;
  out.arrivals.push_back(backlog);
  return out;
}

/// Every reading but the plain one.
std::vector<Fitted> Others(const Investigation& investigation, const Fitted& plain) {
  const WindowEvidence& c = *investigation.evidence;
  std::vector<Fitted> out;
  if (plain.limited) {
    if (const auto roll_out = FindRollOut(investigation, plain)) {
      out.push_back(plain);
      PlayRollOut(*roll_out, &out.back());
    }
    if (auto backlog = BacklogFirst(c, plain)) out.push_back(std::move(*backlog));
  }
  for (Fitted& grouping : Groupings(plain)) {
    if (grouping.group > 1 || grouping.spikes) out.push_back(std::move(grouping));
  }
  if (auto loop = UnmeasuredOnLoop(plain)) out.push_back(std::move(*loop));
  if (auto bind = BindLessLimiter(c, plain)) out.push_back(std::move(*bind));
  if (auto bind = BindWhole(c, plain)) out.push_back(std::move(*bind));
  if (auto bind = BindAsAttempt(c, plain)) out.push_back(std::move(*bind));
  if (plain.limited && c.dispersion->cells > 0 && c.dispersion->rate_deviation > 0) {
    for (const double sign : {-1.0, 1.0}) {
      out.push_back(plain);
      double& qps = out.back().scenario.qps;
      const double cells = static_cast<double>(c.dispersion->cells);
      qps = std::max(0.5 * qps, qps + sign * 2 * c.dispersion->rate_deviation / std::sqrt(cells));
    }
  }
  return out;
}

/// All limits with all groups and both forms of a bind, as many as time allows.
std::vector<Judged> SearchLimits(const WindowEvidence& c, const Fitted& plain,
                                 const ProvenWindow& proven, double searched) {
  std::vector<Fitted> all;
  const auto bind = BindLessLimiter(c, plain);
  for (const Fitted& grouping : Groupings(plain)) {
    for (Fitted& limit : Limits(grouping)) {
      if (bind) {
        all.push_back(limit);
        all.back().scenario.segments.back().conditions.costs[Cost::kBindApi] =
            bind->scenario.segments.back().conditions.costs[Cost::kBindApi];
      }
      all.push_back(std::move(limit));
    }
  }
  double attempts = 1;
  for (const CountedArrivals& arrivals : plain.arrivals) attempts += arrivals.count;
  const auto most = std::max(kLeastSearched, static_cast<std::size_t>(searched / attempts));
  const std::size_t step = std::max<std::size_t>(1, (all.size() + most - 1) / most);
  std::vector<Judged> out;
  for (std::size_t i = 0; i < all.size(); i += step)
    out.push_back(Play(proven, all[i], 1, kSearchSlack));
  return out;
}

/// Those to go on with: an even choice of at most `most`.
void Keep(std::vector<Judged>* all, std::size_t keep, std::size_t most, Readings* out) {
  const std::size_t step = (keep + most - 1) / most;
  for (std::size_t i = 0; i < keep; i += step) {
    const Fitted& one = (*all)[i].reading.fitted;
    const Fitted& first = i == 0 ? one : out->kept.front().fitted;
    out->groups_differ =
        out->groups_differ || one.group != first.group || one.spikes != first.spikes;
    out->kept.push_back(std::move((*all)[i].reading));
  }
}

}  // namespace

Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds, double searched) {
  const WindowEvidence& c = *investigation.evidence;
  std::vector<Judged> all;
  all.push_back(Play(proven, fitted, seeds));
  for (const Fitted& other : Others(investigation, fitted)) {
    all.push_back(Play(proven, other, std::min(seeds, kSeeds)));
  }
  const auto agrees = [](const Judged& judged) { return judged.Factor() <= 1; };
  const bool measured = c.dispersion && c.dispersion->cells > 0;
  const bool search = fitted.limited && (!measured || std::none_of(all.begin(), all.end(), agrees));
  if (search) {
    for (Judged& judged : SearchLimits(c, fitted, proven, searched))
      all.push_back(std::move(judged));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Judged& a, const Judged& b) { return a.Factor() < b.Factor(); });
  // Where none agrees in everything, those that agree with the attempts.
  const bool some = agrees(all.front());
  const auto keeps = [&](const Judged& j) { return some ? agrees(j) : !j.e2e; };
  if (!some) std::stable_partition(all.begin(), all.end(), keeps);
  const auto keep = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), keeps));
  Readings out;
  Keep(&all, std::max<std::size_t>(1, keep), search ? kMostFound : kMostKept, &out);
  std::vector<const std::vector<std::vector<double>>*> e2e, every, pod;
  for (const Reading& reading : out.kept) {
    e2e.push_back(&reading.before.e2e);
    if (reading.fitted.failures.merged == 1) every.push_back(&reading.before.all);
    pod.push_back(&reading.before.pod);
  }
  out.e2e = WorstMissOfAll(proven.e2e, e2e);
  out.all = WorstMissOfAll(proven.all, every);
  out.pod = WorstMissOfAll(proven.pod, pod);
  return out;
}

}  // namespace schedlens
