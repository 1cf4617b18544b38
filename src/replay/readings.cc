#include "replay/readings.h"

#include "replay/change.h"
#include "source/capture/capture_source.h"
#include "stats/proven_interval.h"

namespace schedlens {
namespace {

using sim::AttemptRecord;
using sim::AttemptStage;
using sim::Cost;

/// A stream of its own: the scheduler's draws do not depend on which pods waited for a node.
constexpr std::uint64_t kRunStream = 102;

/// Pods that the scenario's actions bring inside its window, but those that wait for all others.
double Arriving(const sim::Scenario& scenario) {
  double pods = 0;
  for (const sim::Action& action : scenario.actions) {
    const bool inside = action.at >= scenario.incident_start && action.at < scenario.incident_end;
    const bool yields = scenario.templates[action.pod_template].priority < 0;
    if (inside && !yields) pods += action.count;
  }
  return pods;
}

Load LoadOf(const sim::Scenario& scenario, const sim::SimulationResult& result) {
  double loop = 0, requests = 0, e2e = 0, throttled = 0, extender = 0;
  std::set<std::uint32_t> pods;
  for (const AttemptRecord& attempt : result.attempts) {
    if (attempt.start < scenario.incident_start || attempt.start >= scenario.incident_end) continue;
    const sim::PodTemplate& pod_template =
        scenario.templates[result.pods[attempt.pod].pod_template];
    if (pod_template.priority < 0) continue;
    pods.insert(attempt.pod);
    sim::Nanos on_loop = attempt.algorithm;
    for (const AttemptStage stage : {AttemptStage::kPostFilter, AttemptStage::kAssume,
                                     AttemptStage::kReserve, AttemptStage::kPermit}) {
      on_loop += attempt[stage];
    }
    loop += sim::ToSeconds(on_loop);
    e2e += sim::ToSeconds(attempt.e2e);
    throttled += sim::ToSeconds(attempt.throttle);
    extender += sim::ToSeconds(attempt[AttemptStage::kExtBind]);
    // The status PATCH of a pod that fails for the first time is the loop's, and no attempt's.
    if (attempt.result != sim::AttemptResult::kScheduled && attempt.number == 1 &&
        !pod_template.condition_set && !scenario.AsyncApiCalls()) {
      loop += scenario.segments.back().conditions.costs[sim::Cost::kWriteApi].wall.Mean();
      ++requests;
    }
    requests += attempt[AttemptStage::kBind] > 0 ? 1 : 0;
    requests += attempt[AttemptStage::kNominate] > 0 ? 1 : 0;
  }
  Load load;
  if (pods.empty()) return load;
  const double seconds = sim::ToSeconds(scenario.incident_end - scenario.incident_start);
  const double rate = Arriving(scenario) / seconds / static_cast<double>(pods.size());
  load.loop = loop * rate;
  load.client = scenario.qps > 0 ? requests * rate / scenario.qps : 0;
  load.throttled = e2e > 0 ? throttled / e2e : 0;
  load.extender = e2e > 0 ? extender / e2e : 0;
  return load;
}

void Collect(const sim::Scenario& scenario, const Failures& failures,
             const sim::SimulationResult& result, std::uint64_t seed, double waiting, Runs* runs) {
  sim::Random random(seed, kRunStream);
  const auto inside = [&](const AttemptRecord& attempt) {
    const sim::Nanos end = attempt.start + attempt.e2e;
    return end > scenario.incident_start && end <= scenario.incident_end;
  };
  const auto waits = [&](const AttemptRecord& attempt) {
    return attempt.result == sim::AttemptResult::kScheduled &&
           sim::ToSeconds(attempt[AttemptStage::kPreBind]) >= kLeastVolumeWait;
  };
  double drawn[] = {0, 0};  // without a wait for volumes, and with one
  for (const AttemptRecord& attempt : result.attempts) {
    if (!inside(attempt) || attempt.result != sim::AttemptResult::kScheduled) continue;
    drawn[waits(attempt)] += 1;
  }
  // How many wait was counted: of all that were drawn, those with and without stand for their part.
  const bool counted = drawn[0] > 0 && drawn[1] > 0 && waiting > 0 && waiting < 1;
  const double part[] = {1 - waiting, waiting}, all_drawn = drawn[0] + drawn[1];
  double due[] = {0.5, 0.5};
  std::vector<double>& e2e = runs->e2e.emplace_back();
  std::vector<double>& all = runs->all.emplace_back();
  std::vector<double>& pod = runs->pod.emplace_back();
  for (const AttemptRecord& attempt : result.attempts) {
    if (!inside(attempt)) continue;
    const double seconds = sim::ToSeconds(attempt.e2e);
    if (attempt.result != sim::AttemptResult::kScheduled) {
      all.insert(all.end(), static_cast<std::size_t>(failures.merged), seconds / failures.merged);
      continue;
    }
    const bool waited = waits(attempt);
    due[waited] += counted ? part[waited] * all_drawn / drawn[waited] : 1;
    for (; due[waited] >= 1; --due[waited]) {
      e2e.push_back(seconds);
      all.push_back(seconds);
      pod.push_back(sim::ToSeconds(attempt.since_added));
      if (failures.waiting_share > 0 && random.Chance(failures.waiting_share)) {
        pod.back() += failures.waiting.Sample(random);
      }
    }
  }
  for (std::vector<double>* seconds : {&e2e, &all, &pod}) std::ranges::sort(*seconds);
}

/// The first bound of a histogram and the last; each is twice the one before.
std::pair<double, double> BoundsOf(ReplayedSeconds population) {
  return population == ReplayedSeconds::kPod ? std::pair(0.01, 5242.88) : std::pair(0.001, 16.384);
}

/// Standard deviations of the rank that are left to chance.
constexpr double kRankDeviations = 2.6;

/// The value at the rank that is `chance` away from q; with `varied`, and enough runs, the first
/// one on the way there that no run like these has there: where the shares of quick and slow ones
/// are fixed, chance does not lead from one to the other. No run is empty; `all` has the values of
/// all of them, ascending.
double EndByChance(const std::vector<std::span<const double>>& runs, const std::vector<double>& all,
                   double q, double chance, bool varied) {
  constexpr int kParts = 20;
  constexpr std::size_t kEnoughRuns = 8;
  const auto at = [&](int parts) {
    return NearestRank(all, std::clamp(q + chance * parts / kParts, 0.0, 1.0));
  };
  if (!varied || runs.size() < kEnoughRuns) return at(kParts);
  const double n = static_cast<double>(runs.size());
  for (int i = 1; i < kParts; ++i) {
    const double value = at(i);
    double sum = 0, squares = 0;
    for (const std::span<const double> run : runs) {
      const auto below = std::ranges::upper_bound(run, value) - run.begin();
      const double rank = static_cast<double>(below) / static_cast<double>(run.size());
      sum += rank - q;
      squares += (rank - q) * (rank - q);
    }
    // Of one more run beside so many.
    const double mean = sum / n, variance = (squares - n * mean * mean) / (n - 1) * (1 + 1 / n);
    const double far = kRankDeviations * std::sqrt(std::max(0.0, variance));
    if (mean * chance > 0 && std::abs(mean) >= far) return value;
  }
  return at(kParts);
}

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
  const decltype(QuantileRow::labels) scheduled = {
      {"result", std::string(ToString(kube::AttemptResult::kScheduled))}};
  for (const QuantileRow& row : diagnosis.quantiles) {
    if (row.metric != metric || row.labels != scheduled) continue;
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
  std::ranges::sort(counts);
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
  if (costs[Cost::kSpawn].wall.Mean() * out.rates.back() < kIdle) return std::nullopt;
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

/// The bind in the form of the attempts: their buckets lie elsewhere, where the proof looks.
std::optional<Fitted> BindAsAttempt(const WindowEvidence& c, const Fitted& fitted) {
  if (fitted.limited) return std::nullopt;
  Fitted out = fitted;
  std::vector<sim::Segment>& periods = out.scenario.segments;
  bool any = TakeAttemptsForm(c.now, &periods.back());
  if (fitted.has_baseline()) any = TakeAttemptsForm(*fitted.baseline, &periods.front()) || any;
  return any ? std::optional(std::move(out)) : std::nullopt;
}

/// Limits to try where no backlog lasts from scrape to scrape, in parts of the rate of binds.
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
    if (const auto roll_out = rolls_out ? FindRollOut(investigation, plain) : std::nullopt) {
      PlayRollOut(*roll_out, &out.emplace_back(plain));
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
      double& qps = out.emplace_back(plain).scenario.qps;
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
    if (less_limiter) reading.now().costs[Cost::kBindApi] = bind->now().costs[Cost::kBindApi];
    reading.scenario.qps *= limit;
    reading.scenario.client_burst = std::max(1.0, burst * reading.scenario.qps);
    out.push_back(Play(player, proven, reading, 1, kSearchSlack));
  }
  return out;
}

}  // namespace

std::unique_ptr<Source> ReplayAsSource(const sim::Scenario& scenario, std::uint64_t seed,
                                       sim::SimulationResult* result, bool plugins) {
  sim::SimulationResult run = sim::RunScenario(
      scenario, {.seed = seed, .keep_attempts = result != nullptr, .plugins = plugins});
  SourceInfo info;
  info.kind = "scenario";
  info.name = scenario.name;
  info.version = scenario.release.ToString();
  std::vector<Series> series = std::move(run.exposition.series);
  if (result != nullptr) *result = std::move(run);
  return NewLocalSource(std::move(series), std::move(info));
}

std::vector<double> ScheduledSeconds(const sim::Scenario& scenario,
                                     const sim::SimulationResult& result) {
  Runs runs;
  Collect(scenario, {}, result, 0, 1, &runs);
  return std::move(runs.e2e.front());
}

double NearestRank(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return NAN;
  const double rank = RankOf(q, static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(rank) - 1];
}

Load Runs::MeanLoad() const {
  Load mean;
  const double n = static_cast<double>(std::max<std::size_t>(1, loads.size()));
  for (const Load& load : loads) {
    mean.loop += load.loop / n;
    mean.client += load.client / n;
    mean.throttled += load.throttled / n;
    mean.extender += load.extender / n;
  }
  return mean;
}

Runs PlayRuns(const Fitted& fitted, std::uint64_t first, std::size_t seeds) {
  Runs runs;
  const std::vector<double> prebind = Ranked(fitted.now().costs[Cost::kPreBind].wall);
  const auto at_least = prebind.end() - std::ranges::lower_bound(prebind, kLeastVolumeWait);
  const double waiting = static_cast<double>(at_least) / static_cast<double>(prebind.size());
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const sim::Scenario scenario = fitted.Played(seed);
    const sim::SimulationResult result =
        sim::RunScenario(scenario, {.seed = seed, .scrape = false, .metrics = false});
    Collect(fitted.scenario, fitted.failures, result, seed, waiting, &runs);
    runs.loads.push_back(LoadOf(scenario, result));
  }
  return runs;
}

Measured PredictedInterval(const std::vector<std::vector<double>>& runs, double q,
                           double rank_slack, bool varied) {
  std::vector<double> shown, all;
  std::vector<std::span<const double>> played;
  for (const std::vector<double>& run : runs) {
    if (run.empty()) continue;
    shown.push_back(NearestRank(run, q));
    played.emplace_back(run);
    all.insert(all.end(), run.begin(), run.end());
  }
  if (shown.empty()) return {std::nullopt, std::nullopt, std::nullopt, "s", {}};
  std::ranges::sort(shown);
  if (played.size() > 1) std::ranges::sort(all);
  const double run_size = static_cast<double>(all.size()) / static_cast<double>(shown.size());
  const double chance = rank_slack + kRankDeviations * std::sqrt(q * (1 - q) / run_size);
  const double low = EndByChance(played, all, q, -chance, varied);
  const double high = EndByChance(played, all, q, chance, varied);
  return Bounded(std::min(low, shown.front()) / kFitError, shown[shown.size() / 2],
                 std::max(high, shown.back()) * kFitError, "s", BasisKind::kReplays);
}

void Widen(const Measured& one, Measured* all) {
  if (!one.value) return;
  if (!all->value) *all = one;
  all->low = std::min(*all->low, *one.low);
  all->high = std::max(*all->high, *one.high);
}

const std::vector<std::vector<double>>& Of(const Runs& runs, ReplayedSeconds population) {
  return population == ReplayedSeconds::kPod   ? runs.pod
         : population == ReplayedSeconds::kAll ? runs.all
                                               : runs.e2e;
}

double ShownQuantile(const std::vector<double>& ascending, double q, ReplayedSeconds population) {
  const auto [first, top] = BoundsOf(population);
  const double n = static_cast<double>(ascending.size());
  double lower = 0, below = 0;
  for (double bound = first; bound <= top * 1.0001; bound *= 2) {
    const auto at = std::upper_bound(ascending.begin(), ascending.end(), bound);
    const double reached = static_cast<double>(at - ascending.begin());
    if (reached >= q * n) {
      return lower + (bound - lower) * (q * n - below) / std::max(1.0, reached - below);
    }
    lower = bound;
    below = reached;
  }
  return top;
}

std::optional<bool> Fires(const ThresholdOf& threshold, const std::vector<Runs>& readings) {
  const double top = BoundsOf(threshold.population).second;
  bool above = true, below = true;
  for (const Runs& runs : readings) {
    for (const std::vector<double>& run : Of(runs, threshold.population)) {
      if (run.empty()) return std::nullopt;
      const double shown = ShownQuantile(run, threshold.q, threshold.population);
      above = above && shown / kFitError > threshold.seconds;
      below = below && std::min(top, shown * kFitError) <= threshold.seconds;
    }
  }
  return above == below ? std::nullopt : std::optional(above);
}

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
    const double low = at.interval.low.value_or(0), high = at.interval.high.value_or(HUGE_VAL);
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
    const double low = at.interval.low.value_or(0), high = at.interval.high.value_or(HUGE_VAL);
    const double factor = std::max(low / value, value / high);
    if (factor > kFitError) return Miss{at.q, at.interval, PredictedInterval({run}, at.q), factor};
  }
  return std::nullopt;
}

std::vector<Fitted> Groupings(const Fitted& plain) {
  std::vector<Fitted> out;
  for (const int group : Groups(plain)) out.emplace_back(plain).group = group;
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
  const bool search = fitted.limited && (!measured || std::ranges::none_of(all, agrees));
  if (search) {
    for (Judged& judged : SearchLimits(c, fitted, proven, player)) all.push_back(std::move(judged));
  }
  std::ranges::stable_sort(all, {}, &Judged::Factor);
  // Where none agrees in everything, those that agree with the attempts.
  const bool some = agrees(all.front());
  const auto keeps = [&](const Judged& j) { return some ? agrees(j) : !j.e2e; };
  if (!some) std::stable_partition(all.begin(), all.end(), keeps);
  const auto keep =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::count_if(all, keeps)));
  Readings out;
  // An even choice of at most so many.
  const std::size_t most = search ? kMostFound : kMostKept;
  for (std::size_t i = 0, step = (keep + most - 1) / most; i < keep; i += step) {
    const Fitted& one = out.kept.emplace_back(std::move(all[i].reading)).fitted;
    const Fitted& first = out.kept.front().fitted;
    if (one.group != first.group || one.spikes != first.spikes) out.groups_differ = true;
  }
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
