#include "replay/readings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "base/text.h"
#include "kube/words.h"
#include "replay/change.h"
#include "replay/latency_shape.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

using sim::Cost;

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
      auto& [low, high] = at.interval;
      if (row.interval.low) low = std::max(low.value_or(0), *row.interval.low);
      if (row.interval.high) high = std::min(high.value_or(HUGE_VAL), *row.interval.high);
    }
  }
}

/// Pods come more evenly than chance allows below it, and together above it.
constexpr double kEven = 0.3, kTogether = 1.6;

/// The pods of the window by scrape interval, those without any among them.
std::vector<double> Counts(const Fitted& fitted) {
  std::vector<double> counts, lengths;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    if (!fitted.InWindow(arrivals)) continue;
    counts.push_back(arrivals.count);
    lengths.push_back(sim::ToSeconds(arrivals.end - arrivals.start));
  }
  if (counts.empty()) return counts;
  const double intervals = fitted.window.seconds() / UpperMedian(lengths);
  counts.resize(std::max(counts.size(), CutTo<std::size_t>(std::round(intervals))));
  return counts;
}

/// How many pods may have come together, by how their number varies from interval to interval.
std::set<int> Groups(const Fitted& fitted) {
  std::set<int> groups = {1};
  const std::vector<double> counts = Counts(fitted);
  double sum = 0, squares = 0, most = 0;
  for (const double n : counts) {
    sum += n;
    squares += n * n;
    most = std::max(most, n);
  }
  const double n = static_cast<double>(counts.size());
  const double mean = sum / n;
  if (!(mean >= 2)) return groups;
  const double dispersion = (squares / n - mean * mean) / mean;
  if (dispersion > kTogether) groups.insert(CutTo<int>(std::round(dispersion)));
  if (dispersion > 8) groups.insert(CutTo<int>(std::round(std::sqrt(dispersion))));
  if (dispersion > 8 || dispersion < kEven) groups.insert(CutTo<int>(std::round(most)));
  groups.erase(0);
  return groups;
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
    if (fitted.InWindow(arrivals)) arrivals.at_once = std::max(0.0, arrivals.count - usual);
  }
  return out;
}

/// Replays of a reading other than the plain one.
constexpr std::size_t kSeeds = 3;
/// So many are kept at most.
constexpr std::size_t kMostKept = 6, kMostFound = 12;
constexpr std::size_t kLeastSearched = 24;
/// Less in the limiter does not change a bind's shape.
constexpr double kShapedByLimiter = 0.1;
/// Below it nobody waits for the other.
constexpr double kIdle = 0.02;
/// From this part of an attempt on its form is the bind's.
constexpr double kNearlyAll = 0.8;

/// Time that no metric has, on the loop instead of after it.
std::optional<Fitted> UnmeasuredOnLoop(const Fitted& fitted) {
  Fitted out = fitted;
  sim::Costs& costs = out.now().costs;
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
  sim::StepCost& api = out.now().costs[Cost::kBindApi];
  const double mean = (bind.seconds - c.limiter->value) / bind.count;
  if (!(api.wall.Mean() > 0) || mean < 1.2 * api.wall.Mean()) return std::nullopt;
  api.wall = api.wall.Scaled(mean / api.wall.Mean());
  return out;
}

/// Binds whole: the limiter's wait may be that of other requests, events above all.
std::optional<Fitted> BindWhole(const WindowEvidence& c, const Fitted& fitted) {
  const LatencyShape bind = ShapeAt(c.now, kube::ExtensionPoint::kBind);
  const bool certain = !c.limiter || c.limiter->low > kShapedByLimiter * bind.seconds ||
                       c.limiter->value <= kShapedByLimiter * bind.seconds;
  if (fitted.limited || certain) return std::nullopt;
  Fitted out = fitted;
  out.now().costs[Cost::kBindApi].wall = DistributionOf(bind, bind);
  return out;
}

/// Gives a period's bind the form of its attempts, where it is nearly all of them; false elsewhere.
bool TakeAttemptsForm(const Measurement& window, sim::Segment* segment) {
  const LatencyShape e2e = ScheduledShape(window);
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

/// Limits to try where no backlog lasts from scrape to scrape, in parts of the rate of binds: they
/// never leave faster than the limit.
constexpr double kLimits[] = {1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0};
constexpr double kBursts[] = {0.1, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0};  // in seconds of the limit

/// How a reading stands against the data.
struct Judged {
  Reading reading;
  std::optional<Miss> e2e, all, pod;
  /// By how much it misses; 1 where it does not.
  double Factor() const { return std::max(e2e ? e2e->factor : 1, pod ? pod->factor : 1); }
};

Judged Play(const ReadingPlayer& player, const ProvenWindow& proven, const Fitted& fitted,
            std::size_t seeds, double slack = 0) {
  Judged out{{fitted, player.play(fitted, seeds)}, {}, {}, {}};
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
std::vector<Fitted> Others(const Investigation& investigation, const Fitted& plain,
                           bool rolls_out) {
  const WindowEvidence& c = *investigation.evidence;
  std::vector<Fitted> out;
  if (plain.limited) {
    const auto roll_out = rolls_out ? FindRollOut(investigation, plain) : std::nullopt;
    if (roll_out) {
      out.push_back(plain);
      PlayRollOut(*roll_out, &out.back());
    }
    if (auto backlog = BacklogFirst(c, plain)) out.push_back(std::move(*backlog));
  }
  for (Fitted& grouping : Groupings(plain)) {
    if (grouping.group > 1 || grouping.spikes) out.push_back(std::move(grouping));
  }
  for (auto& other : {UnmeasuredOnLoop(plain), BindLessLimiter(c, plain), BindWhole(c, plain),
                      BindAsAttempt(c, plain)}) {
    if (other) out.push_back(*other);
  }
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
                                 const ProvenWindow& proven, const ReadingPlayer& player) {
  const std::vector<Fitted> groupings = Groupings(plain);
  const auto bind = BindLessLimiter(c, plain);
  const std::size_t forms = bind ? 2 : 1;
  const std::size_t all = groupings.size() * std::size(kLimits) * std::size(kBursts) * forms;
  const auto most =
      std::max(kLeastSearched, CutTo<std::size_t>(player.searched / (1 + plain.Pods())));
  const std::size_t step = std::max<std::size_t>(1, (all + most - 1) / most);
  std::vector<Judged> out;
  for (std::size_t i = 0; i < all; i += step) {
    std::size_t left = i;
    const auto take = [&](std::size_t of) { return std::exchange(left, left / of) % of; };
    const bool less_limiter = take(forms) == 0 && bind;
    const double burst = kBursts[take(std::size(kBursts))];
    const double limit = kLimits[take(std::size(kLimits))];
    Fitted reading = groupings[left];
    if (less_limiter) {
      reading.now().costs[Cost::kBindApi] = bind->now().costs[Cost::kBindApi];
    }
    reading.scenario.qps *= limit;
    reading.scenario.client_burst = std::max(1.0, burst * reading.scenario.qps);
    out.push_back(Play(player, proven, reading, 1, kSearchSlack));
  }
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

Message Miss::Tell(std::string id) const {
  return Message(std::move(id), {{"q", arg::Number(100 * q)},
                                 {"replayed", arg::Duration(*replayed.value)},
                                 {"least", arg::Duration(*replayed.low)},
                                 {"most", arg::Duration(*replayed.high)},
                                 {"low", arg::Duration(proven.low.value_or(0))}});
}

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
      Widen(PredictedInterval(*runs, at.q, slack * std::min(at.q, 1 - at.q)), &all);
    }
    if (!all.value) continue;
    const double low = at.interval.low.value_or(0);
    const double high = at.interval.high.value_or(HUGE_VAL);
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
    const double high = at.interval.high.value_or(HUGE_VAL);
    const double factor = std::max(low / value, value / high);
    if (factor > kFitError) return Miss{at.q, at.interval, PredictedInterval({run}, at.q), factor};
  }
  return std::nullopt;
}

std::optional<Miss> WorstMiss(const std::vector<ProvenAt>& proven,
                              const std::vector<std::vector<double>>& runs, double slack) {
  return WorstMissOfAll(proven, {&runs}, slack);
}

std::vector<Fitted> Groupings(const Fitted& plain) {
  std::vector<Fitted> out;
  for (const int group : Groups(plain)) {
    out.push_back(plain);
    out.back().group = group;
  }
  if (auto spikes = Spikes(plain)) out.push_back(std::move(*spikes));
  return out;
}

Readings ReadWindow(const Investigation& investigation, const Fitted& fitted,
                    const ProvenWindow& proven, std::size_t seeds, const ReadingPlayer& player) {
  const WindowEvidence& c = *investigation.evidence;
  std::vector<Judged> all;
  all.push_back(Play(player, proven, fitted, seeds));
  for (const Fitted& other : Others(investigation, fitted, player.rolls_out)) {
    all.push_back(Play(player, proven, other, std::min(seeds, kSeeds)));
  }
  const auto agrees = [](const Judged& judged) { return judged.Factor() <= 1; };
  const bool measured = c.dispersion && c.dispersion->cells > 0;
  const bool search = fitted.limited && (!measured || std::none_of(all.begin(), all.end(), agrees));
  if (search) {
    for (Judged& judged : SearchLimits(c, fitted, proven, player)) all.push_back(std::move(judged));
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
