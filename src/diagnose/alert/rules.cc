// When an alert fired, as the samples of ALERTS tell it.

#include <re2/re2.h>

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/url.h"
#include "diagnose/alert/alert.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// Rules that record each other, and expressions that stand on each other, at most.
constexpr int kDeepest = 10;

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

/// What to put in place of one selector; nothing when it is no recorded metric.
std::optional<TextEdit> ReplacementFor(const promql::Expr& node,
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
  return TextEdit{node.begin, node.end, "(" + found->expr + ")"};
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
  constexpr TimeMs kDefaultInterval = 60'000;  // one evaluation, when a single sample is there
  const bool single = series.samples.size() < 2;
  const TimeMs usual = single ? kDefaultInterval : SampleInterval(series);
  TimeMs start = series.samples.front().t, last = start;
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

/// Longer text is no link that anybody followed.
constexpr std::size_t kLongestLink = std::size_t{64} << 10;

/// Go's zero time, year 1, says "none". Nothing too for a malformed time.
std::optional<TimeMs> TimeAt(const json& object, const char* key) {
  const std::string text = TextAt(object, key);
  if (text.empty() || text.starts_with("0001-")) return std::nullopt;
  return ParseTime(text, 0);
}

std::optional<WebhookAlert> ReadAlert(const json& entry) {
  if (!entry.is_object()) return std::nullopt;
  if (!MemberAt(entry, "labels").is_object()) return std::nullopt;
  WebhookAlert alert;
  alert.labels = LabelsAt(entry, "labels");
  alert.name = alert.labels.Get("alertname");
  alert.firing = TextAt(entry, "status") != "resolved";
  alert.start = TimeAt(entry, "startsAt");
  if (!alert.firing) alert.end = TimeAt(entry, "endsAt");
  alert.url = TextAt(entry, "generatorURL");
  alert.fingerprint = TextAt(entry, "fingerprint");
  if (alert.fingerprint.empty()) alert.fingerprint = alert.labels.ToString();
  return alert;
}

/// The first text under the key, however deep.
std::string FindText(const json& value, const char* key, int depth = 0) {
  if (depth > 20 || !value.is_structured()) return "";
  if (value.is_object()) {
    if (std::string own = TextAt(value, key); !own.empty()) return own;
  }
  for (const json& child : value) {
    if (std::string below = FindText(child, key, depth + 1); !below.empty()) return below;
  }
  return "";
}

/// The link's own server: what stands before the page of a graph.
std::string ServerOf(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == url.npos) return "";
  const std::string_view path = url.substr(0, url.find_first_of("?#", host));
  for (const std::string_view page : {"/classic/graph", "/graph", "/query", "/vmui", "/explore"}) {
    const std::size_t at = path.rfind(page);
    if (at == path.npos || at < host + 3) continue;
    const std::string_view rest = path.substr(at + page.size());
    if (rest.empty() || rest == "/") return std::string(path.substr(0, at));
  }
  return "";
}

bool IsPlain(const std::string& uid) {
  return std::ranges::all_of(
      uid, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

/// What Grafana's Explore shows: the state in its address.
void ReadExplore(const json& state, std::string_view url, LinkedExpression* linked) {
  if (state.is_discarded() || !linked->expr.empty()) return;
  linked->expr = FindText(state, "expr");
  const std::string to = FindText(state, "to");
  if (to.size() > 10 && to.find_first_not_of("0123456789") == to.npos) {
    const std::size_t seconds = to.size() - 3;
    linked->at = ParseTime(to.substr(0, seconds) + "." + to.substr(seconds), 0);
  }
  std::string uid = FindText(state, "uid");
  if (uid.empty()) uid = FindText(state, "datasource");
  const std::string grafana = ServerOf(url);
  if (!uid.empty() && IsPlain(uid) && !grafana.empty()) {
    linked->server = grafana + "/api/datasources/proxy/uid/" + uid;
  }
}

/// `2026-11-21 10:00` and `2026-11-21T10:00:05`, as graph pages write their times: UTC.
std::optional<TimeMs> PageTime(std::string text) {
  std::ranges::replace(text, ' ', 'T');
  constexpr std::size_t kMinutes = 16;  // 2026-11-21T10:00
  if (text.size() == kMinutes) text += ":00";
  if (text.size() == kMinutes + 3) text += 'Z';
  return ParseTime(text, 0);
}

/// The parameters behind `?`, and those behind the `#/?` where VictoriaMetrics keeps its own.
std::array<std::string_view, 2> QueriesOf(std::string_view url) {
  const std::size_t hash = std::min(url.find('#'), url.size());
  const auto behind = [](std::string_view part) {
    const std::size_t mark = part.find('?');
    return mark == part.npos ? std::string_view() : part.substr(mark + 1);
  };
  return {behind(url.substr(0, hash)), behind(url.substr(hash))};
}

/// What Grafana calls the data source of its own expressions.
constexpr std::string_view kExpressions = "__expr__";

[[noreturn]] void ThrowNoRule() {
  throw Error(ErrorKind::kFailed,
              "Grafana's answer is no alert rule with a query in PromQL: give --alert its "
              "expression, and --prometheus");
}

const json& FirstOf(const json& list) {
  static const json none;
  return list.is_array() && !list.empty() ? list.front() : none;
}

/// ` > 3` for what an evaluator compares with; empty for ranges and what is not known.
std::string ComparisonOf(const json& condition) {
  const json& evaluator = MemberAt(condition, "evaluator");
  const std::string type = TextAt(evaluator, "type");
  const json& number = FirstOf(MemberAt(evaluator, "params"));
  const std::string than = number.is_number() ? FormatNumber(number.get<double>()) : "";
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"gt", " > "}, {"lt", " < "}, {"gte", " >= "}, {"lte", " <= "}};
  for (const auto& [name, op] : kTypes) {
    if (type == name && !than.empty()) return std::string(op) + than;
  }
  return "";
}

/// The query that a condition rests on, and what it is compared with on the way.
class Condition {
 public:
  explicit Condition(const json& rule) : data_(ListAt(rule, "data")) {}

  GrafanaRule Follow(std::string ref) {
    for (int deep = 0; deep < kDeepest; ++deep) {
      const json& node = NodeOf(ref);
      const json& model = MemberAt(node, "model");
      const std::string uid = TextAt(node, "datasourceUid");
      if (uid != kExpressions && uid != "-100") {
        const std::string expr = TextAt(model, "expr");
        if (expr.empty() || uid.empty()) ThrowNoRule();
        return {comparison_.empty() ? expr : "(" + expr + ")" + comparison_, uid};
      }
      ref = Next(model);
    }
    ThrowNoRule();
  }

 private:
  const json& NodeOf(const std::string& ref) const {
    static const json none;
    for (const json& node : data_) {
      if (TextAt(node, "refId") == ref) return node;
    }
    return none;
  }

  /// The reference of what the expression stands on.
  std::string Next(const json& model) {
    const std::string type = TextAt(model, "type"), expression = TextAt(model, "expression");
    const json& condition = FirstOf(MemberAt(model, "conditions"));
    if (type == "threshold" || type == "classic_conditions") comparison_ = ComparisonOf(condition);
    if (type == "classic_conditions") {
      const json& first = FirstOf(MemberAt(MemberAt(condition, "query"), "params"));
      return first.is_string() ? first.get<std::string>() : "";
    }
    return type == "math" ? ReadMath(expression) : expression;
  }

  /// The reference of `$A > 3` or `${A}`, compared with what stands there; empty for anything else.
  std::string ReadMath(std::string text) {
    static const RE2 kMath(R"re(\$(?:\{([[:alnum:]]*)(?:[^[:alnum:]]|$)|([[:alnum:]]*)))re"
                           R"re((?:([<>=]+)(.+))?)re",
                           RE2::Latin1);
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    std::string braced, plain, op, number;
    const bool read = RE2::FullMatch(text, kMath, &braced, &plain, &op, &number);
    const auto than = ParseNumber(number);
    if (!read || (!op.empty() && !than)) return "";
    if (than) comparison_ = fmt::format(" {} {}", op, FormatNumber(*than));
    return braced + plain;
  }

  const json& data_;
  std::string comparison_;
};

/// `pri$SOURCE$NAMESPACE$GROUP$NAME$HASH`; parts may be empty.
std::string NameInId(std::string_view id) {
  static const RE2 kName(R"((?:[^$]*\$){4}([^$]*)(?s:.*))", RE2::Latin1);
  std::string name;
  return RE2::FullMatch(id, kName, &name) ? name : "";
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
  for (int depth = 0; depth < kDeepest && out.expr.size() < kLongest; ++depth) {
    std::vector<TextEdit> replacements;
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
    out.expr = Apply(out.expr, std::move(replacements));
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
  std::ranges::stable_sort(firings, {}, &Firing::start);
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

std::vector<WebhookAlert> ReadWebhook(std::string_view text, const std::string& name) {
  const json document = ReadJson(text);
  if (document.is_discarded()) {
    Raise(ErrorKind::kFailed,
          "{}: not JSON: expected what Alertmanager or Grafana posts to a webhook", name);
  }
  std::vector<WebhookAlert> alerts;
  const bool posted = document.is_object() && document.contains("alerts");
  const json& list = posted ? document["alerts"] : document;
  for (const json& entry : list.is_array() ? list : json::array({list})) {
    if (auto alert = ReadAlert(entry)) alerts.push_back(std::move(*alert));
  }
  if (alerts.empty()) {
    Raise(ErrorKind::kFailed,
          "{}: no alert in it: expected what Alertmanager or Grafana posts to a webhook (alerts "
          "with labels)",
          name);
  }
  return alerts;
}

std::optional<LinkedExpression> ReadGraphUrl(std::string_view url) {
  if (url.size() > kLongestLink) return std::nullopt;
  LinkedExpression linked;
  for (const std::string_view query : QueriesOf(url)) {
    for (const auto& [key, value] : ParseQueryString(query)) {
      if (key == "g0.expr") linked.expr = value;
      if (key == "g0.end_input" || key == "g0.moment_input") {
        if (const auto time = PageTime(value)) linked.at = time;
      }
      if (key == "left" || key == "panes") ReadExplore(ReadJson(value), url, &linked);
    }
    if (linked.expr.empty()) continue;
    if (linked.server.empty() && url.find("/explore") == url.npos) linked.server = ServerOf(url);
    return linked;
  }
  return std::nullopt;
}

std::optional<GrafanaRulePage> ReadRulePage(std::string_view url) {
  constexpr std::string_view kPath = "/alerting/";
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t at = url.find(kPath);
  if (!url.starts_with("http") || at == url.npos) return std::nullopt;
  static const RE2 kPage("([^/]*)/([^/]*)/(?:view|edit)", RE2::Latin1);
  std::string source, id;
  if (!RE2::FullMatch(url.substr(at + kPath.size()), kPage, &source, &id)) return std::nullopt;
  GrafanaRulePage out;
  out.grafana = url.substr(0, at);
  if (source == "grafana") {
    if (!IsPlain(id)) return std::nullopt;
    out.uid = id;
    return out;
  }
  out.datasource = PercentDecode(source, false);
  out.name = NameInId(PercentDecode(PercentDecode(id, false), false));
  return out.name.empty() ? std::nullopt : std::optional(out);
}

GrafanaRule ReadGrafanaRule(std::string_view text) {
  const json rule = ReadJson(text);
  if (!rule.is_object()) ThrowNoRule();
  return Condition(rule).Follow(TextAt(rule, "condition"));
}

std::string ReadDatasourceUid(std::string_view text) {
  const std::string uid = TextAt(ReadJson(text), "uid");
  if (uid.empty()) {
    throw Error(ErrorKind::kFailed, "Grafana's answer names no data source: give --prometheus");
  }
  return uid;
}

}  // namespace schedlens
