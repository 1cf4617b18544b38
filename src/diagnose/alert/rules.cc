#include "diagnose/alert/alert.h"

// When an alert fired, as the samples of ALERTS tell it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

constexpr int kDeepestRules = 10;

Labels LabelsAt(const json& object, const char* key) {
  std::vector<Labels::Pair> pairs;
  const json& labels = MemberAt(object, key);
  if (!labels.is_object()) return Labels();
  for (const auto& [name, value] : labels.items()) {
    if (value.is_string()) pairs.emplace_back(name, value.get<std::string>());
  }
  return Labels(pairs);
}

std::vector<Firing> ReadFirings(const json& rule, std::int64_t for_ms) {
  std::vector<Firing> firings;
  for (const json& alert : ListAt(rule, "alerts")) {
    if (!alert.is_object() || TextAt(alert, "state") != "firing") continue;
    const auto active = ParseTime(TextAt(alert, "activeAt"), 0);
    if (!active) continue;
    firings.push_back({LabelsAt(alert, "labels"), *active + for_ms, std::nullopt});
  }
  return firings;
}

std::optional<ServerRule> ReadRule(const json& entry, const std::string& group) {
  if (!entry.is_object()) return std::nullopt;
  const std::string type = TextAt(entry, "type");
  if (type != "alerting" && type != "recording") return std::nullopt;
  ServerRule rule;
  rule.alerting = type == "alerting";
  rule.name = TextAt(entry, "name");
  rule.expr = TextAt(entry, "query");
  rule.group = group;
  rule.labels = LabelsAt(entry, "labels");
  const auto duration = entry.find("duration");
  if (duration != entry.end() && duration->is_number()) {
    const double seconds = duration->get<double>();
    if (seconds > 0 && seconds < 1e9) rule.for_ms = std::llround(seconds * 1000);
  }
  rule.firings = ReadFirings(entry, rule.for_ms);
  return rule;
}

/// Whether the rule's result can satisfy the matchers: its static labels contradict none of them.
bool Agrees(const ServerRule& rule, const promql::Selector& selector) {
  return std::ranges::all_of(selector.matchers, [&](const auto& matcher) {
    return matcher.op != promql::MatchOp::kEqual || matcher.name == kMetricName ||
           !rule.labels.Has(matcher.name) || rule.labels.Get(matcher.name) == matcher.value;
  });
}

/// Matchers that the rule's own labels do not settle.
std::string LeftOver(const ServerRule& rule, const promql::Selector& selector) {
  std::string left;
  for (const auto& matcher : selector.matchers) {
    if (matcher.name == kMetricName || rule.labels.Has(matcher.name)) continue;
    left += (left.empty() ? "" : ", ") + matcher.name;
  }
  return left;
}

struct Replacement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// What to put in place of one selector; nothing when it is no recorded metric.
std::optional<Replacement> ReplacementFor(const promql::Expr& node,
                                          const std::vector<ServerRule>& rules,
                                          std::vector<Message>& notes) {
  const auto* selector = node.As<promql::Selector>();
  if (selector == nullptr || selector->name.empty()) return std::nullopt;
  const ServerRule* found = nullptr;
  for (const ServerRule& rule : rules) {
    if (rule.alerting || rule.name != selector->name || !Agrees(rule, *selector)) continue;
    if (found != nullptr && found->expr != rule.expr) {
      notes.push_back(Message("rules.several", {{"rule", arg::Metric(selector->name)}}));
      return std::nullopt;
    }
    found = &rule;
  }
  if (found == nullptr) return std::nullopt;
  if (selector->range_ms != 0 || selector->shift != promql::TimeShift{}) {
    notes.push_back(Message("rules.ranged", {{"rule", arg::Metric(selector->name)}}));
    return std::nullopt;
  }
  notes.push_back(Message("rules.recorded", {{"rule", arg::Metric(selector->name)},
                                             {"expr", arg::Promql(found->expr)}}));
  if (const std::string left = LeftOver(*found, *selector); !left.empty()) {
    notes.push_back(Message("rules.matchers", {{"rule", arg::Metric(selector->name)},
                                               {"matchers", arg::Promql(left)}}));
  }
  return Replacement{node.begin, node.end, "(" + found->expr + ")"};
}

/// What is read of a rule, without what is there for people to read.
json WithoutProse(const json& rule) {
  json copy = json::object();
  for (const char* key : {"type", "name", "query", "duration", "labels", "alerts"}) {
    if (rule.contains(key)) copy[key] = rule.at(key);
  }
  if (copy.contains("alerts")) {
    for (json& alert : copy["alerts"]) {
      if (alert.is_object()) alert.erase("annotations");
    }
  }
  return copy;
}

/// Metrics that an expression selects by name; none where it cannot be read.
std::set<std::string> MetricsIn(const std::string& expr) {
  std::set<std::string> names;
  try {
    promql::Walk(*promql::Parse(expr), [&](const promql::Expr& node) {
      const auto* selector = node.As<promql::Selector>();
      if (selector != nullptr && !selector->name.empty()) names.insert(selector->name);
    });
  } catch (const Error&) {
    return {};
  }
  return names;
}

/// Names of the alert's recording rules: those it selects, and those that these select.
std::set<std::string> RecordedFor(const std::vector<ServerRule>& rules, const std::string& alert) {
  std::set<std::string> found;
  std::vector<std::string> expressions;
  for (const ServerRule& rule : rules) {
    if (rule.alerting && rule.name == alert) expressions.push_back(rule.expr);
  }
  while (!expressions.empty()) {
    const std::set<std::string> metrics = MetricsIn(expressions.back());
    expressions.pop_back();
    for (const ServerRule& rule : rules) {
      if (rule.alerting || !metrics.contains(rule.name)) continue;
      if (found.insert(rule.name).second) expressions.push_back(rule.expr);
    }
  }
  return found;
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

RulesOfAlert PickRules(std::string_view text, const std::string& alert) {
  const std::vector<ServerRule> rules = ReadRules(text);
  RulesOfAlert out;
  const auto own = std::ranges::find_if(
      rules, [&](const ServerRule& rule) { return rule.alerting && rule.name == alert; });
  if (own == rules.end()) return out;
  out.expr = own->expr;
  const std::set<std::string> recorded = RecordedFor(rules, alert);
  out.recorded.assign(recorded.begin(), recorded.end());
  const json document = ReadJson(text);
  json groups = json::array();
  for (const json& group : ListAt(MemberAt(document, "data"), "groups")) {
    json kept = json::array();
    for (const json& entry : ListAt(group, "rules")) {
      const auto rule = ReadRule(entry, "");
      if (!rule || (rule->alerting ? rule->name != alert : !recorded.contains(rule->name)))
        continue;
      kept.push_back(WithoutProse(entry));
    }
    if (kept.empty()) continue;
    groups.push_back({{"name", TextAt(group, "name")}, {"rules", std::move(kept)}});
  }
  out.json = WriteJson({{"data", {{"groups", std::move(groups)}}}});
  return out;
}

std::vector<ServerRule> ReadRules(std::string_view text) {
  const json document = ReadJson(text);
  const json& data = MemberAt(document, "data");
  if (!data.is_object() || !data.contains("groups")) {
    throw Error(ErrorKind::kFailed,
                "the server's answer to /api/v1/rules is no list of rules: does it evaluate any?");
  }
  std::vector<ServerRule> rules;
  for (const json& group : ListAt(data, "groups")) {
    if (!group.is_object()) continue;
    for (const json& entry : ListAt(group, "rules")) {
      if (auto rule = ReadRule(entry, TextAt(group, "name"))) rules.push_back(std::move(*rule));
    }
  }
  return rules;
}

ExpandedExpression SeeThroughRecordingRules(const std::string& expr,
                                            const std::vector<ServerRule>& rules) {
  ExpandedExpression out{.expr = expr, .notes = {}};
  constexpr std::size_t kLongest = std::size_t{1} << 18;
  for (int depth = 0; depth < kDeepestRules && out.expr.size() < kLongest; ++depth) {
    std::vector<Replacement> replacements;
    try {
      const promql::ExprPtr ast = promql::Parse(out.expr);
      promql::Walk(*ast, [&](const promql::Expr& node) {
        if (auto found = ReplacementFor(node, rules, out.notes)) {
          replacements.push_back(std::move(*found));
        }
      });
    } catch (const Error& error) {
      out.notes.push_back(Message("rules.unreadable", {{"error", error.what()}}));
      return out;
    }
    if (replacements.empty()) return out;
    std::ranges::sort(replacements, [](const auto& a, const auto& b) { return a.begin > b.begin; });
    for (const Replacement& r : replacements) out.expr.replace(r.begin, r.end - r.begin, r.text);
  }
  // Rules that record each other in a circle never end.
  return {.expr = expr, .notes = {Message("rules.too_deep")}};
}

std::vector<Firing> FindFirings(Source& source, const std::string& name, TimeRange range,
                                const std::string& state) {
  const std::string promql =
      fmt::format("ALERTS{{alertname={},alertstate=\"{}\"}}[{}]", QuotePromql(name), state,
                  FormatDuration(range.end - range.start));
  const Answer answer = source.Ask({promql, range.end, range.end, 0});
  std::vector<Firing> firings;
  for (const Series& series : answer.series) SplitAtGaps(series, range.end, firings);
  std::ranges::stable_sort(firings,
                           [](const Firing& a, const Firing& b) { return a.start < b.start; });
  return firings;
}

Message WhyNotFired(Source& source, const ResolvedAlert& alert, TimeRange range) {
  if (alert.name.empty() || !FindFirings(source, alert.name, range).empty()) return {};
  const std::vector<Firing> pending = FindFirings(source, alert.name, range, "pending");
  if (pending.empty() && !alert.firings.empty()) {
    return Message("alert.not_kept",
                   {{"alert", alert.name}, {"at", arg::Time(alert.firings.back().start)}});
  }
  if (pending.empty()) {
    return Message("alert.not_fired", {{"alert", alert.name}, {"from", arg::Time(range.start)}});
  }
  const Firing& last = pending.back();
  const Argument wait{"wait", FormatDuration(alert.for_ms)};
  if (!last.end) {
    return Message("alert.pending",
                   {{"alert", alert.name}, {"since", arg::Time(last.start)}, wait});
  }
  return Message(
      "alert.was_pending",
      {{"alert", alert.name}, {"from", arg::Time(last.start)}, {"to", arg::Time(*last.end)}, wait});
}

}  // namespace schedlens
