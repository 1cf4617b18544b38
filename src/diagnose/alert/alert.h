#pragma once

// From what the user holds of an alert (its name, its expression, a link, a webhook's JSON) to what
// it asks, of which schedulers, and which alerts fire.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/series.h"
#include "base/source.h"
#include "diagnose/alert/rules.h"
#include "promql/alert_expression.h"

namespace schedlens {

// Which schedulers an alert is about, from its own words.

/// The matchers as written, without braces.
std::string MatchersText(const std::vector<promql::Matcher>& matchers);

/// The expression's matchers that tell schedulers apart: those of what is measured (`le`, `result`,
/// ...) are not among them.
std::vector<promql::Matcher> TargetMatchers(const promql::AlertExpression& alert);

/// Of the labels that the alert's firings have in common those that tell schedulers apart: cluster,
/// job, instance, pod, and what the expression's `by (...)` keeps.
std::vector<promql::Matcher> FiringMatchers(const promql::AlertExpression& alert,
                                            const Labels& firing);

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

// Whether what stands for an alert is its name or its expression, where it could be both.

/// Words and nothing else. A metric's name alone makes no alert, so it is taken for a name at
/// first.
bool LooksLikeName(const std::string& text);

/// Whether a text that looks like a name, and that no rule has, is an expression: a number, the
/// name of one of the scheduler's metrics, or several words that are read as one here or, where
/// given, by `answered`, which asks the server.
bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered);

// From what the user holds of an alert (its name, its expression, a link, a webhook's JSON) to what
// it asks.

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
