#pragma once

// From what was measured to a scenario of the reference scheduler that should measure the same.

#include "diagnose/pipeline/diagnose.h"
#include "scheduler/cost/attempt_costs.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens {

// What a histogram says about a latency's distribution, as something that can be drawn from, and
// distributions laid side by side, rank by rank.

/// Buckets of several children together. Not cumulative; above the top finite bound: `open`.
struct LatencyShape {
  std::vector<std::pair<double, double>> buckets;  ///< upper bound in seconds, observations
  double open = 0, count = 0, seconds = 0;
  double mean() const { return count > 0 ? seconds / count : 0; }
};

LatencyShape ShapeOf(const std::vector<const ScrapeIncreases*>& children);
LatencyShape ShapeOf(const std::vector<ScrapeIncreases>& cells);
/// Of an extension point, and of the scheduled attempts' e2e: as many attempts are at most a bound
/// of the pods' histogram as there are pods, since each of them took no longer than its pod.
LatencyShape ShapeAt(const Measurement& window, kube::ExtensionPoint point);
LatencyShape ScheduledShape(const Measurement& window);

/// Upper bounds in seconds, ascending, and the observations up to each from the one before.
using FineBuckets = std::vector<std::pair<double, double>>;

/// The same counts in finer buckets: a monotone cubic through the cumulative counts over the
/// logarithm of the bounds, instead of the straight line that buckets alone would draw.
FineBuckets Refined(const FineBuckets& buckets);

/// The shape in fine buckets, with the mean that the sums prove. What lies above the top bound
/// takes the form of `whole` there (a histogram that holds this stage), bent to the seconds that
/// the buckets leave for it. Empty for a shape without observations.
FineBuckets FineOf(const LatencyShape& shape, const LatencyShape& whole);

/// The part of the observations between two ranks, given as shares of all.
FineBuckets SliceOf(const FineBuckets& fine, double from, double to);

/// What can be drawn from: always 0 when nothing was observed.
sim::Distribution DistributionOf(const FineBuckets& fine);
sim::Distribution DistributionOf(const LatencyShape& shape, const LatencyShape& whole);

/// The form of `shape` with another mean, for what has no histogram of its own.
FineBuckets ScaledTo(const LatencyShape& shape, double mean);

/// `whole` less the observations of `part`: what is left is `count` observations that take
/// `seconds` in all. Both must hold each observation's full time, nearly.
LatencyShape Without(const LatencyShape& whole, const LatencyShape& part, double count,
                     double seconds);

/// The quicker half of the observations and its mirror image on a logarithmic scale: what a latency
/// looks like where only its slower half was held back by something else.
FineBuckets Mirrored(const LatencyShape& shape);

/// A wait for volumes is looked at once a second.
inline constexpr double kLeastVolumeWait = 1;
/// It writes so often, a claim and a volume, in about the time of a bind each.
inline constexpr double kRequestsAWait = 2;

/// The values above `lower` as whole seconds, at least 1, and what requests around the wait take:
/// something that is looked at once a second. No histogram has bounds up there: as many seconds as
/// the mean leaves beside `work`, the requests' seconds a wait; `before` each comes a request of
/// so many seconds more. Nothing where there are none, or below a second on average: no such waits.
std::optional<sim::Distribution> WholeSeconds(const FineBuckets& fine, double lower, double work,
                                              double before);

/// Values of the distribution, ascending: as many of each, and of every distribution as many.
std::vector<double> Ranked(const sim::Distribution& distribution);

/// Rank by rank the given part of the way from one to the other.
sim::Distribution Partway(const sim::Distribution& from, const sim::Distribution& to, double part);

/// Makes the values from `least` on as quick as those of the quiet period, rank by rank: as many of
/// them as now, and by `most` seconds at most on average, each then the same part of its way; none
/// where it had none. By how many seconds that makes the mean of all values less.
double TakeQuietAbove(double least, double most, const sim::Distribution& quiet,
                      sim::Distribution* now);

/// Rank by rank the slower of the two.
sim::Distribution Slower(const sim::Distribution& a, const sim::Distribution& b);

/// The middle value of `now` is above that of `quiet` by at least half as much as the mean is.
bool GrewEvenly(const sim::Distribution& now, const sim::Distribution& quiet);

/// What bindings took inside the API servers in a window, by the servers' own histogram, whoever
/// sent them. Without observations where no API server is in the data or none was asked.
LatencyShape ServerBinds(const Investigation& investigation, const TimeRange& window);

// Pods as they really came: what each scrape interval counted, not a rate. Attempts that failed:
// the time they took from the loop, and what they cost the pods that were bound after all.

/// So many attempts that found a node ended in (start, end] of virtual time.
struct CountedArrivals {
  sim::Nanos start = 0, end = 0;
  double count = 0;
  double at_once = 0;  ///< of these, the ones that had waited for a scheduler to come back
  /// Attempts that failed and whose pods were not bound: all of this template, as they came.
  std::optional<std::size_t> failing = {};
  /// They come out of the back-off queue: all of a second at once.
  bool flushed = false;

  bool operator==(const CountedArrivals&) const = default;
  /// That part of them all.
  void Scale(double part) {
    count *= part;
    at_once *= part;
  }
};

/// The part of the window that is played.
struct PlayedPart {
  TimeMs start = 0;   ///< of the window
  sim::Nanos at = 0;  ///< the virtual time of that
  sim::Nanos length = 0;
  std::vector<CountedArrivals> incoming = {};  ///< CountIncoming

  /// What was counted from one time to another in virtual time, where it lies in the part: all of
  /// it, or as much as the part has of the interval. Without `count`ed ones, none.
  CountedArrivals Of(TimeMs from, TimeMs to, double counted) const;
};

/// The middle one in order, of two the larger; there must be some.
double UpperMedian(std::vector<double> values);

/// The attempts of a window that found a node, by scrape interval, as far as they are in the part.
/// After an interval without any, or with a process start, what is above the usual count comes at
/// once. Without extension points the scheduled attempts stand for them.
std::vector<CountedArrivals> CountArrivals(const Measurement& window, const PlayedPart& part);

/// The scenario with these arrivals in place of its Poisson ones: in each interval its own count,
/// times `factor` of the segment that it lies in, at times drawn by `seed`, of templates drawn by
/// the segment's weights. `factors` has one entry a segment.
/// `group` pods come at the same moment.
sim::Scenario WithArrivals(const sim::Scenario& scenario,
                           const std::vector<CountedArrivals>& arrivals,
                           const std::vector<double>& factors, std::uint64_t seed, int group = 1);

/// New pods of a window.
struct Incoming {
  std::vector<CountedArrivals> pods;  ///< by scrape interval
  double count = 0;
  bool waited = false;      ///< a backlog stood: those that left are not those that came
  double waiting_more = 0;  ///< pods in the active queue at the end, less those at the start
};

/// As the process counted them that made the window's attempts, of the part. Empty where the
/// counter is missing, or where several processes made attempts: each of them counts every pod.
Incoming CountIncoming(const Facts& facts, const Measurement& window, const PlayedPart& part);

/// Seconds of the status PATCHes of a window without their wait for the limiter, and how many;
/// those of events, which share the metric, are left out as far as `incoming` tells.
Amount StatusPatches(const Facts& facts, const Measurement& window, const Incoming& incoming);

struct Fitted;

/// What of the failed attempts the scenario itself cannot say.
struct Failures {
  int merged = 1;             ///< so many failed attempts are played as one of their total time
  double waiting_share = 0;   ///< of the pods that were bound: failed for want of a node before
  sim::Distribution waiting;  ///< seconds that those waited before the attempt that succeeded
};

/// Pods that came in the window, failed and were not bound: their status was patched.
double NewlyStuck(const Measurement& window, const Amount& patches);

/// Adds the window's failed attempts. Pods that failed with an error and were bound later are tried
/// again under the release's own rules; those that waited for a node wait as long as measured;
/// attempts of pods that were not bound take their time from the loop, as often as they were
/// counted. `patches`: status PATCHes of the window. Changes nothing where no attempt failed.
void AddFailures(const Measurement& window, const Amount& patches, const PlayedPart& part,
                 Fitted* fitted);

// The loop's points as work: what was measured at each of them is the computed work, what it would
// take on the machine whose unit costs were measured (scheduler/cost), times a factor. A point's
// distribution stays as measured; the work says how it changes with nodes, pods, workers and cores.
//
//   seconds of a point = factor x (fixed + weight x growing)
//
// `fixed` and `growing` are the release's unit costs times what there is to do. The factor is the
// machine's, the same at all points: every attempt pays at least a plain pod's work, so it is at
// most what the cheapest point has, measured over computed. `weight` is each point's own: what its
// plugins cost more than a plain pod's. At PreFilter and PreScore only InterPodAffinity and
// PodTopologySpread go over all pods, and only for pods with such terms; what the plugins' own
// metric gives to others is fixed.

/// Stages that are one extension point, and what they cost in the reference scheduler; those of the
/// loop that go over nodes and pods first.
inline constexpr std::pair<kube::ExtensionPoint, sim::Cost> kPointCosts[] = {
    {kube::ExtensionPoint::kPreFilter, sim::Cost::kPreFilter},
    {kube::ExtensionPoint::kFilter, sim::Cost::kFilter},
    {kube::ExtensionPoint::kPreScore, sim::Cost::kPreScore},
    {kube::ExtensionPoint::kScore, sim::Cost::kScore},
    {kube::ExtensionPoint::kReserve, sim::Cost::kReserveWait},
    {kube::ExtensionPoint::kPermit, sim::Cost::kPermit},
    {kube::ExtensionPoint::kPreBind, sim::Cost::kPreBindWait},
    {kube::ExtensionPoint::kPostFilter, sim::Cost::kPostFilter},
};

/// What decides how much there is to do, and how many do it.
struct LoopSetting {
  int nodes = 0;
  double pods = 0;     ///< assumed or bound
  int percentage = 0;  ///< percentageOfNodesToScore; 0 is adaptive
  int parallelism = 16;
  int cores = 0;  ///< 0: as many as it has, known or not
};

/// Seconds of one attempt at one point: its fixed part, and what grows with nodes or pods.
struct PointWork {
  double fixed = 0, growing = 0;
  double Seconds() const { return fixed + growing; }
};

/// The nodes that must fit before the search stops, at least 1.
int NodesLookedAt(const LoopSetting& setting);

class ComputedLoop {
 public:
  /// Of the release 1.MINOR; one that was not measured takes the nearest older one's unit costs.
  explicit ComputedLoop(int minor);

  /// PreFilter, Filter, PreScore or Score; nothing for another step. Every node looked at fits,
  /// unless `all_nodes`: then Filter goes over all of them. What grows at PreFilter and PreScore
  /// is of pods that have an affinity term; others pay the fixed part alone.
  PointWork Of(sim::Cost point, const LoopSetting& setting, bool all_nodes = false) const;
  /// Whose unit costs: `1.30.14` or `1.36.3`.
  std::string_view measured() const { return units_.measured(); }

 private:
  std::shared_ptr<const sim::cost::ProfilePlugins> plugins_;  // whose names the costs refer to
  sim::cost::UnitCosts units_;
  sim::cost::AttemptCosts plain_, attracted_;
};

/// Nodes, or assumed and bound pods, in the cache at the window's end; nothing without its gauge.
std::optional<double> CacheSizeOf(const Investigation& investigation, std::string_view type);

/// How many times as long something takes: likely, at least and at most.
struct Growth {
  double likely = 1, most = 1, least = 1;
};

/// A number that is not measured itself, and bounds of what is unknown of it, chance apart.
struct Factor {
  double low = 0, likely = 0, high = 0;
};

struct PointFit {
  sim::Cost point = sim::Cost::kFilter;
  kube::ExtensionPoint name = kube::ExtensionPoint::kFilter;
  double seconds = 0;  ///< of a run of the point in the window, on average; 0: it never ran
  double of_pods = 0;  ///< the share that plugins have which go over all pods
  Factor factor;       ///< measured over computed for pods without constraints, of this point alone
};

class LoopFit {
 public:
  /// Nothing is known: no point changes.
  LoopFit() = default;
  /// Of `window`, where the number of nodes is known. Cores are taken to be two, as in a
  /// simulation; bounds hold 1 to as many as there are workers. `cores`: known to be so many; 0:
  /// not known. Pods that are not known are taken to be ten a node; bounds hold 1 to 110.
  LoopFit(const Investigation& investigation, const Measurement& window, int cores);

  bool known() const { return setting_.nodes > 0; }
  /// As it is played: that of the window until Move.
  const LoopSetting& setting() const { return setting_; }
  void Move(const LoopSetting& to) { setting_ = to; }
  const std::vector<PointFit>& points() const { return points_; }
  /// How many times the computed time this machine takes: the cheapest point's factor. Nothing
  /// where no point ran or nodes are not known.
  std::optional<Factor> machine() const;
  /// Whose unit costs; "" where nothing is known.
  std::string_view measured() const { return works_.empty() ? "" : works_.front().measured(); }

  /// How a point's time changes from the setting to `to`. 1 where nothing is known, and for steps
  /// other than PreFilter, Filter, PreScore and Score.
  Growth Of(sim::Cost point, const LoopSetting& to) const;

 private:
  void SetFactor(PointFit* fit) const;
  void AllowForWarmth(double part, const LoopSetting& to, Growth* growth) const;

  LoopSetting setting_, window_;
  std::vector<double> pods_ = {1};   ///< times the window's pods that are possible
  std::vector<double> cores_;        ///< that are possible
  std::vector<ComputedLoop> works_;  ///< of each release that it may be, the likeliest first
  std::vector<PointFit> points_;
};

/// Classes of attempts by how expensive they are: the share of all attempts in each.
const std::vector<double>& AttemptClasses();

/// No metric joins the stages of one attempt. The algorithm's own histogram says whether an attempt
/// that is expensive in one of its stages is expensive in the others too. What each class pays for
/// each stage when the dearest attempts are so in every stage: as many entries as classes. Empty
/// where independent draws come closer to the histogram of their sum.
std::vector<sim::CostOverrides> CoupledCosts(
    const std::vector<std::pair<sim::Cost, FineBuckets>>& stages, const LatencyShape& sum);

// A stage that is waiting (extenders, API calls, PreBind, Permit) and the tails of all stages are
// drawn from what was measured. The loop's own points have work that can be computed: Fitted::loop
// says how many times the computed time they take here, and how they change with the work.

/// A scenario with two periods: the baseline's conditions, then the window's. Without a baseline
/// the first period is absent. Of a long window its start is played, of a long baseline its end; of
/// one with more attempts than asked for less, which stands for the whole: the costs are.
struct Fitted {
  sim::Scenario scenario;                 ///< its rates are means; Played puts the counts in
  std::vector<CountedArrivals> arrivals;  ///< as measured
  std::vector<double> rates;              ///< of the segments, as measured
  TimeRange window;                       ///< the part of the window that the replay stands for
  std::shared_ptr<const Measurement> baseline;  ///< the quiet period as played; null without one
  bool limited = false;                         ///< the API client's limiter held binds back
  int group = 1;                                ///< pods that come at the same moment
  bool spikes = false;     ///< what is more than in most intervals comes at one moment
  bool rolls_out = false;  ///< a roll-out's pods come as they are bound, not as `counted`
  std::vector<CountedArrivals> counted = {};
  Failures failures;
  LoopFit loop;  ///< the loop's points as work, and the setting that they are played in

  bool has_baseline() const { return baseline != nullptr; }
  /// The window's conditions, and those of the quiet period (the window's own without a baseline).
  sim::Conditions& now() { return scenario.segments.back().conditions; }
  const sim::Conditions& now() const { return scenario.segments.back().conditions; }
  const sim::Conditions& quiet() const { return scenario.segments.front().conditions; }
  /// Pods that came in the window and found a node.
  bool InWindow(const CountedArrivals& pods) const {
    return pods.start >= scenario.incident_start && !pods.failing;
  }
  double WindowPods() const;
  /// All that is played, as measured.
  double Pods() const;

  /// The scenario with the arrivals that were counted, placed by `seed`; where a segment's rate was
  /// changed they are thinned out or multiplied accordingly.
  sim::Scenario Played(std::uint64_t seed) const;
};
/// How many attempts of the window and of the baseline are played, about.
struct PlayedAttempts {
  double window = 40'000, baseline = 40'000;
  double starved = 40'000;  ///< in place of `window` where attempts wait for a processor
};

/// Where attempts wait for each other at the client's limiter a part does not stand for the whole:
/// then the window is played as with the default.
Fitted FitScenario(const Investigation& investigation, const PlayedAttempts& most = {});

/// With the window's first attempts alone, about so many.
Fitted StartOf(const Fitted& fitted, double attempts);
/// Without the baseline's attempts but the last ones before the window, at least so many.
Fitted WithoutBaseline(const Fitted& fitted, double but);

}  // namespace schedlens
