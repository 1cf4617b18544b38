#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "base/url.h"
#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

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
  const auto found = entry.find("labels");
  if (found == entry.end() || !found->is_object()) return std::nullopt;
  std::vector<Labels::Pair> pairs;
  for (const auto& [label, value] : found->items()) {
    if (value.is_string()) pairs.emplace_back(label, value.get<std::string>());
  }
  WebhookAlert alert;
  alert.labels = Labels(pairs);
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

/// Expressions that stand on each other, at most.
constexpr int kDeepest = 10;
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

std::string NumberText(const json& value) {
  return value.is_number() ? FormatNumber(value.get<double>()) : "";
}

/// ` > 3` for what an evaluator compares with; empty for ranges and what is not known.
std::string ComparisonOf(const json& condition) {
  const json& evaluator = MemberAt(condition, "evaluator");
  const std::string type = TextAt(evaluator, "type");
  const std::string than = NumberText(FirstOf(MemberAt(evaluator, "params")));
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"gt", " > "}, {"lt", " < "}, {"gte", " >= "}, {"lte", " <= "}};
  for (const auto& [name, op] : kTypes) {
    if (type == name && !than.empty()) return std::string(op) + than;
  }
  return "";
}

/// `$A > 3` or `${A}`: a reference, and what it is compared with. Without reference anything else.
struct MathOfOne {
  std::string ref, comparison;
};

MathOfOne ReadMath(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  if (!text.starts_with('$')) return {};
  const bool braced = text.starts_with("${");
  const std::size_t begin = braced ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
  MathOfOne out{text.substr(begin, end - begin), ""};
  const std::string rest = text.substr(std::min(text.size(), end + (braced ? 1 : 0)));
  if (rest.empty()) return out;
  const std::size_t op = rest.find_first_not_of("<>=");
  const auto than = op == std::string::npos ? std::nullopt : ParseNumber(rest.substr(op));
  if (op == 0 || !than) return {};
  out.comparison = " " + rest.substr(0, op) + " " + FormatNumber(*than);
  return out;
}

/// The query that a condition rests on, and what it is compared with on the way.
class Condition {
 public:
  explicit Condition(const json& rule) : data_(MemberAt(rule, "data")) {}

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
    if (!data_.is_array()) return none;
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
    if (type != "math") return expression;
    const MathOfOne math = ReadMath(expression);
    if (!math.comparison.empty()) comparison_ = math.comparison;
    return math.ref;
  }

  const json& data_;
  std::string comparison_;
};

/// `pri$SOURCE$NAMESPACE$GROUP$NAME$HASH`.
std::string NameInId(const std::string& id) {
  std::vector<std::string> parts(1);
  for (const char c : id) {
    if (c == '$') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts.size() > 4 ? parts[4] : "";
}

}  // namespace

std::vector<WebhookAlert> ReadWebhook(std::string_view text, const std::string& name) {
  const json document = ReadJson(text);
  if (document.is_discarded()) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: not JSON: expected what Alertmanager or "
                                                "Grafana posts to a webhook",
                                                name));
  }
  std::vector<WebhookAlert> alerts;
  const bool posted = document.is_object() && document.contains("alerts");
  const json& list = posted ? document["alerts"] : document;
  if (list.is_array()) {
    for (const json& entry : list) {
      if (auto alert = ReadAlert(entry)) alerts.push_back(std::move(*alert));
    }
  } else if (auto alert = ReadAlert(list)) {
    alerts.push_back(std::move(*alert));
  }
  if (alerts.empty()) {
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: no alert in it: expected what Alertmanager or Grafana posts to a "
                            "webhook (alerts with labels)",
                            name));
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
      if (key == "left" || key == "panes") {
        ReadExplore(ReadJson(value), url, &linked);
      }
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
  const std::string_view rest = url.substr(at + kPath.size());
  const std::size_t first = rest.find('/');
  const std::size_t second = first == rest.npos ? rest.npos : rest.find('/', first + 1);
  if (second == rest.npos) return std::nullopt;
  const std::string_view page = rest.substr(second + 1);
  if (page != "view" && page != "edit") return std::nullopt;
  GrafanaRulePage out;
  out.grafana = url.substr(0, at);
  const std::string source(rest.substr(0, first)), id(rest.substr(first + 1, second - first - 1));
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
