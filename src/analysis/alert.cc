#include "analysis/alert.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/alert_webhook.h"
#include "model/nearest.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kDefaultQuestion =
    "the default question is diagnosed instead: the p99 of the scheduling attempts' duration";

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
    // Of rules with one name (one a severity) the first that is a histogram quantile, or that
    // fires.
    const ServerRule* best = nullptr;
    for (const ServerRule& rule : Get()) {
      if (!rule.alerting || rule.name != name) continue;
      if (best == nullptr || (best->firings.empty() && !rule.firings.empty())) best = &rule;
    }
    return best;
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

/// A metric name and nothing else: as an alert's expression it would make no sense, so it is a
/// name.
bool LooksLikeName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '-' || c == '.' || c == ' ';
  });
}

/// Reads the expression into `alert`. With `strict` a malformed one throws, else it is noted.
void ReadExpression(ResolvedAlert& alert, const std::vector<ServerRule>& rules, bool strict) {
  ExpandedExpression expanded = SeeThroughRecordingRules(alert.expr, rules);
  try {
    alert.expression = promql::ParseAlertExpression(expanded.expr);
  } catch (const Error& error) {
    if (strict) throw;
    alert.notes.push_back(fmt::format("the alert's expression cannot be read ({}): {}",
                                      error.what(), kDefaultQuestion));
    return;
  }
  alert.notes.insert(alert.notes.end(), expanded.notes.begin(), expanded.notes.end());
  if (!alert.expression.is_histogram_quantile) {
    alert.notes.push_back(
        fmt::format("the alert's expression is no histogram quantile: {}", kDefaultQuestion));
  }
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
    alert.notes.push_back(
        fmt::format("recording rules in the expression were not looked up: {}", error.what()));
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
  ReadExpression(alert, rules.Get(), false);
  TakeMoment(alert);
}

ResolvedAlert FromName(const std::string& name, Rules& rules) {
  if (!rules.available()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--alert {}: a name can only be looked up with --prometheus: give the "
                            "alert's expression",
                            name));
  }
  ResolvedAlert alert;
  const ServerRule* rule = rules.Alert(name);
  if (rule == nullptr) {
    const std::string nearest = Nearest(name, rules.AlertNames());
    throw Error(ErrorKind::kUsage,
                fmt::format("--alert {}: the server has no such alerting rule{}", name,
                            nearest.empty() ? "" : fmt::format(": did you mean {}?", nearest)));
  }
  TakeRule(alert, *rule, rules);
  return alert;
}

ResolvedAlert FromExpression(const std::string& expr, Rules& rules) {
  ResolvedAlert alert;
  alert.expr = expr;
  alert.origin = "--alert";
  ReadExpression(alert, RulesFor(expr, rules, alert), true);
  return alert;
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
    alert.notes.push_back(fmt::format(
        "the notification of {} does not say the alert's expression{}: {}",
        chosen.name.empty() ? "an alert without name" : chosen.name,
        rules.available() ? " and the server has no rule of that name" : "", kDefaultQuestion));
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
      alert.notes.push_back(fmt::format("the notification holds {} other alerts", others));
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

/// The firings of one series of ALERTS.
void SplitAtGaps(const Series& series, TimeMs range_end, std::vector<Firing>& firings) {
  if (series.samples.empty()) return;
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    gaps.push_back(series.samples[i].t - series.samples[i - 1].t);
  }
  constexpr TimeMs kDefaultInterval = 60'000;  // one evaluation, when a single sample is there
  TimeMs usual = kDefaultInterval;
  if (!gaps.empty()) {
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<long>(gaps.size() / 2), gaps.end());
    usual = gaps[gaps.size() / 2];
  }
  TimeMs start = series.samples.front().t;
  TimeMs last = start;
  const auto close = [&](TimeMs next) {
    if (next - last <= 3 * usual) return false;
    firings.push_back({series.labels, start, last});
    return true;
  };
  for (const Sample& sample : series.samples) {
    if (close(sample.t)) start = sample.t;
    last = sample.t;
  }
  if (!close(range_end)) firings.push_back({series.labels, start, std::nullopt});
}

}  // namespace

ResolvedAlert ResolveAlert(const AlertRequest& request, const RulesFetcher& fetch) {
  Rules rules(fetch);
  const std::string text = Trimmed(request.alert);
  if (text.empty()) return FromWebhook(request, rules);
  if (LooksLikeLink(text)) return FromLink(text, rules);
  if (LooksLikeName(text)) return FromName(text, rules);
  return FromExpression(text, rules);
}

std::vector<Firing> FindFirings(Source& source, const std::string& name, TimeRange range,
                                const std::string& state) {
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  const std::string promql = fmt::format("ALERTS{{alertname=\"{}\",alertstate=\"{}\"}}[{}]", quoted,
                                         state, FormatDuration(range.end - range.start));
  const Answer answer =
      source.Ask({.promql = promql, .start = range.end, .end = range.end, .step_ms = 0});
  std::vector<Firing> firings;
  for (const Series& series : answer.series) SplitAtGaps(series, range.end, firings);
  std::stable_sort(firings.begin(), firings.end(),
                   [](const Firing& a, const Firing& b) { return a.start < b.start; });
  return firings;
}

std::string WhyNotFired(Source& source, const ResolvedAlert& alert, TimeRange range) {
  if (alert.name.empty() || !FindFirings(source, alert.name, range).empty()) return "";
  const std::vector<Firing> pending = FindFirings(source, alert.name, range, "pending");
  if (pending.empty()) {
    return fmt::format(
        "ALERTS holds no sample of {} from {} on: it did not fire, or nobody keeps its samples",
        alert.name, FormatTime(range.start));
  }
  const Firing& last = pending.back();
  const std::string wait = FormatDuration(alert.for_ms);
  if (!last.end) {
    return fmt::format("{} is pending since {}: the rule (for {}) has not fired yet", alert.name,
                       FormatTime(last.start), wait);
  }
  return fmt::format("{} was pending from {} to {}: the rule (for {}) did not fire", alert.name,
                     FormatTime(last.start), FormatTime(*last.end), wait);
}

}  // namespace schedlens
