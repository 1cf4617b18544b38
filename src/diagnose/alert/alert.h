#pragma once

// From what the user holds of an alert (its name, its expression, a link, a webhook's JSON) to what
// it asks.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "diagnose/alert/rules.h"
#include "promql/alert_expression.h"

namespace schedlens {

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

}  // namespace schedlens
