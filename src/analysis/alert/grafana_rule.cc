#include "analysis/alert/grafana_rule.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/json.h"
#include "model/text.h"
#include "model/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

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
    const bool plain = std::all_of(id.begin(), id.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
    if (!plain) return std::nullopt;
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
