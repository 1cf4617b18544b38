#include "replay/fit.h"

#include "diagnose/causes/findings.h"
#include "diagnose/collect/missing.h"

namespace schedlens {
namespace {

using Draw = std::vector<sim::Distribution>;
using kube::ExtensionPoint;
using sim::Cost;
using sim::Distribution;

/// As good as no time, for buckets, which begin above 0.
constexpr double kNothing = 1e-9;  // seconds

/// The part of a bind that the API server takes: all of it unless something is known to hold it
/// back; then what the baseline took, and the replay adds the wait.
Distribution BindRequest(const WindowEvidence& c, const Measurement& window,
                         const Measurement* baseline, const LatencyShape& e2e) {
  const LatencyShape bind = ShapeAt(window, ExtensionPoint::kBind);
  const bool now = &window == &c.now;
  if (now && baseline != nullptr && (c.throttling == Throttling::kYes || CpuStarved(c))) {
    const LatencyShape quiet = ShapeAt(*baseline, ExtensionPoint::kBind);
    // The quiet period may have been held back at times too.
    if (quiet.count > 0 && quiet.open > 0.002 * quiet.count) return DistributionOf(Mirrored(quiet));
    if (quiet.count > 0) return DistributionOf(quiet, e2e);
  }
  // Less than a tenth in the limiter does not change a bind's shape.
  if (now && c.limiter && c.limiter->value > 0.1 * bind.seconds) {
    return DistributionOf(
        ScaledTo(bind, std::max(0.01 * bind.mean(), bind.mean() - c.limiter->value / bind.count)));
  }
  return DistributionOf(bind, e2e);
}

/// What an extender's bind takes: binding (up to 1.20; later the attempt) less plugins' binds.
Distribution ExtenderBind(const Measurement& window, const LatencyShape& e2e) {
  const TimeBreakdown& breakdown = window.breakdown;
  const LatencyShape whole = breakdown.has_binding ? ShapeOf(window.cells.binding) : e2e;
  const double seconds = breakdown.Seconds(kube::Stage::kBindUnmeasured);
  const double mean = seconds / breakdown.extender_binds;
  if (breakdown.bind_ok.count <= 0) return DistributionOf(ScaledTo(whole, mean));
  const LatencyShape bind = ShapeAt(window, ExtensionPoint::kBind);
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

/// The quiet period from its first scrape on: what that counted is in part of the time before,
/// which need not be calm. As it is where few intervals would be left, or none that scheduled a
/// pod; null where it scheduled none.
std::shared_ptr<const Measurement> FromFirstScrape(const Investigation& investigation) {
  constexpr std::size_t kLeastIntervals = 3;
  const std::optional<Measurement>& quiet = investigation.evidence->baseline;
  if (!quiet || quiet->breakdown.scheduled() <= 0) return nullptr;
  TimeRange inside = quiet->breakdown.window;
  for (const ScrapeIncreases& child : quiet->cells.attempt) {
    const bool sticks_out = child.cells() > 0 && child.edges.front() < inside.start;
    if (!sticks_out || child.cells() <= kLeastIntervals) continue;
    inside.start = std::max(inside.start, child.edges[1]);
  }
  if (inside != quiet->breakdown.window) {
    Measurement cut = Measure(investigation.facts, investigation.histograms, inside);
    if (cut.breakdown.scheduled() > 0) return std::make_shared<const Measurement>(std::move(cut));
  }
  return std::make_shared<const Measurement>(*quiet);
}

/// More than `most` attempts are not played; the window ends where they are reached.
sim::Nanos Length(const Measurement& window, double longest, double most) {
  const double attempts = window.breakdown.scheduled();
  const double all = std::max(1.0, window.breakdown.window.seconds());
  const double enough = attempts > most ? all * most / attempts : all;
  return static_cast<sim::Nanos>(std::min(longest, enough) * 1e9);
}

/// Far more pods than attempts that ended come from a histogram that contradicts the others: of
/// these so many are played, in each of up to ten replays.
void Limit(Fitted* fitted) {
  constexpr double kMostPods = 120'000;
  const double pods = fitted->Pods();
  if (!(pods > kMostPods)) return;
  for (CountedArrivals& some : fitted->arrivals) some.Scale(kMostPods / pods);
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
    scenario->extenders.back().managed = {kResource};
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

/// Of the pods that came, those that are bound once tried: the same part as of those tried.
std::vector<CountedArrivals> Bound(std::vector<CountedArrivals> incoming, double bound,
                                   double refused) {
  for (CountedArrivals& arrivals : incoming)
    arrivals.count *= bound / std::max(1.0, bound + refused);
  return incoming;
}

/// Ends of intervals with their counts, in order of time, of the baseline or of the window.
std::vector<std::pair<sim::Nanos, double>> Ends(const Fitted& fitted, bool window) {
  std::vector<std::pair<sim::Nanos, double>> ends;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    const bool inside = arrivals.start >= fitted.scenario.incident_start;
    if (inside == window && !arrivals.failing) ends.emplace_back(arrivals.end, arrivals.count);
  }
  std::ranges::sort(ends);
  return ends;
}

constexpr int kDraws = 4000;
constexpr std::uint64_t kSeed = 1;
constexpr double kAlikeEnough = 0.02;

/// The largest gap between the sum's histogram at its bounds and draws of it.
double Gap(const LatencyShape& sum, const std::vector<double>& draws) {
  std::vector<std::size_t> in(sum.buckets.size() + 1);
  for (const double draw : draws) {
    const auto at =
        std::ranges::lower_bound(sum.buckets, draw, {}, &std::pair<double, double>::first);
    ++in[static_cast<std::size_t>(at - sum.buckets.begin())];
  }
  double gap = 0, below = 0, drawn = 0;
  for (std::size_t i = 0; i < sum.buckets.size(); ++i) {
    below += sum.buckets[i].second;
    drawn += static_cast<double>(in[i]);
    gap = std::max(gap, std::abs(below / sum.count - drawn / static_cast<double>(draws.size())));
  }
  return gap;
}

/// Sums of one draw a stage, of the class that the draw's rank falls into.
std::vector<double> Sums(const std::vector<Draw>& classes, const std::vector<double>& shares) {
  sim::Random random(kSeed);
  std::vector<double> out;
  double reached = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    reached += shares[i] * kDraws;
    while (static_cast<double>(out.size()) < reached) {
      double sum = 0;
      for (const sim::Distribution& stage : classes[i]) sum += stage.Sample(random);
      out.push_back(sum);
    }
  }
  return out;
}

/// The conditions of one window: arrival rate and the cost of each stage, from its histogram. A
/// remainder has no histogram: it takes the shape of what holds it, scaled to its own mean.
/// `baseline`: the quiet period, null without one. `nominates`: a pod that waits at PreBind is
/// written to the API server before it does.
sim::Conditions FitConditions(const WindowEvidence& c, const Measurement& window,
                              const Measurement* baseline, bool nominates) {
  sim::Conditions out;
  const TimeBreakdown& breakdown = window.breakdown;
  // What arrived, not what left: behind a limiter the two differ.
  const double found = breakdown.points[ExtensionPoint::kReserve].count;
  const double runs = std::max(1.0, found > 0 ? found : breakdown.scheduled());
  out.rate = std::max(1e-3, runs / std::max(1.0, breakdown.window.seconds()));
  const LatencyShape e2e = ScheduledShape(window);
  const LatencyShape algorithm = ShapeOf(window.cells.algorithm);
  sim::Costs& costs = out.costs;
  const bool volumes = VolumeBindingLeads(c);
  const double request = ShapeAt(window, ExtensionPoint::kBind).mean();
  double unmeasured = std::max(0.0, breakdown.Seconds(kube::Stage::kUnmeasured));
  std::vector<std::pair<Cost, FineBuckets>> loop;
  for (const auto& [point, cost] : kPointCosts) {
    const LatencyShape shape = ShapeAt(window, point);
    const bool in_loop = cost <= Cost::kScore;
    FineBuckets fine = FineOf(shape, in_loop ? algorithm : e2e);
    // Attempts that skipped the point paid nothing for it.
    if (in_loop && !fine.empty() && shape.count < runs) {
      fine.insert(fine.begin(), {std::min(kNothing, fine.front().first / 2), runs - shape.count});
    }
    std::optional<Distribution> waits;
    if (cost == Cost::kPreBindWait && volumes && !shape.buckets.empty()) {
      const double work = kRequestsAWait * request;
      const double written = nominates ? std::min(unmeasured / std::max(1.0, shape.open), work) : 0;
      waits = WholeSeconds(fine, shape.buckets.back().first, work, written);
      if (waits) unmeasured -= written * shape.open;
    }
    costs[cost].wall = waits ? *std::move(waits) : DistributionOf(fine);
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
  costs[Cost::kBindApi].wall = BindRequest(c, window, baseline, e2e);
  if (breakdown.extender_binds > 0) {
    costs[Cost::kExtBind].wall = ExtenderBind(window, e2e);
  } else if (&window != &c.now || !CpuStarved(c)) {
    costs[Cost::kSpawn].wall =
        Distribution::Constant(unmeasured / std::max(1.0, breakdown.scheduled()));
  }
  return out;
}

}  // namespace

Fitted FitScenario(const Investigation& investigation, const PlayedAttempts& most) {
  Fitted fitted;
  const WindowEvidence& c = *investigation.evidence;
  const Measurement* const quiet = (fitted.baseline = FromFirstScrape(investigation)).get();
  const bool nominates =
      sim::Release{DetectRelease(investigation.facts).oldest}.writes_nominated_node();
  sim::Scenario& scenario = fitted.scenario;
  scenario.name = "fitted";
  scenario.release.minor = MinorOf(investigation.facts);
  // Only time matters here, not which node: few nodes, never full, cost least to evaluate.
  scenario.nodes = {{.count = 2, .cpu = 1e6, .memory = 1e15, .pods = 1'000'000}};
  scenario.simple_placement = true;
  scenario.scrape_jitter = 0;
  sim::Nanos at = 0;
  if (quiet != nullptr) {
    scenario.segments.push_back({0, FitConditions(c, *quiet, quiet, nominates)});
    at = Length(*quiet, kLongestBaseline, most.baseline);
    const TimeMs start = quiet->breakdown.window.end - at / sim::kMillisecond;
    fitted.arrivals = CountArrivals(*quiet, {start, 0, at});
  }
  scenario.segments.push_back({at, FitConditions(c, c.now, quiet, nominates)});
  const TimeBreakdown& now = c.now.breakdown;
  const double bind = now.points[ExtensionPoint::kBind].seconds;
  const bool held = c.limiter ? c.limiter->low > 0.5 * bind : c.throttling == Throttling::kYes;
  fitted.limited = c.dispersion && held;
  const sim::Nanos whole = Length(c.now, kLongestWindow, PlayedAttempts().window);
  const double wanted = CpuStarved(c) ? most.starved : most.window;
  const sim::Nanos length = fitted.limited ? whole : Length(c.now, kLongestWindow, wanted);
  PlayedPart part{now.window.start, at, length};
  const Incoming incoming = CountIncoming(investigation.facts, c.now, part);
  const Amount patches = StatusPatches(investigation.facts, c.now, incoming);
  if (incoming.waited) part.incoming = incoming.pods;
  const auto arrivals = part.incoming.empty()
                            ? CountArrivals(c.now, part)
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
  if (now.extender_binds > 0) scenario.extenders.push_back({.bind = true, .timeout = 600});
  AddTemplates(now.extender_binds / std::max(1.0, now.points[ExtensionPoint::kPostBind].count),
               now.failed() >= 1, &scenario);
  for (const sim::Segment& s : scenario.segments) fitted.rates.push_back(s.conditions.rate);
  fitted.loop = LoopFit(investigation, c.now, fitted.now().cores);
  fitted.window = {now.window.start, now.window.start + whole / sim::kMillisecond};
  AddFailures(c.now, patches, part, &fitted);
  Limit(&fitted);
  return fitted;
}

double Fitted::WindowPods() const {
  double pods = 0;
  for (const CountedArrivals& some : arrivals) pods += InWindow(some) ? some.count : 0;
  return pods;
}

double Fitted::Pods() const {
  double pods = 0;
  for (const CountedArrivals& some : arrivals) pods += some.count;
  return pods;
}

sim::Scenario Fitted::Played(std::uint64_t seed) const {
  std::vector<double> factors;
  for (std::size_t i = 0; i < scenario.segments.size(); ++i) {
    factors.push_back(scenario.segments[i].conditions.rate / rates[i]);
  }
  return WithArrivals(scenario, arrivals, factors, seed, group);
}

Fitted StartOf(const Fitted& fitted, double attempts) {
  Fitted out = fitted;
  sim::Scenario& scenario = out.scenario;
  sim::Nanos reached = scenario.incident_start;
  for (const auto& [end, count] : Ends(fitted, true)) {
    if (count >= attempts) {
      const double part = attempts / count * static_cast<double>(end - reached);
      const auto ms = static_cast<sim::Nanos>(part / static_cast<double>(sim::kMillisecond));
      scenario.incident_end = std::min(scenario.incident_end,
                                       reached + std::max<sim::Nanos>(1, ms) * sim::kMillisecond);
      break;
    }
    attempts -= count;
    reached = end;
  }
  const sim::Nanos cut = scenario.incident_end;
  scenario.duration = cut + 5 * sim::kSecond;
  out.window.end = out.window.start + (cut - scenario.incident_start) / sim::kMillisecond;
  std::erase_if(out.arrivals,
                [&](const CountedArrivals& arrivals) { return arrivals.start >= cut; });
  for (CountedArrivals& arrivals : out.arrivals) {
    if (arrivals.end <= cut) continue;
    const double share = static_cast<double>(cut - arrivals.start) /
                         static_cast<double>(arrivals.end - arrivals.start);
    arrivals.end = cut;
    arrivals.Scale(share);
  }
  return out;
}

Fitted WithoutBaseline(const Fitted& fitted, double but) {
  Fitted out = fitted;
  sim::Nanos from = fitted.scenario.incident_start;
  const auto ends = Ends(fitted, false);
  for (auto it = ends.rbegin(); it != ends.rend() && but > 0; ++it) {
    but -= it->second;
    from = it->first;
  }
  std::erase_if(out.arrivals, [&](const CountedArrivals& arrivals) { return arrivals.end < from; });
  return out;
}

const std::vector<double>& AttemptClasses() {
  static const std::vector<double> shares = {0.5, 0.25, 0.15, 0.07, 0.03};
  return shares;
}

std::vector<sim::CostOverrides> CoupledCosts(
    const std::vector<std::pair<sim::Cost, FineBuckets>>& stages, const LatencyShape& sum) {
  if (sum.count <= 0) return {};
  Draw alone;
  for (const auto& [cost, fine] : stages) alone.push_back(DistributionOf(fine));
  const double independent = Gap(sum, Sums({alone}, {1}));
  if (independent <= kAlikeEnough) return {};  // classes cannot be nearer by more
  std::vector<sim::CostOverrides> costs;
  std::vector<Draw> together;
  double from = 0;
  for (const double share : AttemptClasses()) {
    const double to = std::min(1.0, from + share);
    costs.emplace_back();
    together.emplace_back();
    for (const auto& [cost, fine] : stages) {
      together.back().push_back(DistributionOf(SliceOf(fine, from, to)));
      costs.back().emplace_back(cost, sim::StepCost{.wall = together.back().back()});
    }
    from = to;
  }
  if (independent <= Gap(sum, Sums(together, AttemptClasses())) + kAlikeEnough) return {};
  return costs;
}

}  // namespace schedlens
