#pragma once

// The value that the analysis returns and every report renders. Plain data; seconds everywhere.
// The JSON form of it is the product's contract, schema "schedlens.diagnosis/1".

#include "base/source.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// The pods of one workload that were scheduled in the window. Low ends are what
/// kube-state-metrics saw; high ends allow for all that it missed.
struct WorkloadImpact {
  std::string name_space;
  std::string kind;  ///< "Deployment", ...; "Pod" of pods without an owner; empty where unknown
  std::string name;  ///< empty of pods without an owner, and where unknown
  Measured pods = {};
  Measured over = {};     ///< that waited more than the threshold
  Measured longest = {};  ///< wait in seconds, of the pods that were seen
  std::optional<Measured> extra_seconds =
      {};              ///< waited more than in the baseline, all pods together
  double waiting = 0;  ///< pods that were not scheduled by the window's end
};

/// How much of what was scheduled the split knows.
struct ImpactCoverage {
  bool kube_state_metrics = false;  ///< its metrics of pods are in the source
  double pods_seen = 0;             ///< scheduled in the window, by kube-state-metrics
  double pods_scheduled = 0;        ///< the same by the schedulers themselves
  double workloads_left_out = 0;    ///< beyond the list
};

/// The totals are the schedulers' own and proven, the split by workload is bounds.
struct Impact {
  double threshold = 0;  ///< seconds: the alert's, or one second
  Measured pods_over_threshold;
  /// Of all results. Absent in diagnoses of before it was counted.
  std::optional<Measured> attempts_over_threshold = {};
  /// How long the alert stood above its threshold within the window, by its evaluations; absent
  /// without one to exceed.
  std::optional<double> above_seconds = {};
  std::optional<Measured> extra_seconds;  ///< absent without a baseline
  std::vector<WorkloadImpact> workloads;  ///< hit hardest first
  ImpactCoverage coverage;
};

/// Something that changed close to the window's start. That is all it says: not that it is a cause.
struct ClusterChange {
  Message what;
  std::string object;
  double count = 1;  ///< objects that changed alike; `object` is the nearest of them
  TimeMs at = 0;     ///< best guess between the next two
  TimeMs earliest = 0, latest = 0;
  std::string before, after;    ///< values, where there are any
  double distance_seconds = 0;  ///< of `at` from the window's start; negative: before it
  std::string source;           ///< the metric
  bool after_onset = false;     ///< certainly after the onset: no cause
};

/// What one API server answered of the scheduler's bindings in the window.
struct ApiServerSeen {
  std::string instance;
  Measured bindings;
  Measured seconds;  ///< of them, inside the server
};

/// The processes of one kind.
struct ComponentSeen {
  Measured instances;                  ///< that there are: those that were seen at least
  double seen = 0;                     ///< that were scraped in the window
  std::optional<Measured> bindings;    ///< that all API servers answered; of others absent
  std::optional<Measured> covered;     ///< of what the scheduler counted; absent where not compared
  std::vector<ApiServerSeen> servers;  ///< those that answered bindings, busiest first
  std::vector<Message> missing;        ///< what is not there, and what it would add
};

struct ControlPlaneSeen {
  ComponentSeen apiserver, etcd, kube_state_metrics;
};

enum class Verdict { kIncident, kNoIncident, kArtifact, kUndecidable, kInsufficientData };
enum class Confidence { kCertain, kLikely, kPossible };
enum class Decided { kAbove, kBelow, kUndecidable };
/// Whether an alert's expression held at some time of the window.
enum class FiresState { kYes, kNo, kUnclear };
/// Whether the replay reproduces what was measured: wholly, in part, not at all, or too little to
/// tell.
enum class ReplayVerdict { kExplained, kPartly, kNot, kUndecidable };

// The words of the JSON contract.
inline std::string ToString(Verdict verdict) {
  return WordOf(verdict,
                {"incident", "no-incident", "artifact", "undecidable", "insufficient-data"});
}
inline std::string ToString(Confidence confidence) {
  return WordOf(confidence, {"certain", "likely", "possible"});
}
inline std::string ToString(Decided decided) {
  return WordOf(decided, {"above", "below", "undecidable"});
}
inline std::string ToString(FiresState state) { return WordOf(state, {"yes", "no", "unknown"}); }
inline std::string ToString(ReplayVerdict verdict) {
  return WordOf(verdict, {"explained", "partly", "not", "undecidable"});
}

/// A value of the server, and the same from its raw samples with our own arithmetic.
struct Recomputed {
  Message what;  ///< "the alert's expression", "the recording rule X", ...
  TimeMs at = 0;
  double shown = 0;                  ///< the server's: asked now, or stored then
  std::optional<double> recomputed;  ///< empty when our result has no such series
  bool agrees = false;               ///< within the tolerance; of ALERTS: also over the threshold
  std::string tolerance;             ///< "bits" or "1e-9" (relative)
  std::size_t rates = 0;             ///< rates that the server's value is made of
  std::size_t agreeing_rates = 0;    ///< those that its raw samples give as well
};

/// When the alert's expression held, whatever its `for`.
struct AlertFires {
  FiresState state = FiresState::kUnclear;  ///< unknown: nothing is compared, or no data
  std::vector<TimeMs> times;                ///< at most 50 of the evaluations at which it held
};

/// One time that an alert's expression held, by its evaluations.
struct AlertEpisode {
  TimeMs pending = 0;              ///< first evaluation at which it held
  std::optional<TimeMs> firing;    ///< when it had held for its `for`; absent where it did not
  std::optional<TimeMs> resolved;  ///< first evaluation at which it held no more; absent: it holds
};

/// The alert as asked or found, and what its number is worth. Without an alert the same of the
/// default question, the p99 of the attempts: a quantile then, not an alert.
struct AlertVerdict {
  bool given = true;  ///< an alert was given or found
  std::string expr;
  std::string metric;      ///< histogram family without _bucket; of no quantile, its first metric
  double quantile = 0.99;  ///< NaN when the expression is no quantile
  std::optional<double> value;      ///< of what the expression compares, at the window's end
  std::optional<double> threshold;  ///< of a quantile in its own unit
  std::string comparison;           ///< ">", ">=", ... empty without threshold
  std::vector<std::pair<std::string, std::string>> labels;  ///< of the series that is worst
  /// What was judged: labels that all its processes share, and those the expression asks for.
  std::vector<std::pair<std::string, std::string>> population;
  AlertFires fires;
  double for_seconds = 0;              ///< how long it must hold before it fires
  std::vector<AlertEpisode> episodes;  ///< of an alert with a `for`, in order
  std::optional<double> shown;         ///< the quantile that the server's function gives for it
  bool shown_proven_wrong = false;     ///< `shown` lies outside `interval`
  std::optional<Decided> decided;      ///< empty without threshold or data
  Interval interval;                   ///< proven interval of the true quantile
  std::vector<Recomputed> recomputed;
  std::vector<Message> notes;  ///< e.g. nearest decidable thresholds, "can never fire"

  /// The quantile is above the threshold, but conditions around it (`and ...`) kept the alert
  /// quiet.
  bool IsHeldBack() const {
    return decided == Decided::kAbove && fires.state == FiresState::kNo &&
           std::ranges::find(notes, "alert.without", &Message::id) != notes.end();
  }
};

/// One cut of the attempts: by result.
struct ResultRow {
  std::string result;
  double count = 0, seconds = 0;
};

/// One node of the stage tree. Top-level stages partition the time of all attempts.
struct StageTime {
  std::string id;
  std::string parent;                       ///< empty at the top
  Measured seconds;                         ///< in the window
  Measured share;                           ///< of all e2e seconds in the window
  std::optional<Measured> excess;           ///< against the baseline
  std::optional<Measured> excess_mix;       ///< the part of it that is a change of mix ...
  std::optional<Measured> excess_cost;      ///< ... and the part that is a change of cost
  std::optional<Measured> tail_time_share;  ///< of the time of the slowest 1 % of attempts
  std::optional<Measured> sufficient;       ///< of slow attempts, those slow by this stage alone
  bool saturated = false;                   ///< its p99 is at the top finite bucket
  Message measured_by;                      ///< metric, or the subtraction
  std::string population;                   ///< which attempts it covers
  std::optional<double> observations, baseline_seconds, baseline_share;
};

struct QuantileRow {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> labels;
  double q = 0;
  std::optional<double> shown;
  Interval interval;
  Basis interval_basis;
  Measured estimate;
  Interval sampling_interval;
  std::vector<Message> reasons;
};

/// One piece of evidence: what was seen, and the query that shows it.
struct Evidence {
  Message text;
  std::string query = {};  ///< may be empty
};

/// What the source said to the query of a next step.
struct StepAnswer {
  std::optional<double> value;  ///< of several series the largest; empty without data
  Message text;                 ///< every value with its unit, or why there is none
};

/// What to do now. `query` is empty where it is no query; `answered` where it was not run.
struct NextStep {
  Message text;
  std::string query;  ///< PromQL that is valid as it stands: selector, window and time filled in
  std::optional<StepAnswer> answered;
  /// schedlens's own, to be run as printed: source, selector and window filled in; else empty.
  std::string command = {};
};

/// What to do about a cause. What shows more of it is a command of a shell or a query, never both.
struct Remedy {
  Message now, owner, later;  ///< what to do at once, who can, and so that it does not come back
  Message command;            ///< to be pasted: kubectl's, or schedlens's own
  std::string query = {};     ///< PromQL that is valid as it stands
};

/// What a cause brought about besides itself: `id` as of a finding.
struct Consequence {
  std::string id;
  Message title;
  std::optional<Measured> share;
};

/// Past the scheduler's door: what made a cause slow, or made it fail.
struct CauseBehind {
  std::string id;
  std::string object;  ///< which webhook, priority level, member; empty where the id says it all
  Message title;
  Confidence confidence = Confidence::kPossible;
  Measured share;  ///< of all e2e seconds; of who sends work, of what grew (IsOfTheGrowth)
  std::vector<Evidence> evidence;
  std::vector<NextStep> next_steps;
  std::optional<Remedy> action = {};  ///< absent in diagnoses of before it was written
};

struct Finding {
  std::string id;
  Message title;
  Confidence confidence = Confidence::kPossible;
  std::optional<Measured> share;
  std::vector<Evidence> evidence;
  std::vector<NextStep> next_steps;
  std::vector<Consequence> consequences;  ///< no findings of their own
  std::vector<CauseBehind> behind;        ///< strongest first
  std::optional<Remedy> action = {};      ///< as of what is behind
  std::string object = {};  ///< which scheduler, stage of the loop, workload; may be empty
};

/// A cause, not a remark about the number or the data.
inline bool IsCause(const Finding& finding) {
  return !finding.id.starts_with("quantile.") && !finding.id.starts_with("data.");
}

/// What is behind the finding and leads it: null where that is no more than possible, and who
/// creates the pods does not tell what they wait for.
inline const CauseBehind* LeadingBehind(const Finding& finding) {
  if (finding.behind.empty()) return nullptr;
  const CauseBehind& first = finding.behind.front();
  const bool leads = first.confidence != Confidence::kPossible && first.id != "load.workload";
  return leads ? &first : nullptr;
}

struct PredictedQuantile {
  double q = 0, measured = 0, predicted = 0;
};

struct CdfPoint {
  double bound = 0;  ///< seconds; +Inf last
  double measured = 0, predicted = 0;
};

struct CrossCheck {
  ReplayVerdict verdict = ReplayVerdict::kUndecidable;
  std::optional<double> distance;
  std::vector<PredictedQuantile> predicted;
  std::vector<CdfPoint> cdf;
  Message note;
};

struct AskedQuery {
  std::string name, promql;
  TimeMs at = 0;
  std::size_t series = 0;
};

/// Adds it, unless the same is there for the same time.
inline void NoteQuery(AskedQuery query, std::vector<AskedQuery>* queries) {
  const bool noted = std::ranges::any_of(*queries, [&](const AskedQuery& one) {
    return one.promql == query.promql && one.at == query.at;
  });
  if (!noted) queries->push_back(std::move(query));
}

/// What the pictures are drawn from. One column a scrape interval (thinned to at most 240).
struct Timeline {
  std::vector<TimeMs> times;             ///< end of each column
  std::vector<double> bounds;            ///< e2e bucket bounds, +Inf last; empty without buckets
  std::vector<std::vector<double>> e2e;  ///< [column][bucket] observations, all results; empty then
  std::vector<double> shown;             ///< the alert's value at each time, NaN when none
  std::vector<double> low, high;         ///< proven band of it, NaN when none
  std::vector<double> scheduled, failed;  ///< attempts in each column
  std::vector<double> pending_active, pending_backoff, pending_unschedulable;  ///< NaN when absent
  std::vector<double> pending_gated;  ///< the same; empty in diagnoses of before it was kept
  std::vector<double> binding;        ///< running binding cycles, NaN when unknown
};

/// Cumulative fractions of two histograms at common bounds, where one quantile reads above the
/// other.
struct CdfPair {
  Message lower_metric, upper_metric;
  std::vector<double> bounds, lower, upper;
  std::optional<double> witness;  ///< the bound that proves different populations
};

struct PluginRow {
  std::string extension_point, plugin;
  double observations = 0, mean_seconds = 0;
  Measured wall_share;  ///< of its extension point
};

/// One thing about the queue and the loop: `loop.busy`, `pod.attempts`, `pod.wait`, `pending.*`.
struct QueueRow {
  std::string id;
  Measured value;
  std::optional<Measured> baseline;
};

/// One of several schedulers that the source has, judged by itself.
struct JudgedUnit {
  std::vector<std::pair<std::string, std::string>> labels;  ///< that tell it from the others
  Verdict verdict = Verdict::kInsufficientData;
  Message headline;
  std::optional<double> shown;  ///< what the alert shows there
};

/// Who held the pods that were not bound: pod-seconds of the window.
struct PodHolder {
  /// gate, unschedulable, backoff, nobody, queue, attempt; queue.STAGE (what the loop did
  /// meanwhile), attempt.STAGE.
  std::string id;
  Measured seconds, share;
  std::optional<Measured> growth = {};  ///< against calm time of the same length
};

/// A pod that waited long, by kube-state-metrics: times are whole seconds.
struct SlowPod {
  std::string name_space, name;
  TimeMs created = 0;
  std::optional<TimeMs> scheduled = {};  ///< absent where it waited at the window's end
  Measured seconds;                      ///< that it waited until then
  std::vector<PodHolder> held = {};      ///< of them, where that is known
};

/// Something that happened to the schedulers.
struct SchedulerEvent {
  std::string id;  ///< as of a finding
  std::string object;
  TimeMs start = 0;
  std::optional<TimeMs> end = {};  ///< absent while it lasts
};

/// One link of what led to what: a finding, or what is behind one.
struct ChainLink {
  std::string id, object;
  TimeMs start = 0;
  std::optional<TimeMs> end = {};
  std::vector<std::string> leads_to = {};  ///< ids of later links
};

/// A time that hurt, or one that was slow and too short, or with too few hit, to matter.
struct Episode {
  TimeRange window;
  Confidence certainty = Confidence::kPossible;  ///< of its first finding; possible without one
  Verdict verdict = Verdict::kIncident;
  Message headline;
  std::vector<Message> reasons;                   ///< what hurt
  FiresState alert_fires = FiresState::kUnclear;  ///< whether the alert's value was above in it
  double pods = 0;                                ///< bound in it, where that is counted
  double attempts = 0;
  std::optional<double> shown;          ///< the alert's greatest value in it
  std::vector<Finding> findings;        ///< strongest first, without evidence
  std::vector<PodHolder> holders = {};  ///< without kube-state-metrics, but of the reported one
  std::vector<ChainLink> chain = {};
  bool reported = false;     ///< what the report is about
  std::string command = {};  ///< that opens it; empty of the reported one and where unknown
};

struct Diagnosis {
  Verdict verdict = Verdict::kInsufficientData;
  Message headline;            ///< the verdict in one sentence
  std::string tool_version;    ///< of the schedlens that made this diagnosis
  std::optional<TimeMs> made;  ///< when
  std::string
      command;  ///< the command line, quoted for a shell, secrets left out; empty if unknown
  std::string cluster;  ///< whose schedulers these are, where one is named; else empty
  SourceInfo source;
  std::string release;  ///< "1.20", "1.23-1.25", ... as the metrics show it; empty if unknown
  std::vector<JudgedUnit> units;  ///< where there are several, worst first: this is the first one's
  TimeRange window;
  bool window_found = false;  ///< the window was found, not given
  std::optional<TimeRange> baseline;
  std::vector<TimeRange> calm;     ///< in what was looked at; the baseline is part of one stretch
  std::vector<Episode> episodes;   ///< in the range that was asked for, in order
  std::vector<Episode> also_seen;  ///< too short, or with too few hit, to be one; in order
  double attempts = 0, e2e_seconds = 0;
  /// Attempts that the window would need for a doubling of the slow ones to be significant, where
  /// it has fewer.
  std::optional<double> attempts_needed;
  std::optional<AlertVerdict> alert;
  std::vector<ResultRow> results;
  std::vector<StageTime> stages;
  std::vector<QuantileRow> quantiles;
  std::vector<PluginRow> plugins;
  std::vector<QueueRow> queue;
  std::vector<Finding> findings;
  std::vector<PodHolder> holders;      ///< empty where queues have no gauges
  std::vector<SlowPod> pods;           ///< of the window, longest first, the first few
  std::vector<SchedulerEvent> events;  ///< of the window, in order
  std::vector<ChainLink> chain;        ///< of an incident: the first link is the root
  std::optional<Impact> impact;        ///< absent without attempts, and where samples contradict
  std::optional<ControlPlaneSeen> control_plane;  ///< absent without a scheduler, and of replays
  std::vector<ClusterChange> changes;  ///< nearest to the window's start first; after it last
  std::optional<CrossCheck> cross_check;
  std::vector<Message> gaps;      ///< what is missing and what that costs
  std::vector<Message> warnings;  ///< repairs, resets, server annotations
  std::vector<AskedQuery> queries;
  Timeline timeline;
  std::optional<CdfPair> inversion;
};

/// Whether it is a share of what grew against the baseline; any other is one of all e2e time.
inline bool IsOfTheGrowth(const Measured& share) { return share.basis.kind == BasisKind::kGrowth; }

/// The share of all time from which a stage has a row of its own, and its parts have.
inline constexpr double kWorthARow = 0.01;
inline constexpr double kWorthParts = 0.1;

/// Whether the stage is one plugin of the extension point above it: `algorithm.filter/NAME`.
inline bool IsPlugin(const StageTime& stage) {
  return !stage.parent.empty() && stage.id.find('/') == stage.parent.size();
}

/// Attempts of the window with that result; 0 where it has none.
inline double CountOf(const Diagnosis& diagnosis, std::string_view result) {
  const auto row = std::ranges::find_if(diagnosis.results,
                                        [&](const ResultRow& one) { return one.result == result; });
  return row == diagnosis.results.end() ? 0 : row->count;
}

enum class Fate { kNew, kKept, kGone };
inline std::string ToString(Fate fate) { return WordOf(fate, {"new", "kept", "gone"}); }

/// A stage's seconds a scheduled pod on both sides; absent where one side has no such stage, or
/// scheduled no pod.
struct AgainstStage {
  std::string id;
  int depth = 0;  ///< 1: a part of the stage above it
  std::optional<double> then, now;
};

/// A finding, or a cause behind one, of either side.
struct AgainstFinding {
  Fate fate = Fate::kKept;
  std::string id;
  std::string object;  ///< of a cause behind; else empty
  bool behind = false;
  Message title;  ///< of the later side where it has it
  std::optional<Confidence> confidence_then, confidence_now;
  std::optional<double> share_then, share_now;
};

struct Against {
  Diagnosis then, now;
  std::vector<AgainstStage> stages;
  std::vector<AgainstFinding> findings;  ///< the later side's in their order, then what is gone
  std::vector<Message> notes;            ///< what makes the two no like for like
};

}  // namespace schedlens
