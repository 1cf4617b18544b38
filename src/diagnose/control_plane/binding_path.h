#pragma once

#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens {

// The binding request past the scheduler's client, as parts that add up: the way to the API server,
// the wait for a seat, each webhook, built-in admission, storage, the rest. Every part is an
// interval of seconds; no quantile is subtracted from another.

struct ServerRequests {
  BoundedValue bindings = BoundedValue::Exactly(0);
  BoundedValue seconds = BoundedValue::Exactly(0);
};

/// Seconds of all bindings of a window. A part without a metric of its own is absent.
struct BindingPath {
  bool by_extender = false;   ///< an extender makes them: what is outside the servers is its own
  double binds = 0;           ///< successful ones, by the scheduler's own count
  double calls = 0;           ///< failed ones too
  BoundedValue bindings;      ///< that the API servers counted
  bool others_bind = false;   ///< more bindings, or seconds, than the scheduler waited for
  bool some_missing = false;  ///< fewer bindings than the scheduler's: servers are missing
  bool contradicted = false;  ///< the SLI has more seconds than the requests that it is a part of
  std::map<std::string, ServerRequests> servers;  ///< by instance
  double bind = 0;                                ///< EP{Bind}, or what an extender's bindings took
  BoundedValue request;                           ///< that without the client's limiter
  BoundedValue apiserver;                         ///< inside the API servers
  std::optional<BoundedValue>
      network;  ///< request less apiserver; absent without the limiter's metric, of an extender
  std::optional<BoundedValue>
      outside_sli;      ///< webhooks, and from 1.27 on flow control, of bindings
  BoundedValue inside;  ///< the indicator; without one all of apiserver
  BoundedValue work;    ///< inside less the wait for a seat, where it is of that
  std::optional<BoundedValue> flowcontrol;
  std::map<std::string, BoundedValue> webhooks;  ///< by name
  std::optional<BoundedValue> admission;         ///< built in
  std::optional<BoundedValue> storage;
  std::optional<BoundedValue> rest;  ///< of what is inside the service level indicator
  /// Webhooks' own seconds, of all resources: what a webhook took that bindings may not have met.
  std::map<std::string, BoundedValue> webhooks_everywhere;
  /// Waits for a seat of all requests, by priority level.
  std::map<std::string, BoundedValue> waits;
  /// Webhooks and levels without which the others explain the scrapes as well.
  std::set<std::string> replaced;
};

/// `flowcontrol_outside`: whether the release's service level indicator leaves flow control out
/// (1.27 and later; nullopt where unknown). Nothing without binding requests of both sides: no API
/// server in the data, neither a Bind plugin that ran nor an extender that bound.
///
/// total - SLI of bindings holds their webhooks (and flow control) alone. Of that a webhook has at
/// most its own seconds and at least what all others together cannot have had. Where others bind
/// too no part has a least, where servers are missing none has a most but the scheduler's own time.
std::optional<BindingPath> MeasureBindingPath(const ControlPlaneFacts& facts,
                                              const TimeBreakdown& breakdown,
                                              const std::optional<LimiterSplit>& limiter,
                                              std::optional<bool> flowcontrol_outside);

/// Whether the bindings that the API servers counted are this scheduler's. Those of another
/// cluster, or of another time, are not: from scrape to scrape they rise and fall by themselves,
/// and where as many were made as counted, the difference wanders off. Clocks may be half a minute
/// apart; servers may be missing and others may bind. All that was scraped is looked at, of long
/// recordings 240 scrapes around the window. False too where there are too few to tell.
bool CountsTheSame(const ControlPlaneFacts& facts, const HistogramFacts& attempt,
                   std::span<const Target> targets, const TimeRange& window);

/// Seconds that bindings waited for etcd, of `inside`, all that they took without webhooks. Nothing
/// without the API servers' metric of etcd's requests.
///
/// A binding updates its pod, and may have to read it first. So it has at most all updates and
/// reads of pods, and at least all updates, deletions and reads less the whole duration of every
/// other request that may cause one: of all requests on pods but their creation. Creation reads a
/// pod only where one of that name exists: unless the count of such conflicts is there and is zero,
/// creations are taken off with their own operation. `shared`: others bind too, and nothing is the
/// scheduler's for sure.
std::optional<BoundedValue> StorageOfBindings(const ControlPlaneFacts& facts,
                                              const TimeRange& window, const BoundedValue& inside,
                                              bool shared);

/// The parts of the path as nodes of the stage tree below `bind.request`, of an extender's bindings
/// below `bind.unmeasured`, outer ones first. A part whose most is not known has no high end.
std::vector<StageTime> PathStages(const BindingPath& now, const std::optional<BindingPath>& before,
                                  double e2e_seconds, double e2e_seconds_before);

// Slow attempts and slow bindings, by inclusion: a binding is part of its attempt, so whichever
// takes more than x inside the API server belongs to an attempt that takes more than x. Quantiles
// do not subtract; these counts do.

struct TailLink {
  double over = 0;      ///< seconds: a bound of the attempts' histogram
  double inside = 0;    ///< seconds, no less: a bound of the API servers' histogram
  double attempts = 0;  ///< that took more than `over`
  double least = 0;     ///< of them those that took more than `inside` inside the API servers
  /// Of the attempts over the threshold those that the servers alone made so; absent without one.
  std::optional<Measured> sufficient;

  Message Sentence() const;
};

/// Attempts that ran at the window's edges: as many bindings may be counted on the other side.
struct RunningAtEdges {
  double start = 0, end = 0;
};

/// The two bounds that prove most: of the attempts over the threshold, or over the bound before it,
/// and where there is none of a slow hundredth to a slow fifth of all. Nothing without buckets of
/// both, without a slow attempt, and where the counts say that not every binding is an attempt's,
/// or attempts were lost.
std::optional<TailLink> LinkTails(const ControlPlaneFacts& facts, const BindingPath& path,
                                  const WindowIncreases& cells, const RunningAtEdges& running,
                                  std::optional<double> threshold);

// Who took what bindings spent outside the service level indicator: what of each webhook's and each
// priority level's own seconds was of bindings is in no metric, but the seconds rise and fall
// together from scrape to scrape.

struct OutsideShare {
  double share = 0;      ///< of its own seconds that bindings met, 0 to 1: a guess, proves nothing
  bool replaced = true;  ///< the others explain the same scrapes without it
};

/// Shares s with sum of s * own = `outside` between the scrapes, by least squares; scrapes within
/// `window` weigh most. `replaced` where leaving the contributor out fits the window hardly worse,
/// or where there are too few scrapes to tell. Those that nothing tells apart get the same share,
/// as do all but the 39 that took most in the window.
std::vector<OutsideShare> FitOutside(const Meter& outside, const std::vector<Meter>& own,
                                     const TimeRange& window);

// Why the binding call is slow or fails, and why volumes keep pods in PreBind.

/// What is behind a finding, by the id of its text, without evidence: `likely` or else possible.
/// Throws Error(kFailed) for an id without text.
CauseBehind CauseOf(std::string_view id, std::string object, Message title, Measured share,
                    bool likely);

void SortByShare(std::vector<CauseBehind>* behind);  ///< the largest first; each has one

/// The path and the symptoms of the window, and of the baseline where there is one.
struct PathEvidence {
  BindingPath now;
  std::optional<BindingPath> before;
  Symptoms symptoms;
  std::optional<Symptoms> symptoms_before;
  std::vector<ServerAgainstOthers> servers, servers_before;  ///< slowest first
  std::optional<TailLink> tail;
  double e2e_seconds = 0;  ///< of the window
  bool same = false;       ///< CountsTheSame, and nothing contradicts that

  /// Seconds that a part has now beyond what as many bindings had in the baseline; all without one.
  BoundedValue Growth(const BoundedValue& part,
                      const std::optional<BoundedValue>& part_before) const;
  BoundedValue RequestGrowth() const;
  /// Whether most of a slow call was there before: what grew does not tell what made it slow.
  bool WasSlow() const;
};

/// Causes of a slow binding call, strongest first: each has at least a tenth of its growth.
/// `certain` where half of the growth is proven to be of that part alone, `likely` from three
/// tenths on, and never more than that where another metric that is not there could tell otherwise.
/// Empty where the call did not grow.
std::vector<CauseBehind> WhyBindingIsSlow(const PathEvidence& path);

/// Webhooks that refused or failed at least half as many requests as attempts ended in an error, of
/// all `bindings` tried; `certain` where they are many and as many. Their share is of no time.
std::vector<CauseBehind> WhyBindingFails(const PathEvidence& path, double errors, double bindings);

/// The one API server that is slow where others are not: it took twice as long as they for the same
/// requests on pods, by so much more than before that it explains three tenths of the binding
/// call's growth. Says where bindings wait, not why. Nothing with one API server, and where all are
/// slow.
std::optional<CauseBehind> SlowServerBehind(const PathEvidence& path);

/// Seconds of PreBind: what a part of it can be a part of.
struct VolumeWait {
  TimeRange now;
  std::optional<TimeRange> before;  ///< absent: all there is counts as growth
  double seconds = 0, growth = 0;   ///< of PreBind, in the window
  double e2e_seconds = 0;
};
VolumeWait VolumeWaitOf(const WindowEvidence& evidence);

/// Drivers whose calls of CreateVolume became longer by a tenth of PreBind's growth or more, half
/// as long again at least, and the volume controller where provisioning took longer than that.
/// Attaching comes after the binding and is on nobody's way here. Claims that are provisioned at
/// once, and pods that wait for several volumes at a time, are in the same sums: a part has no
/// least, and at most all of PreBind. `likely` from three tenths on; without the sidecars' metrics,
/// or where neither explains the wait and one is missing, driver and controller are a tie.
/// Strongest first; empty where PreBind did not grow.
std::vector<CauseBehind> WhyVolumesAreSlow(const ControlPlaneFacts& facts, const VolumeWait& wait);

/// Behind a slow extension point (by its finding's id) the plugin that three tenths of its growth
/// and more are of: `likely` where half is, three standard errors taken off. Behind preemption, and
/// behind pods that fit nowhere where PostFilter has half of the growth of their attempts, one that
/// is not PostFilter's own. Empty of other findings.
std::vector<CauseBehind> WhichPlugin(const std::string& finding, const WindowEvidence& evidence);

}  // namespace schedlens
