#ifndef SCHEDLENS_CONTRACT_DIAGNOSIS_H_
#define SCHEDLENS_CONTRACT_DIAGNOSIS_H_

// The value that the analysis returns and every report renders. Plain data; seconds everywhere.
// The JSON form of it is the product's contract, schema "schedlens.diagnosis/1".

#include <optional>
#include <string>
#include <vector>

#include "contract/impact.h"
#include "contract/message.h"
#include "contract/neighbours.h"
#include "contract/series.h"
#include "contract/source.h"
#include "schedlens/estimate.h"

namespace schedlens {

enum class Verdict { kIncident, kNoIncident, kArtifact, kUndecidable, kInsufficientData };
enum class Confidence { kCertain, kLikely, kPossible };
enum class Decided { kAbove, kBelow, kUndecidable };
/// Whether an alert's expression held at some time of the window.
enum class FiresState { kYes, kNo, kUnclear };
/// Whether the replay reproduces what was measured: wholly, in part, not at all, or too little to
/// tell.
enum class ReplayVerdict { kExplained, kPartly, kNot, kUndecidable };

/// "incident", "no-incident", ... and back: the words of the JSON contract.
std::string ToString(Verdict verdict);
std::string ToString(Confidence confidence);
std::string ToString(Decided decided);
std::string ToString(FiresState state);
std::string ToString(ReplayVerdict verdict);

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
};

/// One cut of the attempts: by result.
struct ResultRow {
  std::string result;
  double count = 0;
  double seconds = 0;
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
  std::optional<double> observations;
  std::optional<double> baseline_seconds;
  std::optional<double> baseline_share;
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
  std::string query;  ///< may be empty
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
};

struct PredictedQuantile {
  double q = 0;
  double measured = 0;
  double predicted = 0;
};

struct CdfPoint {
  double bound = 0;  ///< seconds; +Inf last
  double measured = 0;
  double predicted = 0;
};

struct CrossCheck {
  ReplayVerdict verdict = ReplayVerdict::kUndecidable;
  std::optional<double> distance;
  std::vector<PredictedQuantile> predicted;
  std::vector<CdfPoint> cdf;
  Message note;
};

struct AskedQuery {
  std::string name;
  std::string promql;
  TimeMs at = 0;
  std::size_t series = 0;
};

/// What the pictures are drawn from. One column a scrape interval (thinned to at most 240).
struct Timeline {
  std::vector<TimeMs> times;             ///< end of each column
  std::vector<double> bounds;            ///< e2e bucket bounds, +Inf last; empty without buckets
  std::vector<std::vector<double>> e2e;  ///< [column][bucket] observations, all results; empty then
  std::vector<double> shown;             ///< the alert's value at each time, NaN when none
  std::vector<double> low, high;         ///< proven band of it, NaN when none
  std::vector<double> scheduled, failed;  ///< attempts in each column
  std::vector<double> pending_active, pending_backoff, pending_unschedulable;  ///< NaN when absent
  std::vector<double> binding;  ///< running binding cycles, NaN when unknown
};

/// Cumulative fractions of two histograms at common bounds, where one quantile reads above the
/// other.
struct CdfPair {
  Message lower_metric, upper_metric;
  std::vector<double> bounds, lower, upper;
  std::optional<double> witness;  ///< the bound that proves different populations
};

struct PluginRow {
  std::string extension_point;
  std::string plugin;
  double observations = 0;
  double mean_seconds = 0;
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
  double attempts = 0;
  double e2e_seconds = 0;
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
  std::optional<Impact> impact;  ///< absent without attempts, and where samples contradict
  std::optional<NeighboursSeen> neighbours;  ///< absent without a scheduler, and of replays
  std::vector<ClusterChange> changes;        ///< nearest to the window's start first; after it last
  std::optional<CrossCheck> cross_check;
  std::vector<Message> gaps;      ///< what is missing and what that costs
  std::vector<Message> warnings;  ///< repairs, resets, server annotations
  std::vector<AskedQuery> queries;
  Timeline timeline;
  std::optional<CdfPair> inversion;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_DIAGNOSIS_H_
