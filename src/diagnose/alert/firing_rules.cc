#include "diagnose/alert/firing_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "kube/metrics.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

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
  bool found = false;
  promql::Walk(*promql::Parse(expr), [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr) return;
    for (const promql::Matcher& one : selector->matchers) {
      if (one.name == kMetricName) found |= one.value.starts_with(kube::kOwnPrefix);
    }
  });
  return found;
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

std::vector<std::string> RankedNames(std::vector<Ranked> found) {
  std::stable_sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(a.severity, a.quantile) > std::tie(b.severity, b.quantile);
  });
  std::vector<std::string> names;
  for (const Ranked& one : found) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  }
  return names;
}

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
  return RankedNames(std::move(found));
}

}  // namespace

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
