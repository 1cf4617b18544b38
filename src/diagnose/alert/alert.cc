#include "diagnose/alert/alert.h"

#include <re2/re2.h>

#include <cctype>

#include "base/suggestion.h"
#include "kube/metrics.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

/// What a kube-scheduler's own process exposes; other metrics have other labels.
constexpr std::string_view kPrefixes[] = {"scheduler_", "rest_client_", "process_",
                                          "workqueue_", "go_",          "leader_election_"};

bool IsMeasurement(std::string_view label) {
  const std::vector<std::string>& labels = MeasurementLabels();
  return std::ranges::find(labels, label) != labels.end();
}

bool IsOfScheduler(std::string_view metric) {
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return metric.starts_with(prefix); });
}

/// Whether the label tells schedulers apart: of what another program exposes only what a
/// scheduler's series can have in common with it.
bool TellsSchedulers(const promql::AlertExpression& alert, std::string_view label) {
  constexpr std::string_view kShared[] = {"cluster", "region", "tenant", "environment", "env"};
  constexpr std::string_view kMeasured[] = {"code", "method", "host",    "name",
                                            "type", "phase",  "resource"};
  const bool measured = std::ranges::find(kMeasured, label) != std::end(kMeasured);
  if (measured || IsMeasurement(label)) return false;
  const bool own = alert.family.empty() || IsOfScheduler(alert.family);
  return own || std::ranges::find(kShared, label) != std::end(kShared);
}

bool Holds(const std::vector<promql::Matcher>& matchers, const promql::Matcher& one) {
  return std::ranges::find(matchers, one) != matchers.end();
}

std::vector<promql::Matcher> MatchersOf(const std::string& selector) {
  auto matchers = promql::ParseMatchers(selector);
  if (!matchers) {
    Raise(ErrorKind::kUsage, "{} is not a list of matchers such as job=\"scheduler\"", selector);
  }
  return *std::move(matchers);
}

/// The expression with each selector that `change` changes, which says whether it did.
template <typename Change>
std::string WithSelectors(const std::string& expr, const Change& change) {
  bool changed = false;
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expr), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector != nullptr && change(*selector)) changed = true;
  });
  return changed ? promql::ToString(*tree) : expr;
}

bool IsNumber(const promql::Expr& expr) {
  const auto* unary = expr.As<promql::Unary>();
  return (unary != nullptr ? *unary->expr : expr).As<promql::NumberLiteral>() != nullptr;
}

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
  std::int64_t Count(const std::string& name, bool alerting) {
    const auto& all = Get();
    return std::ranges::count_if(all, [&](const ServerRule& rule) {
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

/// Throws for what a dashboard would have replaced: `$__rate_interval`, `${job}`.
void RefuseVariables(const std::string& expr) {
  static const RE2 kVariable(R"((?s)(\$(?:\{\w+.?|\w+)))", RE2::Latin1);
  std::string variable;
  if (!RE2::PartialMatch(expr, kVariable, &variable)) return;
  Raise(ErrorKind::kUsage,
        "--alert: {} is a variable of a dashboard: write what it stands for, such as 5m for "
        "$__rate_interval",
        variable);
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
  alert.at = std::ranges::max_element(alert.firings, {}, &Firing::start)->start;
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
    Raise(ErrorKind::kUsage,
          "--alert {:.200}: a name can only be looked up with --prometheus, or in a capture made "
          "with --alert of it: give the alert's expression",
          name);
  }
  ResolvedAlert alert;
  const ServerRule* rule = rules.Alert(name);
  if (rule == nullptr && rules.Count(name, false) > 0) return FromExpression(name, rules);
  if (rule == nullptr) {
    if (rules.Get().empty()) {
      Raise(ErrorKind::kUsage,
            "--alert {:.200}: the server has no rules at all: give the alert's expression", name);
    }
    Raise(ErrorKind::kUsage, "--alert {:.200}: the server has no such alerting rule{}", name,
          Suggestion(name, rules.AlertNames()));
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
  ResolvedAlert alert = FromExpression(linked->expr, rules);
  alert.at = linked->at;
  alert.origin = "the link";
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
  return *std::ranges::max_element(alerts, {}, score);
}

ResolvedAlert FromWebhook(const AlertRequest& request, Rules& rules) {
  const std::vector<WebhookAlert> alerts = ReadWebhook(request.webhook, request.webhook_name);
  const WebhookAlert& chosen = MostTelling(alerts);
  ResolvedAlert alert;
  if (const auto linked = ReadGraphUrl(chosen.url)) {
    alert = FromExpression(linked->expr, rules, false);
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
    const auto others =
        std::ranges::count_if(alerts, [&](const auto& one) { return one.name != chosen.name; });
    if (others > 0) {
      alert.notes.push_back(
          Message("alert.others", {{"count", arg::Count(static_cast<double>(others))}}));
    }
  }
  TakeMoment(alert);
  return alert;
}

/// How bad a rule calls itself; what is not known lies in the middle.
int SeverityOf(const ServerRule& rule) {
  constexpr std::pair<std::string_view, int> kRanks[] = {
      {"critical", 4}, {"page", 4}, {"error", 3}, {"warning", 2}, {"info", 1}, {"none", 0},
  };
  const std::string_view severity = rule.labels.Get("severity");
  for (const auto& [word, rank] : kRanks) {
    if (severity == word) return rank;
  }
  return 2;
}

bool IsAboutSchedulers(const std::string& expr) {
  const auto is_of_one = [](const promql::Matcher& one) {
    const bool names_job =
        one.name == "job" &&
        (one.op == promql::MatchOp::kEqual || one.op == promql::MatchOp::kRegex) &&
        one.value.find("scheduler") != std::string::npos;
    return names_job || (one.name == kMetricName && one.value.starts_with(kube::kOwnPrefix));
  };
  const auto names_one = [&](const promql::Selector& selector) {
    return std::ranges::any_of(selector.matchers, is_of_one);
  };
  return promql::FindNode<promql::Selector>(*promql::Parse(expr), names_one) != nullptr;
}

std::set<std::string> NamesThatFired(Source& source, const TimeRange& range) {
  const std::string promql =
      fmt::format("count by (alertname) (last_over_time(ALERTS{{alertstate=\"firing\"}}[{}]))",
                  FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  std::set<std::string> names;
  for (const Series& series : source.Ask({promql, range.end, range.end, 0}).series) {
    names.emplace(series.labels.Get("alertname"));
  }
  return names;
}

struct Ranked {
  int severity = 0;
  bool quantile = false;
  std::string name;
};

std::vector<std::string> Search(Source& source, const RulesFetcher& fetch, const TimeRange& range) {
  const std::set<std::string> fired = NamesThatFired(source, range);
  if (fired.empty()) return {};
  const std::vector<ServerRule> rules = ReadRules(fetch());
  std::vector<Ranked> found;
  for (const ServerRule& rule : rules) {
    if (!rule.alerting || !fired.contains(rule.name)) continue;
    const std::string expr = SeeThroughRecordingRules(rule.expr, rules).expr;
    try {
      if (!IsAboutSchedulers(expr)) continue;
    } catch (const Error&) {
      continue;  // a dialect of its own
    }
    const bool quantile = expr.find("histogram_quantile") != std::string::npos;
    found.push_back({SeverityOf(rule), quantile, rule.name});
  }
  std::ranges::stable_sort(found, std::greater<>(),
                           [](const Ranked& one) { return std::tie(one.severity, one.quantile); });
  std::vector<std::string> names;
  for (const Ranked& one : found) {
    if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
  }
  return names;
}

}  // namespace

std::string MatchersText(const std::vector<promql::Matcher>& matchers) {
  return promql::MatchersToString({.name = {}, .matchers = matchers, .shift = {}});
}

std::vector<promql::Matcher> TargetMatchers(const promql::AlertExpression& alert) {
  std::vector<promql::Matcher> matchers = alert.matchers;
  std::erase_if(matchers,
                [&](const promql::Matcher& m) { return !TellsSchedulers(alert, m.name); });
  return matchers;
}

std::vector<promql::Matcher> FiringMatchers(const promql::AlertExpression& alert,
                                            const Labels& firing) {
  const Labels named = NameLabels(firing);
  std::vector<promql::Matcher> matchers;
  for (const auto& [name, value] : firing) {
    const bool kept = std::ranges::find(alert.by, name) != alert.by.end();
    if (!TellsSchedulers(alert, name) || (!kept && !named.Has(name))) continue;
    matchers.push_back({promql::MatchOp::kEqual, std::string(name), std::string(value)});
  }
  return matchers;
}

bool IsAboutControlPlane(const promql::Expr& expr, const Facts& facts, const Labels& firing) {
  constexpr std::string_view kWords[] = {"scheduler", "apiserver", "etcd"};
  constexpr std::string_view kOfState[] = {"kube_pod_status_", "kube_node_"};
  const auto names_one = [&](std::string_view text) {
    return std::ranges::any_of(
        kWords, [&](auto word) { return text.find(word) != std::string_view::npos; });
  };
  // `up` and `absent(up)` are of whose job is asked.
  const auto is_job = [&](const promql::Matcher& one) {
    return one.name != "job" || names_one(one.value) ||
           std::ranges::any_of(facts.targets, [&](const Target& target) {
             return promql::Accept({&one, 1}, target.id);
           });
  };
  const std::string fired(firing.Get("job"));
  const promql::Matcher job{.name = "job", .value = fired};
  return promql::FindNode<promql::Selector>(expr, [&](const promql::Selector& one) {
           if (one.name == "up") {
             return std::ranges::all_of(one.matchers, is_job) && (fired.empty() || is_job(job));
           }
           // etcd's, and any other program's that speaks gRPC.
           if (one.name.starts_with("grpc_server_")) {
             return std::ranges::any_of(
                 one.matchers, [&](const promql::Matcher& m) { return names_one(m.value); });
           }
           return one.name.empty() || names_one(one.name) || IsOfScheduler(one.name) ||
                  std::ranges::any_of(kOfState,
                                      [&](auto prefix) { return one.name.starts_with(prefix); });
         }) != nullptr;
}

std::string JoinedSelector(const std::string& selector, const std::vector<promql::Matcher>& more) {
  std::vector<promql::Matcher> matchers = MatchersOf(selector);
  const std::size_t given = matchers.size();
  for (const promql::Matcher& one : more) {
    if (!Holds(matchers, one)) matchers.push_back(one);
  }
  return matchers.size() == given ? selector : MatchersText(matchers);
}

std::string NarrowedExpression(const std::string& expr, const std::string& selector) {
  const std::vector<promql::Matcher> matchers = MatchersOf(selector);
  return WithSelectors(expr, [&](promql::Selector& one) {
    if (!IsOfScheduler(one.name)) return false;
    const std::size_t before = one.matchers.size();
    for (const promql::Matcher& matcher : matchers) {
      if (!Holds(one.matchers, matcher)) one.matchers.push_back(matcher);
    }
    return one.matchers.size() > before;
  });
}

std::string WithoutUnknownTargets(const std::string& expr, const std::set<std::string>& known) {
  return WithSelectors(expr, [&](promql::Selector& one) {
    return std::erase_if(one.matchers, [&](const promql::Matcher& matcher) {
             return matcher.name != kMetricName && !IsMeasurement(matcher.name) &&
                    !known.contains(matcher.name);
           }) > 0;
  });
}

std::string WithRange(const std::string& expr, std::int64_t range_ms) {
  return WithSelectors(expr, [&](promql::Selector& one) {
    const bool changes = one.range_ms > 0 && one.range_ms != range_ms;
    if (changes) one.range_ms = range_ms;
    return changes;
  });
}

bool LooksLikeName(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '-' || c == '.' || c == ' ';
  });
}

bool ReadsAsExpression(const std::string& text,
                       const std::function<bool(const std::string&)>& answered) {
  const bool several_words = text.find(' ') != std::string::npos;
  try {
    const promql::ExprPtr expr = promql::Parse(text);
    const auto* selector = expr->As<promql::Selector>();
    if (selector != nullptr && selector->name == text) return kube::FindMetric(text) != nullptr;
    return several_words || IsNumber(*expr);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return several_words && answered && answered(text);
  }
}

ResolvedAlert ResolveAlert(const AlertRequest& request, const RulesFetcher& fetch) {
  Rules rules(fetch);
  const std::string text(Trimmed(request.alert));
  if (text.empty()) return FromWebhook(request, rules);
  if (request.is_name) return FromName(request.alert, rules);
  if (text.starts_with("http://") || text.starts_with("https://")) return FromLink(text, rules);
  return FromNameOrExpression(request, text, rules);
}

std::vector<std::string> FiringAlerts(Source& source, const RulesFetcher& rules,
                                      const TimeRange& range) {
  if (!rules) return {};
  try {
    return Search(source, rules, range);
  } catch (const Error& error) {
    const ErrorKind kind = error.kind();
    if (kind == ErrorKind::kInterrupted || kind == ErrorKind::kTimeout) throw;
    return {};  // nobody asked for it
  }
}

ResolvedAlert TakeWorst(const std::vector<std::string>& names, const RulesFetcher& rules) {
  ResolvedAlert alert = ResolveAlert(
      {.alert = names.front(), .webhook = {}, .webhook_name = {}, .is_name = true}, rules);
  Message note("alert.taken", {{"alert", alert.name}});
  if (names.size() > 1) {
    note.id = "alert.taken.worst";
    note.args.push_back({"count", arg::Count(static_cast<double>(names.size()))});
    note.args.push_back(
        {"names", fmt::format("{}", fmt::join(names.begin() + 1, names.end(), ", "))});
  }
  alert.notes.insert(alert.notes.begin(), std::move(note));
  return alert;
}

std::string TakenAlert(const std::vector<Message>& notes) {
  for (const Message& note : notes) {
    if (note.id == "alert.taken" || note.id == "alert.taken.worst")
      return note.args.front().value.text;
  }
  return "";
}

}  // namespace schedlens
