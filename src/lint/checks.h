#pragma once

// The checks of one expression, and what they share. Inside the lint layer only.

#include "kube/metrics.h"
#include "lint/lint.h"
#include "promql/ast.h"

namespace schedlens::lint {

using kube::MetricKind;
using kube::MetricRow;
using kube::Presence;
using promql::AggregateOp;
using promql::Aggregation;
using promql::Binary;
using promql::BinaryOp;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::FindNode;
using promql::Function;
using promql::Grouping;
using promql::Matcher;
using promql::MatchOp;
using promql::NodesOf;
using promql::NumberLiteral;
using promql::Selector;
using promql::Subquery;

// --- words, names and kinds of series as rules write them

/// Whether `word` is one of `words`; none is in an empty list.
inline bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether a variable is, or is part of, one of the names.
bool AnyVariable(const std::vector<std::string>& names);

/// The label of a bucket.
inline constexpr char kLe[] = "le";

/// The known word that this one is a slip of: written otherwise (`extensionPoint`), one or two
/// letters off, or another name of the same thing (`verb` for `method`). Empty where none is near:
/// neither negations nor words of fewer than five letters are slips.
std::string MeantWord(const std::string& word, const std::vector<std::string>& known);

enum class SeriesKind { kUnknown, kCounter, kGauge };

/// The metric of a series, of kube-scheduler or of who stands around it; null for any other.
const MetricRow* FindAnyMetric(std::string_view name);

/// Whether the name begins as those of one component alone: kube-scheduler, API server, etcd.
bool TellsItsComponent(std::string_view name);

/// Whether a job is called after another program than the component. What jobs are called is
/// everybody's own choice: these are names that nobody gives to others.
bool NamesAnotherProgram(const std::string& job, kube::Component than);

/// Whether a word of the name (`QueueGrows`, `queue_grows`) begins with one of `a|b|c`.
bool BeginsAWord(std::string name, std::string_view words);

/// Whether the name of a rule or panel, by the beginnings of its words (`QueueGrows`,
/// `queue_depth`), says how much there is; false where it says how that moves, nothing for neither
/// and both.
std::optional<bool> NamesLevel(const std::string& name);

/// BoundsIn of a series; empty too where another program may have the name with its own bounds.
std::vector<double> KnownBounds(std::string_view name, std::optional<int> release);

/// What a series of this name counts, for metrics of kube-scheduler and its control plane: the
/// buckets, sum and count of a histogram are counters. A histogram under its own name (a native
/// one) and names of others are unknown.
SeriesKind KindOfSeries(std::string_view name);

/// A histogram of kube-scheduler under its own name, without _bucket, _sum or _count.
bool IsBareHistogram(std::string_view name);

/// Whether the matchers say that a metric which every client of the API server has
/// (rest_client_...) is another program's than a component of Kubernetes: operators have labels and
/// buckets of their own under the same names. Judged by what names a target (job, service, pod,
/// ...), none of it holding the name of a component. False for names that tell their component,
/// where nothing names a target, and for values with a variable.
bool IsOfAnotherProgram(const Selector& selector);

/// Whether nothing but its name chooses the series.
bool HasOnlyName(const Selector& selector);
/// The matcher `name="..."`; null without.
const Matcher* Chosen(const Selector& selector, std::string_view name);
/// Whether a matcher of `job`, whatever its operator, holds the word.
bool HasJobOf(const Selector& selector, std::string_view word);
/// "1.24".
std::string ReleaseName(int minor);
/// Gives a selector another metric, in its name and in the matcher of it.
void RenameSelector(Selector& selector, const std::string& name);

/// `rate(x[5m])`, as text and as a tree. `ranged` has the range.
std::string CallText(std::string_view function, const Selector& ranged);
ExprPtr CallOf(std::string_view function, const Selector& ranged);

/// What a metric is called in the user's own rule, where fixing has renamed it before other checks
/// speak of it.
class NamesAsWritten {
 public:
  NamesAsWritten() = default;
  /// Of an expression as it was given.
  explicit NamesAsWritten(const Expr& tree);

  /// Takes note that fixing calls `before` `after` from now on: a series, and the metric with it.
  void Renamed(const std::string& before, const std::string& after);
  /// Takes note that a histogram of the expression may have become one of its series.
  void AddSeries();
  /// The message with every metric named as the expression has it. A name that the expression has
  /// itself stays.
  Message In(Message message) const;

 private:
  void Add(const std::string& before, const std::string& after);

  std::set<std::string> own_;
  std::map<std::string, std::string> written_;
};

/// Takes what one check found: an id of LintChecks(), the sentence, and what to write instead.
using LintNote =
    std::function<void(const std::string& id, const Message& message, const Message& fix)>;

/// A text about one metric.
inline Message About(const char* id, std::string_view metric) {
  return Message(id, {{"metric", arg::Metric(metric)}});
}

/// An expression to write instead.
inline Message WriteInstead(std::string_view promql) {
  return Message("lint.write", {{"promql", arg::Promql(promql)}});
}

// --- whether the metrics of an expression exist, by the release

/// How an expression uses the metrics in it.
struct MetricUse {
  std::set<std::string> absent;  ///< names that stand in absent() and nowhere else
  /// Names of which another one is asked where they have no series (`a or b`), for a rule that
  /// serves several releases.
  std::set<std::string> with_another;
  /// Histograms asked for by their bare name where any of their series may be meant.
  std::set<std::string> unclear;
  /// Something that is gone has nothing in its place: then all that is gone stays as it is.
  bool beyond_fixing = false;
};
/// `recorded`: as of FixBareHistograms.
MetricUse UseOfMetrics(const Expr& tree, const LintOptions& options, bool recorded);

/// Whether an expression asks for a metric that some release of kube-scheduler itself has, or names
/// a job that is called after it.
bool NamesSchedulersMetric(const Expr& tree);

/// Notes a metric that the release has not, hides, or never had; without a release one that some
/// release lacks. Of etcd and kube-state-metrics, whose releases are their own, no metric is
/// judged. A name that begins like the scheduler's and is near none of its metrics may be
/// another program's: that is a note. Renames the selector where a successor has the same buckets,
/// and where the name is a slip of the pen.
void FixPresence(Selector& selector, const MetricUse& use, const LintOptions& options,
                 const LintNote& note);

/// Notes each histogram of kube-scheduler that is asked for by its bare name, once an expression: a
/// server that keeps the buckets as series has nothing of that name. "native-histogram" where only
/// a native one makes sense, else "bare-histogram", fixed where one series is meant: the buckets
/// where the expression groups by `le`, the count below a sum. Not of histograms that the server is
/// seen to keep as native ones, nor where another metric answers (`a or b`). `recorded`: a
/// recording rule or a panel, which may keep a native histogram for others to read.
ExprPtr FixBareHistograms(const ExprPtr& tree, const MetricUse& use, const LintOptions& options,
                          bool recorded, const LintNote& note);

// --- labels and label values that kube-scheduler's metrics do not have

/// Judges the matchers of a selector by the labels and values that its metric has in the release
/// (in any, without one), and an `le` by the bounds of its buckets. Slips are fixed; `le` only
/// when thresholds may be moved. Not judged: labels that a scrape can have added, values with a
/// variable. A target that is another component than kube-scheduler is noted, and of whosever
/// buckets an `le` without a point (`le="1"`), which Prometheus 3 calls "1.0".
void FixMatchers(Selector& selector, const LintOptions& options, const LintNote& note);

/// Judges the labels an aggregation groups by: one that none of the metrics below it has makes no
/// groups. Only where all of them are kube-scheduler's.
void FixGrouping(Aggregation& aggregation, const LintOptions& options, const LintNote& note);

// --- quantiles: averaged ones, their buckets, thresholds they are compared with

/// Recorded names with the expressions of their rules, each once.
using RecordedRules = std::map<std::string, std::vector<ExprPtr>>;
/// Rules that do not parse are left out.
RecordedRules FindRecordedRules(const std::vector<LintRule>& rules);

/// When the node averages quantiles it notes "averaged-quantiles" and becomes the quantile of the
/// added buckets: the same labels over series, the longer range over time. A recorded name with
/// matchers of its own is noted and left. The worst one (max, min) of several quantiles is theirs.
void FixAveragedQuantiles(Expr& node, const RecordedRules& recorded, const LintNote& note);

/// Judges and fixes what stands in a histogram_quantile of two arguments: its rank, buckets without
/// a rate (which get one over `window_ms`), what leaves buckets out or mixes those of several
/// series, a grouping that loses `le`, and one that mixes results.
void FixQuantileCall(Call& call, const LintOptions& options, std::int64_t window_ms,
                     const LintNote& note);

/// Judges the number that a histogram quantile, also a recorded one, is compared with by the bounds
/// of its metric in that release: inside a bucket, or over the top one. The tree with the nearest
/// bound instead; as given where there is nothing to say, and for a metric that is none of the
/// scheduler's, API server's or etcd's.
ExprPtr FixThreshold(const ExprPtr& tree, const RecordedRules& recorded, std::optional<int> release,
                     const LintNote& note);

// --- counters read as gauges, gauges as counters, sums before the rate, counts and ratios

/// A call of rate() and its kin on a gauge becomes what the rule or panel is called after, the
/// gauge itself (depth) or delta() or deriv() (growth), or changes(); one of delta(), idelta() or
/// deriv() on a counter increase() or rate(). Other nodes stay, and what is not known to be meant.
/// changes() is put in `whole` only where it is held to no number but 0.
void FixRangeFunction(Expr& node, const Expr& whole, const std::string& rule, const LintNote& note);

/// Notes the average or quantile of means, `avg(rate(x_sum[5m]) / rate(x_count[5m]))`: an average
/// becomes the mean of all.
void FixMeans(Expr& node, const LintNote& note);

/// `rate(sum(x)[5m:])` becomes `sum(rate(x[5m]))`, also where a recording rule holds the sum: the
/// restart of one process is a fall of the sum, and rate() takes it for a reset of all.
void FixSumBeforeRate(Expr& node, const RecordedRules& recorded, const LintNote& note);

/// Notes a mean whose sum and count are of different observations: by matchers of labels that are
/// added up, or by their ranges.
void JudgeMean(const Expr& node, const LintNote& note);

/// A counter of kube-scheduler or its control plane that is compared with a number, or whose
/// quantile is taken, gets its rate() in a ratio of two, else its increase(), over `window_ms`. `==
/// 0` and a counter minus what it was are meant as they stand. So is a counter that a rule records
/// as it is; a sum or a ratio of them is not, and gets what the `recorded` name says (empty of no
/// recording rule).
ExprPtr FixRawCounters(const ExprPtr& tree, std::int64_t window_ms, const std::string& recorded,
                       const LintNote& note);

/// An alert on a rate of the scheduler that is 0 or too low, replica by replica: standby replicas
/// schedule nothing. Fixed by adding up the replicas first, where the rate stands as it is.
ExprPtr FixOnStandby(const ExprPtr& tree, const LintNote& note);

/// Notes a comparison that asks whether the count of a scheduler's series is 0 (`== 0`, `< 1`),
/// which never holds: the count of no series is no series. Fixed with absent() where nothing is
/// grouped. Counts of others' series are left alone.
void FixCountOfNothing(Expr& node, const LintNote& note);

/// `rate(x{result="error"}[5m]) / rate(x[5m])`: vector matching pairs each series with itself.
/// Fixed by adding up without the labels that only the left side chooses.
void FixSelfRatio(Expr& node, const LintNote& note);

/// A sum of the pods that plugins rejected over these plugins.
void JudgePerPlugin(const Expr& node, const LintNote& note);

// --- of whom a rule speaks, and how long its alert has to hold

/// Notes an alert whose `for` is shorter than two evaluations of its group. Groups without an
/// interval of their own take the server's, which is not known here.
void JudgeFor(const LintRule& rule, const LintNote& note);

/// Notes an alert that adds up a metric which other components have as well, without a matcher that
/// chooses some of them and without a grouping that tells them apart.
void JudgeJobs(const LintRule& rule, const Expr& tree, const LintNote& note);

/// Whether some rule groups metrics of kube-scheduler by `cluster`: the server holds several.
bool AreOfSeveralClusters(const std::vector<ExprPtr>& rules);

/// Notes a sum over metrics of kube-scheduler that puts several clusters into one, and keeps
/// `cluster` in it where that cannot disturb the matching of two sides.
ExprPtr FixClusters(const ExprPtr& tree, const LintNote& note);

// --- Grafana's variables in the queries of a dashboard: `$cluster`, `${cluster:regex}`,
// `[[cluster]]`, `$__rate_interval`. PromQL has none: each becomes what may stand in its place.

/// A query that parses, and what was put in place of its variables. Variables inside of strings
/// stay: strings hold anything.
struct PlacedVariables {
  std::string expr;
  /// The text in place of a variable, the variable as written.
  std::vector<std::pair<std::string, std::string>> replaced;
};

/// Where a name and a number may both stand (`$x > 3`, `f($x)`) a variable counts as a number when
/// `as_numbers`, else as a name.
PlacedVariables PlaceVariables(std::string_view expr, bool as_numbers);

/// The text with the variables back in it; `$__rate_interval` too where lint put one.
std::string WithVariables(std::string text, const PlacedVariables& placed);
Message WithVariables(Message message, const PlacedVariables& placed);

/// The range that stands for `$__rate_interval`, whatever it is called.
constexpr std::int64_t kRateIntervalMs = 300001;

bool IsVariableRange(std::int64_t ms);
/// `$__interval`: the width of a pixel, which may hold no two scrapes.
bool IsPlainInterval(std::int64_t ms);
/// A label or metric name that is a variable, or holds one.
bool HoldsVariable(std::string_view name);
/// Whether a label's value or a pattern holds a variable.
bool HoldsVariableText(std::string_view value);
/// A number that stands for a variable.
bool IsVariableNumber(double value);

/// Whether an expression that is no PromQL is LogQL: behind the braces of its selector stands a
/// filter of lines or a pipe.
bool IsLogQl(std::string_view expression);

}  // namespace schedlens::lint
