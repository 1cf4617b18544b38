#include "diagnose/alert/alert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "diagnose/alert/target.h"
#include "diagnose/alert/webhook.h"
#include "promql/metricsql.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// The rules, fetched once and only when somebody asks.
class Rules {
 public:
  explicit Rules(const RulesFetcher& fetch) : fetch_(fetch) {}
  bool available() const { return static_cast<bool>(fetch_); }
  const std::vector<ServerRule>& Get() {
    if (!rules_) rules_ = fetch_ ? ReadRules(fetch_()) : std::vector<ServerRule>{};
    return *rules_;
  }
  const ServerRule* Alert(const std::string& name) {
    // Of rules with one name (one a severity) the first that fires, else the first that is a
    // histogram quantile.
    const auto score = [](const ServerRule& rule) {
      const bool quantile = rule.expr.find("histogram_quantile") != std::string::npos;
      return int{!rule.firings.empty()} * 2 + int{quantile};
    };
    const ServerRule* best = nullptr;
    for (const ServerRule& rule : Get()) {
      if (!rule.alerting || rule.name != name) continue;
      if (best == nullptr || score(rule) > score(*best)) best = &rule;
    }
    return best;
  }
  /// How many rules of the kind have the name.
  std::int64_t Count(const std::string& name, bool alerting) {
    const auto& all = Get();
    return std::count_if(all.begin(), all.end(), [&](const ServerRule& rule) {
      return rule.alerting == alerting && rule.name == name;
    });
  }
  std::vector<std::string> AlertNames() {
    std::vector<std::string> names;
    for (const ServerRule& rule : Get()) {
      if (rule.alerting) names.push_back(rule.name);
    }
    return names;
  }

 private:
  const RulesFetcher& fetch_;
  std::optional<std::vector<ServerRule>> rules_;
};

bool LooksLikeLink(const std::string& text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

/// Throws for what a dashboard would have replaced: `$__rate_interval`, `${job}`.
void RefuseVariables(const std::string& expr) {
  for (std::size_t at = expr.find('$'); at != std::string::npos; at = expr.find('$', at + 1)) {
    const bool braced = expr.compare(at + 1, 1, "{") == 0;
    std::size_t end = at + 1 + (braced ? 1 : 0);
    const std::size_t begin = end;
    while (end < expr.size() &&
           (std::isalnum(static_cast<unsigned char>(expr[end])) != 0 || expr[end] == '_')) {
      ++end;
    }
    if (end == begin) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--alert: {} is a variable of a dashboard: write what it stands for, "
                            "such as 5m for $__rate_interval",
                            expr.substr(at, end - at + (braced ? 1 : 0))));
  }
}

/// Reads the expression into `alert`. With `strict` a malformed one throws, else it is noted.
void ReadExpression(ResolvedAlert& alert, const std::vector<ServerRule>& rules, bool strict) {
  ExpandedExpression expanded;
  try {
    RefuseVariables(alert.expr);
    expanded = SeeThroughRecordingRules(promql::WrittenOut(alert.expr), rules);
    alert.expression = promql::ParseAlertExpression(expanded.expr);
  } catch (const Error& error) {
    if (strict) throw;
    alert.notes.push_back(Message("alert.unreadable", {{"error", error.what()}}));
    return;
  }
  alert.notes.insert(alert.notes.end(), expanded.notes.begin(), expanded.notes.end());
}

/// Recorded series have a colon in their name by convention; only then rules are worth fetching
/// for an expression that is there already. A quantile of `_bucket` series needs none.
bool MayBeRecorded(const std::string& expr) {
  try {
    const auto parsed = promql::ParseAlertExpression(expr);
    return !parsed.is_histogram_quantile || expr.find(':') != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

std::vector<ServerRule> RulesFor(const std::string& expr, Rules& rules, ResolvedAlert& alert) {
  if (!rules.available() || !MayBeRecorded(expr)) return {};
  try {
    return rules.Get();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
    alert.notes.push_back(Message("alert.rules_unread", {{"error", error.what()}}));
    return {};
  }
}

void TakeMoment(ResolvedAlert& alert) {
  if (alert.firings.empty()) return;
  const auto last =
      std::max_element(alert.firings.begin(), alert.firings.end(),
                       [](const auto& a, const auto& b) { return a.start < b.start; });
  alert.at = last->start;
}

void TakeRule(ResolvedAlert& alert, const ServerRule& rule, Rules& rules) {
  alert.name = rule.name;
  alert.expr = rule.expr;
  alert.for_ms = rule.for_ms;
  alert.labels = rule.labels;
  alert.firings = rule.firings;
  alert.origin = fmt::format("the rule {} of group {}", rule.name, rule.group);
  if (const auto count = rules.Count(rule.name, true); count > 1) {
    alert.notes.push_back(
        Message("alert.same_name", {{"count", arg::Count(static_cast<double>(count))},
                                    {"alert", rule.name},
                                    {"group", rule.group}}));
  }
  ReadExpression(alert, rules.Get(), false);
  TakeMoment(alert);
}

ResolvedAlert FromExpression(const std::string& expr, Rules& rules, bool strict = true) {
  ResolvedAlert alert;
  alert.expr = expr;
  alert.origin = "--alert";
  ReadExpression(alert, RulesFor(expr, rules, alert), strict);
  return alert;
}

ResolvedAlert FromName(const std::string& name, Rules& rules) {
  if (!rules.available()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--alert {:.200}: a name can only be looked up with --prometheus, or in a "
                    "capture made with --alert of it: give the alert's expression",
                    name));
  }
  ResolvedAlert alert;
  const ServerRule* rule = rules.Alert(name);
  if (rule == nullptr && rules.Count(name, false) > 0) return FromExpression(name, rules);
  if (rule == nullptr) {
    if (rules.Get().empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--alert {:.200}: the server has no rules at all: give the alert's "
                              "expression",
                              name));
    }
    const std::string nearest = Nearest(name, rules.AlertNames());
    throw Error(ErrorKind::kUsage,
                fmt::format("--alert {:.200}: the server has no such alerting rule{}", name,
                            nearest.empty() ? "" : fmt::format(": did you mean {}?", nearest)));
  }
  TakeRule(alert, *rule, rules);
  return alert;
}

bool NamesARule(const std::string& text, Rules& rules) {
  try {
    return rules.Alert(text) != nullptr;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
    return false;
  }
}

/// A name may be any text: what is no expression is one where a rule has it.
ResolvedAlert FromNameOrExpression(const AlertRequest& request, const std::string& text,
                                   Rules& rules) {
  if (LooksLikeName(text)) {
    const bool named = rules.available() && NamesARule(text, rules);
    return !named && ReadsAsExpression(text, request.answered) ? FromExpression(text, rules, false)
                                                               : FromName(text, rules);
  }
  try {
    return FromExpression(text, rules);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    if (!NamesARule(text, rules)) {
      if (!request.answered || !request.answered(text)) throw;
      return FromExpression(text, rules, false);
    }
  }
  return FromName(text, rules);
}

ResolvedAlert FromLink(const std::string& url, Rules& rules) {
  const auto linked = ReadGraphUrl(url);
  if (!linked) {
    throw Error(ErrorKind::kUsage,
                "--alert URL: the link holds no expression (g0.expr, left or panes): give the "
                "alert's name or expression");
  }
  ResolvedAlert alert;
  alert.expr = linked->expr;
  alert.at = linked->at;
  alert.origin = "the link";
  ReadExpression(alert, RulesFor(alert.expr, rules, alert), true);
  return alert;
}

/// Of several alerts in one notification: one about the scheduler, firing, before others.
const WebhookAlert& MostTelling(const std::vector<WebhookAlert>& alerts) {
  const auto score = [](const WebhookAlert& alert) {
    const auto linked = ReadGraphUrl(alert.url);
    const bool scheduler = (linked && linked->expr.find("scheduler_") != std::string::npos) ||
                           alert.name.find("chedul") != std::string::npos;
    const bool quantile = linked && linked->expr.find("histogram_quantile") != std::string::npos;
    return int{scheduler} * 4 + int{quantile} * 2 + int{alert.firing};
  };
  return *std::max_element(alerts.begin(), alerts.end(),
                           [&](const auto& a, const auto& b) { return score(a) < score(b); });
}

ResolvedAlert FromWebhook(const AlertRequest& request, Rules& rules) {
  const std::vector<WebhookAlert> alerts = ReadWebhook(request.webhook, request.webhook_name);
  const WebhookAlert& chosen = MostTelling(alerts);
  ResolvedAlert alert;
  if (const auto linked = ReadGraphUrl(chosen.url)) {
    alert.expr = linked->expr;
    ReadExpression(alert, RulesFor(alert.expr, rules, alert), false);
  } else if (const ServerRule* rule = rules.available() ? rules.Alert(chosen.name) : nullptr) {
    TakeRule(alert, *rule, rules);
  } else {
    alert.notes.push_back(Message(
        rules.available() ? "alert.notification.no_rule" : "alert.notification",
        {{"alert", chosen.name.empty() ? Value(Message("alert.nameless")) : Value(chosen.name)}}));
  }
  alert.name = chosen.name;
  alert.labels = chosen.labels;
  alert.origin = fmt::format("the webhook {}", request.webhook_name);
  alert.firings.clear();
  for (const WebhookAlert& one : alerts) {
    if (one.name == chosen.name && one.start) {
      alert.firings.push_back({one.labels, *one.start, one.end});
    }
  }
  if (alerts.size() > 1) {
    const auto others = std::count_if(alerts.begin(), alerts.end(),
                                      [&](const auto& one) { return one.name != chosen.name; });
    if (others > 0) {
      alert.notes.push_back(
          Message("alert.others", {{"count", arg::Count(static_cast<double>(others))}}));
    }
  }
  TakeMoment(alert);
  return alert;
}

std::string Trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

ResolvedAlert ResolveAlert(const AlertRequest& request, const RulesFetcher& fetch) {
  Rules rules(fetch);
  const std::string text = Trimmed(request.alert);
  if (text.empty()) return FromWebhook(request, rules);
  if (request.is_name) return FromName(request.alert, rules);
  if (LooksLikeLink(text)) return FromLink(text, rules);
  return FromNameOrExpression(request, text, rules);
}

}  // namespace schedlens
