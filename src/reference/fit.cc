#include "reference/fit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/causes/rules.h"
#include "analysis/collect/release.h"
#include "model/seconds.h"
#include "reference/coupling.h"
#include "reference/latency_shape.h"
#include "reference/queue_arrivals.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using sim::Cost;
using sim::Distribution;

/// Stages that are one extension point, and what they cost in the reference scheduler.
constexpr std::pair<ExtensionPoint, Cost> kPointCosts[] = {
    {ExtensionPoint::kPreFilter, Cost::kPreFilter},
    {ExtensionPoint::kFilter, Cost::kFilter},
    {ExtensionPoint::kPreScore, Cost::kPreScore},
    {ExtensionPoint::kScore, Cost::kScore},
    {ExtensionPoint::kReserve, Cost::kReserveWait},
    {ExtensionPoint::kPermit, Cost::kPermit},
    {ExtensionPoint::kPreBind, Cost::kPreBindWait},
    {ExtensionPoint::kPostFilter, Cost::kPostFilter},
};

/// As good as no time, for buckets, which begin above 0.
constexpr double kNothing = 1e-9;  // seconds

/// Whether binds of the window waited for the client's limiter or for the processor, and a baseline
/// says what they take without.
bool HeldBack(const WindowEvidence& c, const Measurement& window) {
  return &window == &c.now && c.baseline && (c.throttling == Throttling::kYes || CpuStarved(c));
}

/// The part of a bind that the API server takes: all of it unless something is known to hold it
/// back; then what the baseline took, and the replay adds the wait.
Distribution BindRequest(const WindowEvidence& c, const Measurement& window,
                         const LatencyShape& e2e) {
  const LatencyShape bind =
      ShapeOf(SelectPoint(window.cells.extension_point, ExtensionPoint::kBind));
  if (HeldBack(c, window)) {
    const LatencyShape quiet =
        ShapeOf(SelectPoint(c.baseline->cells.extension_point, ExtensionPoint::kBind));
    // The quiet period may have been held back at times too.
    if (quiet.count > 0 && quiet.open > 0.002 * quiet.count) return DistributionOf(Mirrored(quiet));
    if (quiet.count > 0) return DistributionOf(quiet, e2e);
  }
  // Less than a tenth in the limiter does not change a bind's shape.
  if (&window == &c.now && c.limiter && c.limiter->value > 0.1 * bind.seconds) {
    return DistributionOf(
        ScaledTo(bind, std::max(0.01 * bind.mean(), bind.mean() - c.limiter->value / bind.count)));
  }
  return DistributionOf(bind, e2e);
}

/// What an extender's bind takes: what binding took (up to 1.20; later the whole attempt) less the
/// binds that a plugin made.
Distribution ExtenderBind(const Measurement& window, const LatencyShape& e2e) {
  const TimeBreakdown& breakdown = window.breakdown;
  const LatencyShape whole = breakdown.has_binding ? ShapeOf(window.cells.binding) : e2e;
  const double seconds = breakdown.Seconds(kube::Stage::kBindUnmeasured);
  const double mean = seconds / breakdown.extender_binds;
  if (breakdown.bind_ok.count <= 0) return DistributionOf(ScaledTo(whole, mean));
  const LatencyShape bind =
      ShapeOf(SelectPoint(window.cells.extension_point, ExtensionPoint::kBind));
  const LatencyShape left = Without(whole, bind, breakdown.extender_binds, seconds);
  // Where both are about as fast what is left over is an error of interpolation, not a form.
  const FineBuckets quicker = SliceOf(FineOf(left, left), 0, 0.5);
  const FineBuckets others = SliceOf(FineOf(bind, bind), 0, 0.99);
  if (quicker.empty() || others.empty() || quicker.back().first < others.back().first) {
    return DistributionOf(ScaledTo(whole, mean));
  }
  return DistributionOf(ScaledTo(left, mean));
}

int MinorOf(const Facts& facts) {
  const ReleaseRange release = DetectRelease(facts);
  const int minor = release.newest < kube::kNoEnd ? release.newest : std::max(release.oldest, 34);
  // The reference scheduler knows these releases; the nearest older one behaves the same.
  for (const int known : {34, 30, 26, 23}) {
    if (minor >= known) return known;
  }
  return 20;
}

/// The longest periods that are played: the start of the window, the end of the baseline.
constexpr double kLongestWindow = 1800, kLongestBaseline = 600;  // seconds

/// More than `most` attempts are not played; the window ends where they are reached.
sim::Nanos Length(const Measurement& window, double longest, double most) {
  const double seconds = std::clamp(window.breakdown.window.seconds(), 1.0, longest);
  const double attempts = window.breakdown.scheduled();
  const double all = std::max(1.0, window.breakdown.window.seconds());
  const double enough = attempts > most ? all * most / attempts : all;
  return static_cast<sim::Nanos>(std::min(seconds, enough) * 1e9);
}

/// Far more pods than attempts that ended come from a histogram that contradicts the others: of
/// these so many are played, in each of up to ten replays.
void Limit(std::vector<CountedArrivals>* arrivals) {
  constexpr double kMostPods = 120'000;
  double pods = 0;
  for (const CountedArrivals& some : *arrivals) pods += some.count;
  if (!(pods > kMostPods)) return;
  for (CountedArrivals& some : *arrivals) {
    some.count *= kMostPods / pods;
    some.at_once *= kMostPods / pods;
  }
}

/// Whether the API client's limiter held binds back, so that it can be played.
bool IsLimited(const WindowEvidence& c) {
  const double bind = c.now.breakdown.points[ExtensionPoint::kBind].seconds;
  const bool limited = c.limiter ? c.limiter->low > 0.5 * bind : c.throttling == Throttling::kYes;
  return c.dispersion && limited;
}

/// The client's defaults, in every release, unless the binds of some interval contradict them.
void SetClient(const Measurement& window, sim::Scenario* scenario) {
  constexpr double kQps = 50, kBurst = 100;
  double most = kQps;
  for (const ScrapeIncreases* child :
       SelectPoint(window.cells.extension_point, ExtensionPoint::kBind)) {
    for (std::size_t i = 0; i < child->cells(); ++i) {
      const double seconds = MsToSeconds(child->edges[i + 1] - child->edges[i]);
      if (seconds > 0) most = std::max(most, (child->Count(i) - kBurst) / seconds);
    }
  }
  scenario->qps = most > kQps ? 2 * most : kQps;
  scenario->client_burst = kBurst / kQps * scenario->qps;
}

/// One template for each class of attempts, and the same again for pods that ask for what the
/// extender manages, where it binds only the share `managed` of them. With `end`,
/// bound pods go again: those that wait for room hear of it, though nodes are never full.
void AddTemplates(double managed, bool end, sim::Scenario* scenario) {
  constexpr const char* kResource = "example.com/managed";
  const bool split = managed > 0 && managed < 0.99;
  if (split) {
    scenario->extenders.back().managed = kResource;
    scenario->nodes.front().extended[kResource] = 1e6;
  }
  std::vector<double> weights;
  for (const bool asks : {false, true}) {
    if (asks && !split) break;
    for (std::size_t i = 0; i < AttemptClasses().size(); ++i) {
      sim::PodTemplate pod;
      pod.name = (asks ? "managed" : "web") + std::to_string(i);
      if (end) pod.life = Distribution::Uniform(20, 40);
      if (asks) pod.extended[kResource] = 1;
      scenario->templates.push_back(pod);
      weights.push_back(AttemptClasses()[i] * (!split ? 1 : asks ? managed : 1 - managed));
    }
  }
  for (sim::Segment& segment : scenario->segments) {
    sim::Conditions& c = segment.conditions;
    c.weights = weights;
    if (c.template_costs.empty()) c.template_costs.resize(AttemptClasses().size());
    if (!split) continue;
    const std::vector<sim::CostOverrides> classes = c.template_costs;
    c.template_costs.insert(c.template_costs.end(), classes.begin(), classes.end());
  }
}

/// Of the pods that came to the queue those that are bound once the loop gets to them: as many in
/// ten as of those it got to.
std::vector<CountedArrivals> Bound(std::vector<CountedArrivals> incoming, double bound,
                                   double refused) {
  for (CountedArrivals& arrivals : incoming)
    arrivals.count *= bound / std::max(1.0, bound + refused);
  return incoming;
}

}  // namespace

sim::Conditions FitConditions(const WindowEvidence& c, const Measurement& window, bool volumes) {
  sim::Conditions out;
  const TimeBreakdown& breakdown = window.breakdown;
  const double seconds = std::max(1.0, breakdown.window.seconds());
  // What arrived, not what left: behind a limiter the two differ.
  const double found = breakdown.points[ExtensionPoint::kReserve].count;
  const double runs = std::max(1.0, found > 0 ? found : breakdown.scheduled());
  out.rate = std::max(1e-3, runs / seconds);
  const LatencyShape e2e =
      ShapeOf(Select(window.cells.attempt, "result", ToString(kube::AttemptResult::kScheduled)));
  const LatencyShape algorithm = ShapeOf(window.cells.algorithm);
  sim::Costs& costs = out.costs;
  std::vector<std::pair<Cost, FineBuckets>> loop;
  for (const auto& [point, cost] : kPointCosts) {
    const LatencyShape shape = ShapeOf(SelectPoint(window.cells.extension_point, point));
    const bool in_loop = cost <= Cost::kScore;
    FineBuckets fine = FineOf(shape, in_loop ? algorithm : e2e);
    // Attempts that skipped the point paid nothing for it.
    if (in_loop && !fine.empty() && shape.count < runs) {
      fine.insert(fine.begin(), {std::min(kNothing, fine.front().first / 2), runs - shape.count});
    }
    if (cost == Cost::kPreBindWait && volumes && !shape.buckets.empty()) {
      fine = WholeSeconds(fine, shape.buckets.back().first);
    }
    costs[cost].wall = DistributionOf(fine);
    if (in_loop) loop.emplace_back(cost, std::move(fine));
  }
  // Waiting for a claim is VolumeBinding's own work; other waits are a plugin of the user's.
  if (volumes) std::swap(costs[Cost::kPreBind], costs[Cost::kPreBindWait]);
  // What the scheduled attempts waited for: quick failures would thin it out.
  FineBuckets rest = ScaledTo(
      algorithm, std::max(0.0, breakdown.Seconds(kube::Stage::kAlgorithmUnmeasured)) / runs);
  costs[Cost::kSnapshot].wall = DistributionOf(rest);
  loop.emplace_back(Cost::kSnapshot, std::move(rest));
  out.template_costs = CoupledCosts(loop, algorithm);
  if (breakdown.permit_wait.count > 0) {
    const double share = std::min(1.0, breakdown.permit_wait.count / runs);
    costs[Cost::kPermitWait].wall =
        Distribution::Mixture({{1 - share, Distribution()},
                               {share, DistributionOf(ShapeOf(window.cells.permit_wait), e2e)}});
  }
  // A processor for each core that was used: the loop and the binds share them.
  if (&window == &c.now && CpuStarved(c)) {
    out.cores = std::max(1, CutTo<int>(std::ceil(c.now.cpu->cores)));
  }
  costs[Cost::kBindApi].wall = BindRequest(c, window, e2e);
  if (breakdown.extender_binds > 0) {
    costs[Cost::kExtBind].wall = ExtenderBind(window, e2e);
  } else if (&window != &c.now || !CpuStarved(c)) {
    costs[Cost::kSpawn].wall =
        Distribution::Constant(std::max(0.0, breakdown.Seconds(kube::Stage::kUnmeasured)) /
                               std::max(1.0, breakdown.scheduled()));
  }
  return out;
}

Fitted FitScenario(const Investigation& investigation, const PlayedAttempts& most) {
  Fitted fitted;
  const WindowEvidence& c = *investigation.evidence;
  const bool volumes = VolumeBindingLeads(c);
  sim::Scenario& scenario = fitted.scenario;
  scenario.name = "fitted";
  scenario.release.minor = MinorOf(investigation.facts);
  // Only time matters here, not which node: few nodes, never full, cost least to evaluate.
  scenario.nodes = {{}};
  scenario.nodes.front().count = 2;
  scenario.nodes.front().cpu = 1e6;
  scenario.nodes.front().memory = 1e15;
  scenario.nodes.front().pods = 1'000'000;
  scenario.simple_placement = true;
  scenario.scrape_jitter = 0;
  sim::Nanos at = 0;
  if (c.baseline && c.baseline->breakdown.scheduled() > 0) {
    scenario.segments.push_back({0, FitConditions(c, *c.baseline, volumes)});
    at = Length(*c.baseline, kLongestBaseline, most.baseline);
    const TimeMs start = c.baseline->breakdown.window.end - at / sim::kMillisecond;
    fitted.arrivals = CountArrivals(*c.baseline, start, 0, at);
    fitted.has_baseline = true;
  }
  scenario.segments.push_back({at, FitConditions(c, c.now, volumes)});
  const TimeBreakdown& now = c.now.breakdown;
  fitted.limited = IsLimited(c);
  const sim::Nanos whole = Length(c.now, kLongestWindow, PlayedAttempts().window);
  const double wanted = CpuStarved(c) ? most.starved : most.window;
  const sim::Nanos length = fitted.limited ? whole : Length(c.now, kLongestWindow, wanted);
  const Incoming incoming = CountIncoming(investigation.facts, c.now, now.window.start, at, length);
  const Amount patches = StatusPatches(investigation.facts, c.now, incoming);
  PlayedPart part{now.window.start, at, length, {}};
  if (incoming.waited) part.incoming = incoming.pods;
  const auto arrivals = part.incoming.empty()
                            ? CountArrivals(c.now, now.window.start, at, length)
                            : Bound(part.incoming, now.scheduled(), NewlyStuck(c.now, patches));
  fitted.arrivals.insert(fitted.arrivals.end(), arrivals.begin(), arrivals.end());
  scenario.incident_start = at;
  scenario.incident_end = at + length;
  scenario.duration = scenario.incident_end + 5 * sim::kSecond;
  SetClient(c.now, &scenario);
  if (fitted.limited) {
    scenario.qps = c.dispersion->rate;
    scenario.client_burst = std::max(1.0, c.dispersion->rate);
  }
  if (now.extender_binds > 0) {
    sim::Extender extender;
    extender.bind = true;
    extender.timeout = 600;
    scenario.extenders.push_back(extender);
  }
  AddTemplates(now.extender_binds / std::max(1.0, now.points[ExtensionPoint::kPostBind].count),
               now.failed() >= 1, &scenario);
  for (const sim::Segment& s : scenario.segments) fitted.rates.push_back(s.conditions.rate);
  fitted.loop = LoopFit(investigation, c.now, scenario.segments.back().conditions.cores);
  fitted.window = {now.window.start, now.window.start + whole / sim::kMillisecond};
  AddFailures(c.now, patches, part, &fitted);
  Limit(&fitted.arrivals);
  return fitted;
}

sim::Scenario Fitted::Played(std::uint64_t seed) const {
  std::vector<double> factors;
  for (std::size_t i = 0; i < scenario.segments.size(); ++i) {
    factors.push_back(scenario.segments[i].conditions.rate / rates[i]);
  }
  return WithArrivals(scenario, arrivals, factors, seed, group);
}

}  // namespace schedlens
