#pragma once

#include "contract/diagnosis.h"

namespace schedlens {

// What `doctor` saw of a source.

enum class Health { kOk, kNote, kProblem };
inline std::string ToString(Health health) { return WordOf(health, {"ok", "note", "problem"}); }

/// One check.
struct CheckUp {
  Health health = Health::kOk;
  std::string subject;  ///< "source", "scheduler", "release", "metric", "scrapes", ...
  Message text;         ///< what was seen, and what it costs
  Message fix;          ///< what to do; may be empty
  Message evidence;     ///< the PromQL or the request that shows it; empty where the text says all
};

/// A metric that a component of the control plane does not show here.
struct AbsentMetric {
  std::string metric;
  bool expected = false;  ///< its release has none, or one that is idle or stands alone has none
};

/// What a source has of the API servers, etcd, and the others around the scheduler.
struct ComponentFound {
  std::string component;  ///< "kube-apiserver", "etcd", ...
  std::vector<std::string> jobs;
  std::size_t instances = 0;          ///< 0: not in this source
  std::vector<AbsentMetric> missing;  ///< of one that is there
};

/// A text to paste that makes a tool scrape what is missing.
struct ScrapeConfiguration {
  std::string tool;  ///< "prometheus", "kube-prometheus-stack", "opentelemetry-collector"
  std::vector<std::string> components;
  std::string yaml;
};

struct DoctorReport {
  std::vector<CheckUp> checks;
  std::vector<ComponentFound> control_plane;        ///< empty where no scheduler was found
  std::vector<ScrapeConfiguration> configurations;  ///< empty where no component is missing
  bool diagnosable = false;                         ///< attempts' buckets are there, with increases
};

// What `lint` found in alert and recording rules.

struct LintRule {
  std::string group;
  std::string name;  ///< of the alert or the record
  bool alerting = true;
  std::string expr;
  int line = 0;             ///< of the expression in its file, from 1; 0 when there is none
  std::int64_t for_ms = 0;  ///< of an alert; 0 without
  std::optional<std::int64_t> interval_ms = {};  ///< the group's own, where it has one
  /// A query of a dashboard: `group` is the dashboard's title, `name` the panel's.
  bool panel = false;
};

enum class LintSeverity { kNote, kWarning, kError };
inline std::string ToString(LintSeverity severity) {
  return WordOf(severity, {"note", "warning", "error"});
}

/// One remark. `id` is one of LintChecks().
struct LintFinding {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  std::size_t rule = 0;  ///< index of the rule it is about; of a file without any 0
  Message message;       ///< one sentence, with the number that matters
  Message fix;           ///< what to write instead; empty when that is not known
  /// Where it is, for what is wrong with a file rather than with an expression of it: group, name
  /// and line count, nothing else. Else nothing.
  std::optional<LintRule> place;
};

struct LintReport {
  std::vector<LintFinding> findings;  ///< in the order of the rules; of a file the first ones
  std::size_t left_out = 0;           ///< how many more there are
  std::optional<LintSeverity> worst_left_out = {};
  std::vector<std::string> fixed;  ///< one expression a rule; as given where nothing was fixed
  bool Fixed(const std::vector<LintRule>& rules, std::size_t i) const {
    return fixed[i] != rules[i].expr;
  }
};

/// A check: its id and what it means.
struct LintCheck {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  Message summary;
  Message reason;  ///< why it matters, and what fixing does about it; for `explain`
};

/// The cluster that the rules are meant for.
struct LintedFor {
  std::string release;  ///< empty when it is not known
  std::int64_t scrape_ms = 0;
};

/// The rules of one file (or of --expr, then `name` is that), and what was found in them.
struct LintedFile {
  std::string name;
  std::vector<LintRule> rules;
  LintReport report;
  std::string fixed_yaml;  ///< a rule file, the given one but for what is fixed
  bool fixed = false;      ///< whether anything is
  std::string diff;        ///< unified; empty when nothing is fixed, and for --expr
};

/// Where a finding of the file is.
inline const LintRule& PlaceOf(const LintFinding& finding, const std::vector<LintRule>& rules) {
  return finding.place ? *finding.place : rules[finding.rule];
}

// What findings, stages, metrics, checks of rules and words mean, as `explain` shows it.

/// What shows more of a finding: a command that is its text `finding.ID.command`, or the first of
/// its next steps that is a query, or a command of schedlens.
enum class ShownBy { kCommand, kQuery, kOwnCommand };

/// A cause, or a remark about the number. Every id a diagnosis can hold has a row. What happens in
/// the scheduler is the text `finding.ID.meaning`, the evidence that would be absent without it
/// `finding.ID.proof`.
struct FindingText {
  std::string id;
  int steps = 0;  ///< how many next steps the texts have: `finding.ID.step.1` and so on
  ShownBy shown_by = ShownBy::kCommand;
  /// There is a metric, flag or log that ends remaining doubt: `finding.ID.settled_by`.
  bool can_be_settled = true;
};

/// One short sentence, the same in every report: the text `finding.ID.title`.
inline Message TitleOf(const FindingText& finding) {
  return Message("finding." + finding.id + ".title");
}

/// What would settle whether a cause is the one, a few words in the middle of a sentence: the text
/// `finding.ID.settled`, of causes only.
inline Message SettledBy(std::string_view cause) {
  return Message("finding." + std::string(cause) + ".settled");
}

/// A node of the stage tree. The texts `stage.ID.title`, `stage.ID.meaning` (what the scheduler
/// does in it) and `stage.ID.measured_by` (metric, or the subtraction) tell of it.
struct StageText {
  std::string id;
};

/// A metric family of kube-scheduler, or of another part of the control plane. What it counts is
/// the text `metric.NAME.counts`; how it misleads, if it does, `metric.NAME.traps`.
struct MetricText {
  std::string name;       ///< without _bucket, _sum, _count
  std::string releases;   ///< where it is visible by default
  std::string component;  ///< who exports it; empty of kube-scheduler's
  std::string labels;     ///< in the newest release, as a list; empty of kube-scheduler's
};

/// A word of the reports; its meaning is the text `term.NAME`.
struct TopicText {
  std::string name;
};

/// Everything the tables hold about a word. All empty when nothing is known.
struct Explanation {
  const FindingText* finding = nullptr;
  std::vector<Message> next_steps;  ///< the finding's, in order
  std::optional<Remedy> action;     ///< the finding's, words in capitals for what a window tells
  const StageText* stage = nullptr;
  const MetricText* metric = nullptr;
  const LintCheck* lint = nullptr;
  const TopicText* topic = nullptr;
  bool empty() const { return !finding && !stage && !metric && !lint && !topic; }
};

// What `whatif` predicts, and with --headroom how much more there may be before a quantile is too
// high.

struct PredictedChange {
  double q = 0;
  Measured before, after;  ///< seconds; the interval is PredictedInterval's
};

/// What pods bring to the scheduler, relative to what it can take: over 1 the wait grows.
struct Utilisation {
  double loop = 0;    ///< of the scheduling loop's time
  double client = 0;  ///< of the API client's limit

  /// Seconds by which a pod that comes a minute later waits longer; 0 where all are served.
  double WaitGrowth() const { return std::max({0.0, loop - 1, client - 1}) * 60; }
};

struct Prediction {
  std::vector<PredictedChange> e2e;  ///< scheduled attempts
  std::vector<PredictedChange> pod;  ///< bound pods, from the queue to their binding
  /// Why nothing is predicted: the replay of what was measured lies outside what is proven. Such
  /// rows have no `after`; `undecidable` is about the alert's attempts, without one the scheduled.
  std::vector<Message> refused;
  bool undecidable = false;
  Utilisation before, after;
  double qps = 0, qps_after = 0;  ///< of the client's limit; 0 without one
  std::string alert_metric;       ///< of the alert, empty without threshold
  double alert_quantile = 0.99;
  std::optional<double> threshold;                ///< the alert's
  std::optional<bool> fires_before, fires_after;  ///< absent without threshold, or undecided
  std::size_t seeds = 0;
  std::vector<Message> assumptions;
};

struct Headroom {
  std::string what;    ///< rate, nodes or running
  std::string metric;  ///< of the alert, or what the target is of
  double q = 0.99;
  double target = 0;             ///< seconds
  std::vector<Message> refused;  ///< why nothing is said, as in Prediction
  /// Times what there is now. Without `high` it may not be crossed at all up to `most`; without
  /// `value` it likely is not. Without `low` it is crossed however little there is.
  Measured factor;
  double most = 0;             ///< the largest factor that was played
  std::optional<double> now;   ///< what the factor is of: pods a second, nodes
  Utilisation before, there;   ///< now, and where it is crossed
  double qps = 0;              ///< of the client's limit
  std::string limit;           ///< loop, client, extender or none: what binds first
  std::vector<Message> moves;  ///< what binds, and what would move it
  std::vector<Message> assumptions;
};

// One quantile explained, and two compared, as `quantile` and `compare` show them: plain values,
// seconds.

/// Proven bounds of a number of observations.
struct CountBounds {
  double low = 0, high = 0;
};

/// Bounds of one rank, and the bucket in which the rank lies.
struct ProvenRank {
  Interval bucket;        ///< from the bounds alone; an open end is absent
  double in_bucket = 0;   ///< observations in it (the most possible when layouts differ)
  double below = 0;       ///< observations below it (the least possible when layouts differ)
  Interval interval;      ///< within `bucket`, narrowed by the sums
  bool narrowed = false;  ///< the sums did narrow it, by at least 0.1 % of its width
};

/// A quantile's rank and bounds, with what made them as wide or narrow as they are.
struct ProvenQuantile {
  double observations = 0;
  double rank = 0;  ///< ceil(q n), at least 1; q n itself when counts are fractions
  ProvenRank proof;
  Basis basis;                    ///< kBuckets or kScrapeSums, and links; empty without data
  std::vector<Message> reasons;   ///< repairs, fallbacks, knife edge, open bucket
  std::vector<Message> narrower;  ///< what would narrow it
};

struct ThresholdVerdict {
  /// The truth against the threshold: above it, not above it, or not to be known. Empty without
  /// observations.
  std::optional<Decided> decided;
  CountBounds above;           ///< observations above the threshold
  bool inside_bucket = false;  ///< no bound of some series equals the threshold
  /// The greatest bound at or below and the smallest finite bound at or above it: a threshold there
  /// is decided by counting in every window.
  std::optional<double> decidable_below, decidable_above;
  /// For > and >=: a server's value is never more than the highest finite bound.
  bool can_never_fire = false;
  std::optional<double> top_bound;
};

/// One bucket of the drawing; an open end is +Inf.
struct BucketCount {
  double low = 0, high = 0;
  double count = 0;
};

/// The alert's threshold against the truth.
struct ThresholdExplanation {
  std::string comparison;
  double threshold = 0;
  ThresholdVerdict verdict;
  std::vector<Message> notes;  ///< nearest decidable thresholds, "can never fire", ...
};

struct QuantileExplanation {
  std::string metric;  ///< family
  Labels labels;       ///< what the aggregation keeps; empty when all is one
  double q = 0;
  std::optional<double> shown;  ///< absent for NaN (no data)
  ProvenQuantile proven;
  Measured estimate;
  Interval sampling;                 ///< 95 %, of the process behind the window
  std::vector<BucketCount> buckets;  ///< all, over the window; empty for mixed layouts
  std::vector<Message> reasons;      ///< why the numbers differ or are as wide as they are
  std::optional<ThresholdExplanation> threshold;
};

struct QuantileReport {
  std::vector<QuantileExplanation> rows;  ///< highest `shown` first; never empty
  TimeRange window;                       ///< as asked
  TimeRange seen;                         ///< the scrapes it really spans
  std::vector<Message> warnings;
  std::vector<std::string> queries;
};

/// What one server version's own function gives for the expression, with its `rate`.
struct ServerValue {
  std::string semantics;
  std::optional<double> value;
};

/// What became of one case.
enum class CaseOutcome { kProven, kExcluded, kNotTested };
inline std::string ToString(CaseOutcome outcome) {
  return WordOf(outcome, {"proven", "excluded", "not-tested"});
}

struct ComparedCase {
  int number = 0;  ///< place in the walk, from 1
  std::string id;  ///< "layouts", "labels", "population", "time", "missing-samples", "rate",
                   ///< "repair", "saturation", "sums", "expressions", "premise"
  CaseOutcome outcome = CaseOutcome::kExcluded;
  Message text;  ///< what was checked and found
};

/// The bound at which the fractions are the wrong way round, and what that takes.
struct Witness {
  double bound = 0;
  double part_above = 0;  ///< observations above it
  double whole_above = 0;
  double part_only = 0;   ///< at least so many are in the part's histogram and not in the whole's
  double whole_only = 0;  ///< and the other way round
};

struct Comparison {
  QuantileExplanation part, whole;
  std::optional<double> part_rate, whole_rate;  ///< with the server's rate(), what an alert sees
  bool inverted = false;       ///< the part reads above the whole, by exact increases
  bool rate_inverted = false;  ///< by the server's rate()
  bool rate_repaired = false;  ///< the server said that it made falling counts monotonic
  std::optional<Witness> witness;
  std::vector<ComparedCase> cases;   ///< walked, in order
  Message verdict;                   ///< the proven case, or that there is no inversion
  std::vector<Message> believe;      ///< which number answers which question; never empty
  std::optional<double> same_above;  ///< from this bound on both count the same attempts
  double same_count = 0;             ///< how many
  std::vector<Message> warnings;
  std::vector<std::string> queries;
};

}  // namespace schedlens
