#pragma once

// From what the user holds of an alert (its name, its expression, a link, a webhook's JSON) to what
// it asks, of which schedulers, and which alerts fire.

#include "diagnose/collect/facts.h"
#include "promql/alert_expression.h"

namespace schedlens {

// What Alertmanager and Grafana post and link to.

struct WebhookAlert {
  std::string name;  ///< label alertname
  Labels labels;
  bool firing = false;
  std::optional<TimeMs> start;
  std::optional<TimeMs> end;  ///< absent while it fires (0001-01-01 in the text)
  std::string url;            ///< generatorURL
  std::string fingerprint;    ///< as posted; without one the labels' text
};

/// Reads the posted JSON, or a single alert out of it, or a plain list of alerts. Throws
/// Error(kFailed) naming `name` (the file) when it is no JSON or holds no alert.
std::vector<WebhookAlert> ReadWebhook(std::string_view json, const std::string& name);

struct LinkedExpression {
  std::string expr;
  std::optional<TimeMs> at;  ///< the moment or the end of the period that is shown
  /// Where its HTTP API answers: the link's own server, or Grafana's proxy of the data source.
  /// Empty where the link does not tell.
  std::string server;
};

/// The expression in a link to a graph of Prometheus, Thanos or VictoriaMetrics (`g0.expr`), or of
/// Grafana's Explore (`left`, `panes`). Nothing when the link has none, as Grafana's alert links,
/// and for a link over 64 KiB.
std::optional<LinkedExpression> ReadGraphUrl(std::string_view url);

// The page of an alert rule in Grafana: a notification links to it, and its address holds no
// expression, only where to ask for one.

struct GrafanaRulePage {
  std::string grafana;     ///< what stands before the page's path
  std::string uid;         ///< of a rule that Grafana evaluates; else empty
  std::string datasource;  ///< name of the data source that evaluates the rule; else empty
  std::string name;        ///< the rule's, where a data source evaluates it
};

/// `/alerting/grafana/UID/view` (or /edit), and `/alerting/DATASOURCE/ID/view` with the rule's name
/// in the ID. Nothing for any other address.
std::optional<GrafanaRulePage> ReadRulePage(std::string_view url);

/// What a rule of Grafana asks: its query and threshold as one expression in PromQL.
struct GrafanaRule {
  std::string expr;            ///< with its comparison, where the condition is one
  std::string datasource_uid;  ///< whose API answers the query
};

/// Reads `/api/v1/provisioning/alert-rules/UID`. The condition's expressions (threshold, classic
/// condition, `$A > 3`) are followed to the query that they rest on. Throws Error(kFailed) where
/// it is no such rule, or rests on no query in PromQL.
GrafanaRule ReadGrafanaRule(std::string_view json);

/// The uid in what `/api/datasources/name/NAME` answers. Throws Error(kFailed) without one.
std::string ReadDatasourceUid(std::string_view json);

// Alerting and recording rules as `/api/v1/rules` lists them, and expressions with the recording
// rules in them replaced by what they record.

/// One period during which an instance of an alert fired.
struct Firing {
  Labels labels;
  TimeMs start = 0;           ///< when it began to fire, `for` included
  std::optional<TimeMs> end;  ///< absent: still firing
  bool operator==(const Firing&) const = default;
};

struct ServerRule {
  bool alerting = false;  ///< else recording
  std::string name, expr;
  std::string group;
  Labels labels;
  std::int64_t for_ms = 0;
  std::vector<Firing> firings;  ///< instances that fire now
};

/// Reads the API's answer. Throws Error(kFailed) when it is no list of rules; rules of a kind that
/// is not known are left out.
std::vector<ServerRule> ReadRules(std::string_view json);

/// What an alert of one name needs of a server's rules.
struct RulesOfAlert {
  /// A list of rules that ReadRules reads, on one line: the alert's own rules, and the recording
  /// rules that they stand on. Empty where no alerting rule has the name.
  std::string json;
  std::string expr;                   ///< of the alert's first rule; may be empty
  std::vector<std::string> recorded;  ///< names of those recording rules
};

/// Picks them from the API's answer. Annotations and states of evaluation are left out. Throws what
/// ReadRules throws.
RulesOfAlert PickRules(std::string_view json, const std::string& alert);

struct ExpandedExpression {
  std::string expr;
  std::vector<Message> notes;
};

/// Replaces each selector of a recorded metric by the rule's expression in parentheses, again and
/// again (at most ten deep), so that the histogram behind it shows. Of several rules of one name
/// the one whose labels agree with the selector's equality matchers counts; several that agree, an
/// offset or a range on the selector leave it as it is, with a note. An expression that does not
/// parse comes back unchanged with a note.
ExpandedExpression SeeThroughRecordingRules(const std::string& expr,
                                            const std::vector<ServerRule>& rules);

/// The matchers as written, without braces.
std::string MatchersText(const std::vector<promql::Matcher>& matchers);

/// The expression's matchers that tell schedulers apart: those of what is measured (`le`, `result`,
/// ...) are not among them, and of another program's metric only those of the cluster.
std::vector<promql::Matcher> TargetMatchers(const promql::AlertExpression& alert);

/// Of the labels that the alert's firings have in common those that tell schedulers apart: cluster,
/// job, instance, pod, and what the expression's `by (...)` keeps.
std::vector<promql::Matcher> FiringMatchers(const promql::AlertExpression& alert,
                                            const Labels& firing);

/// Whether the expression reads anything of schedulers, API servers, etcd, or of pods that wait;
/// `up` where its job, and the one that its firings have in common, is that of a target or of one
/// of these. So is a metric without a plain name.
bool IsAboutControlPlane(const promql::Expr& expr, const Facts& facts, const Labels& firing);

/// `selector` (matchers without braces) and all of `more` that it does not hold yet. Throws
/// Error(kUsage) where it is no list of matchers.
std::string JoinedSelector(const std::string& selector, const std::vector<promql::Matcher>& more);

/// The expression for the schedulers of `selector` only: its matchers are added to every selector
/// of a metric that a scheduler's process exposes. Word for word the same where none is missing.
std::string NarrowedExpression(const std::string& expr, const std::string& selector);

/// The expression without those matchers that tell schedulers apart by a label that is not `known`.
std::string WithoutUnknownTargets(const std::string& expr, const std::set<std::string>& known);

/// The expression with every range, but those of subqueries, of this length.
std::string WithRange(const std::string& expr, std::int64_t range_ms);

/// Words and nothing else. A metric's name alone makes no alert, so it is taken for a name at
/// first.
bool LooksLikeName(const std::string& text);

/// Whether a text that looks like a name, and that no rule has, is an expression: a number, the
/// name of one of the scheduler's metrics, or several words that are read as one here or, where
/// given, by `answered`, which asks the server.
bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered);

struct AlertRequest {
  std::string alert;         ///< `--alert`: name, expression or link; or empty
  std::string webhook;       ///< JSON text of `--webhook`; or empty
  std::string webhook_name;  ///< its file, for messages
  bool is_name = false;      ///< `alert` is a name, whatever it looks like
  /// Whether the source answers an expression. Then one that cannot be read here is noted, and no
  /// error. Empty where nobody but us evaluates.
  std::function<bool(const std::string& expr)> answered{};
};

struct ResolvedAlert {
  std::string name;  ///< empty for a bare expression
  std::string expr;  ///< as its author wrote it; empty when only a name is known
  /// What the expression asks, recording rules replaced by what they record. Its `expr` is the text
  /// after replacement, and empty when it is unknown or cannot be read (the notes say so): then the
  /// default question counts.
  promql::AlertExpression expression;
  Labels labels;            ///< of the rule, or of the alert that was posted
  std::int64_t for_ms = 0;  ///< pending time before it fires
  std::vector<Firing> firings;
  std::optional<TimeMs> at;  ///< the moment it is about, where known: start of the last firing
  std::string origin;        ///< "the rule X of group Y", "--alert", "the webhook F", "the link"
  std::vector<Message> notes;
};

/// `/api/v1/rules` as text, or empty for a source that has no rules.
using RulesFetcher = std::function<std::string()>;

/// Throws Error(kUsage) for a name that no rule has (with the nearest one), for a name where there
/// are no rules to look it up, for an expression that is malformed, for a link without expression;
/// what ReadWebhook and `rules` throw. `rules` is called only when a name must be looked up or an
/// expression may stand for recorded series; what does not parse may be a name.
ResolvedAlert ResolveAlert(const AlertRequest& request, const RulesFetcher& rules);

/// When the alert of this name fired (or was in another `state`) within the range, by the samples
/// of `ALERTS`: a gap of more than three times the usual distance of its samples ends a firing.
std::vector<Firing> FindFirings(Source& source, const std::string& name, TimeRange range,
                                const std::string& state = "firing");

/// Why ALERTS holds no firing of a named alert within the range: it is or was pending, since when,
/// or there is no sample at all. Empty when it fired, or when the alert has no name.
Message WhyNotFired(Source& source, const ResolvedAlert& alert, TimeRange range);

// Which alerts about schedulers fire, where nobody said which one is meant.

/// Names of the alerting rules that read a scheduler's own metrics, through recording rules too,
/// and fired within the range by the samples of `ALERTS`: worst first. A critical one (or a page)
/// is worse than a warning, by the label `severity`; of equals a histogram quantile comes first,
/// which says most. `rules` is called only when something fires. Empty where nothing does, and
/// where the source does not tell: throws Error(kInterrupted) and Error(kTimeout) alone.
std::vector<std::string> FiringAlerts(Source& source, const RulesFetcher& rules,
                                      const TimeRange& range);

/// The rule of the first of `names`, with a note that it was taken and instead of which others.
/// Throws what ResolveAlert throws.
ResolvedAlert TakeWorst(const std::vector<std::string>& names, const RulesFetcher& rules);

/// The name that TakeWorst noted among `notes`; empty where it took none.
std::string TakenAlert(const std::vector<Message>& notes);

}  // namespace schedlens
