#include <re2/re2.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/json.h"
#include "kube/metrics.h"
#include "promql/parser.h"
#include "source/capture/recording.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// What a header's line is about; the rest of it follows.
constexpr std::string_view kAsItIs[] = {"recorded by schedlens ", "range: "};
constexpr std::string_view kRelease = "release: ";
constexpr std::string_view kSelector = "selector: ";
constexpr std::string_view kAlert = "alert: ";
/// Members of a rule that hold no text of their own.
constexpr std::string_view kPlainMembers[] = {"type",     "state",  "activeAt",
                                              "value",    "health", "duration",
                                              "interval", "limit",  "keepFiringFor"};

/// Mixes all bits of the state with those of the input (the finalizer of SplitMix64).
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t HashBytes(std::uint64_t state, std::string_view bytes) {
  for (const char c : bytes) state = Mix(state ^ static_cast<unsigned char>(c));
  return Mix(state ^ bytes.size());
}

/// `host:port` without the port; anything else as it is: an IPv6 address without brackets has
/// further colons and no port.
std::string WithoutPort(std::string_view value) {
  static const RE2 kForm("(?s)([^:]+|\\[.*):\\d{1,5}", RE2::Latin1);
  std::string host;
  return RE2::FullMatch(value, kForm, &host) ? host : std::string(value);
}

/// A version of an API, `v1` or `v1beta1`, or what client-go writes for a part that it leaves out,
/// `%7Bnamespace%7D`.
bool IsOfEveryApi(std::string_view part) {
  static const RE2 kForm(
      "v\\d+(?:(?:alpha|beta)\\d+)?|%7B(?:value|namespace|name|prefix)%7D|"
      "\\{(?:namespace|name|value)\\}",
      RE2::Latin1);
  return RE2::FullMatch(part, kForm) && (part.front() != 'v' || part.size() <= 12);
}

/// Whether each word of the pattern may stand in the label: `scheduled|error`, `.+`, `5..`.
bool IsPublicPattern(const std::string& label, const std::string& pattern) {
  static const RE2 kWord("((?:[-\\w/\\x80-\\xff]|\\.\\d)+)", RE2::Latin1);
  re2::StringPiece rest(pattern);
  for (std::string word; RE2::FindAndConsume(&rest, kWord, &word);) {
    if (!kube::IsPublicValue(label, word)) return false;
  }
  return true;
}

/// Text of a call: `$1`, and patterns without letters and digits.
bool SaysNothing(std::string_view text) {
  static const RE2 kNothing("(?:\\$\\d|[^\\w\\x80-\\xff])*", RE2::Latin1);
  return RE2::FullMatch(text, kNothing);
}

/// The code of a name, and what of a single word or address may stay.
class WordRedactor {
 public:
  explicit WordRedactor(std::string_view salt) : seed_(HashBytes(0, salt)) {}

  /// `n` and sixteen hexadecimal digits: a label's name, too, and a word in a regular expression.
  std::string Code(std::string_view name) const {
    return fmt::format("n{:016x}", HashBytes(seed_, name));
  }

  std::string LabelName(std::string_view name) const {
    return kube::IsPublicLabel(name) ? std::string(name) : Code(name);
  }

  /// Of a series or a family; what PromQL and OpenMetrics append to a name stays.
  std::string MetricName(std::string_view name) const {
    if (kube::IsPublicMetric(name)) return std::string(name);
    for (const std::string_view end : {"_bucket", "_sum", "_count", "_total", "_created"}) {
      if (!name.ends_with(end)) continue;
      return Code(name.substr(0, name.size() - end.size())) + std::string(end);
    }
    return Code(name);
  }

  /// A label's value by what the label is. An address keeps its port, a version its digits.
  std::string Value(std::string_view label, std::string_view value) const {
    if (value.empty() || kube::IsPublicValue(label, value)) return std::string(value);
    if (label == "__name__") return MetricName(value);
    if (kube::IsVersionLabel(label)) return Version(std::string(value));
    const std::size_t scheme = value.find("://");
    if (scheme == std::string_view::npos) return Address(value);
    const std::string_view name = value.substr(0, scheme);
    if (name != "http" && name != "https" && name != "unix") return Code(value);
    return Url(value.substr(0, scheme + 3), value.substr(scheme + 3));
  }

 private:
  std::string Address(std::string_view text) const {
    const std::string host = WithoutPort(text);
    return host.empty() ? "" : Code(host) + std::string(text.substr(host.size()));
  }

  std::string Url(std::string_view scheme, std::string_view rest) const {
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    std::string out = std::string(scheme) + Address(authority);
    rest.remove_prefix(authority.size());
    while (!rest.empty()) {
      out += rest.front();
      rest.remove_prefix(1);
      const std::string_view part = rest.substr(0, rest.find_first_of("/?#&=,"));
      const bool known = part.empty() || kube::IsPublicWord(part) || IsOfEveryApi(part);
      out += known ? std::string(part) : Code(part);
      rest.remove_prefix(part.size());
    }
    return out;
  }

  std::string Version(const std::string& text) const {
    static const RE2 kForm("(?s)((?:v|go)?(\\d[\\d.]*))(.*)", RE2::Latin1), kLong("\\d{5}");
    std::string start, digits, rest;
    // An address has more points, an account's number more digits in one piece.
    if (!RE2::FullMatch(text, kForm, &start, &digits, &rest) || digits.size() > 12 ||
        std::ranges::count(digits, '.') > 2 || RE2::PartialMatch(digits, kLong)) {
      return Code(text);
    }
    return rest.empty() ? text : fmt::format("{}-{}", start, Code(rest));
  }

  std::uint64_t seed_;
};

/// An expression that asks of the redacted samples what it asked of the samples.
class PromqlRedactor {
 public:
  /// Both must outlive it.
  PromqlRedactor(const WordRedactor& words, const std::vector<Series>& series)
      : words_(words), series_(series) {}

  /// The expression in canonical form, its names coded. Empty where it does not parse: nothing of
  /// it can be kept then.
  std::string Expression(const std::string& text) {
    const auto rename = [this](std::vector<std::string>& labels) {
      for (std::string& label : labels) label = words_.LabelName(label);
    };
    const auto change = [&](promql::Expr& node) {
      if (auto* selector = std::get_if<promql::Selector>(&node.node)) {
        if (!selector->name.empty()) selector->name = words_.MetricName(selector->name);
        for (promql::Matcher& matcher : selector->matchers) {
          const bool literal =
              matcher.op == promql::MatchOp::kEqual || matcher.op == promql::MatchOp::kNotEqual;
          matcher.value = literal ? words_.Value(matcher.name, matcher.value)
                                  : Regex(matcher.name, matcher.value);
          matcher.name = words_.LabelName(matcher.name);
        }
      } else if (auto* aggregation = std::get_if<promql::Aggregation>(&node.node)) {
        rename(aggregation->labels);
      } else if (auto* binary = std::get_if<promql::Binary>(&node.node)) {
        rename(binary->matching.labels);
        rename(binary->matching.include);
      } else if (auto* literal = std::get_if<promql::StringLiteral>(&node.node)) {
        if (!SaysNothing(literal->value)) literal->value = words_.LabelName(literal->value);
      }
    };
    try {
      return promql::ToString(*promql::Rewrite(promql::Parse(text), change));
    } catch (const Error&) {
      return "";
    }
  }

  /// The same for matchers without braces, `||` between alternatives.
  std::string Matchers(const std::string& matchers) {
    std::string text = Expression("{" + matchers + "}");
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return "";
    return text.substr(1, text.size() - 2);
  }

 private:
  std::string Regex(const std::string& label, const std::string& pattern) {
    if (IsPublicPattern(label, pattern)) return pattern;
    const promql::MatcherRegex regex(pattern);
    std::set<std::string> codes;
    for (const std::string& value : ValuesOf(label)) {
      if (regex.Matches(value)) codes.insert(EscapeRegex(words_.Value(label, value)));
    }
    if (regex.Matches("")) codes.insert("");
    if (codes.empty()) codes.insert(words_.Code(pattern));  // matches nothing here, as before
    std::string any;
    for (const std::string& code : codes) any += (any.empty() ? "" : "|") + code;
    return codes.contains("") ? any + "|" : any;
  }

  const std::set<std::string>& ValuesOf(const std::string& label) {
    const auto [at, fresh] = values_.try_emplace(label);
    if (fresh) {
      for (const Series& series : series_) {
        if (series.labels.Has(label)) at->second.emplace(series.labels.Get(label));
      }
    }
    return at->second;
  }

  const WordRedactor& words_;
  const std::vector<Series>& series_;
  std::map<std::string, std::set<std::string>> values_;  // by label, those asked for
};

class Redactor {
 public:
  Redactor(std::string_view salt, const std::vector<Series>& series)
      : words_(salt), promql_(words_, series) {}

  Labels Redact(const Labels& labels) const {
    std::vector<Labels::Pair> pairs;
    for (const auto& [name, value] : labels) {
      pairs.emplace_back(words_.LabelName(name), words_.Value(name, value));
    }
    return Labels(pairs);
  }

  std::string Family(const std::string& name) const { return words_.MetricName(name); }

  std::vector<std::string> Comments(const std::vector<std::string>& comments) {
    std::vector<std::string> out;
    for (const std::string& comment : comments) {
      std::string line = Comment(comment);
      if (!line.empty()) out.push_back(std::move(line));
    }
    return out;
  }

  /// Words of others are coded whole.
  void Redact(Message* message) const {
    for (Argument& argument : message->args) {
      std::string& text = argument.value.text;
      if (!text.empty()) text = words_.MetricName(text);
      for (Message& inner : argument.value.messages) Redact(&inner);
    }
  }

 private:
  std::string Comment(const std::string& comment) {
    const auto begins = [&](std::string_view word) { return comment.starts_with(word); };
    if (std::ranges::any_of(kAsItIs, begins) || SemanticsOf({comment})) return comment;
    if (begins(kRelease)) return kube::ParseRelease(comment.substr(kRelease.size())) ? comment : "";
    if (begins(kSelector)) {
      const std::string kept = promql_.Matchers(comment.substr(kSelector.size()));
      return kept.empty() ? "" : std::string(kSelector) + kept;
    }
    if (begins(kAlert)) return Alert(comment.substr(kAlert.size()));
    if (begins(kRulesWord)) return Rules(comment.substr(kRulesWord.size()));
    return "";
  }

  std::string Alert(const std::string& text) {
    // The name may hold colons too: the expression begins where one can be read.
    for (std::size_t colon = text.find(": "); colon != text.npos;
         colon = text.find(": ", colon + 2)) {
      const std::string expr = promql_.Expression(text.substr(colon + 2));
      if (expr.empty()) continue;
      return std::string(kAlert) + words_.Code(text.substr(0, colon)) + ": " + expr;
    }
    return std::string(kAlert) + words_.Code(text.substr(0, text.find(": ")));
  }

  std::string Rules(const std::string& text) {
    json document = ReadJson(text);
    if (document.is_discarded()) return "";
    RedactRules(document);
    return std::string(kRulesWord) + WriteJson(document);
  }

  void RedactRules(json& value) {
    if (value.is_array()) {
      for (json& element : value) RedactRules(element);
    } else if (value.is_object()) {
      const bool recording = value.value("type", json()) == "recording";
      json out = json::object();
      for (auto& [key, member] : value.items()) Member(key, member, recording, &out);
      value = std::move(out);
    } else if (value.is_string()) {
      value = words_.Code(value.get_ref<const std::string&>());
    }
  }

  /// Members that no reader of rules knows are left out.
  void Member(const std::string& key, json& value, bool recording, json* out) {
    constexpr std::string_view kContainers[] = {"data", "groups", "rules", "alerts"};
    const auto is_key = [&key](std::string_view known) { return key == known; };
    if (std::ranges::any_of(kContainers, is_key)) {
      RedactRules(value);
    } else if (key == "labels" && value.is_object()) {
      value = RuleLabels(value);
    } else if (key == "query" && value.is_string()) {
      value = promql_.Expression(value.get<std::string>());
    } else if (key == "name" && value.is_string()) {
      const auto name = value.get<std::string>();
      value = recording ? words_.MetricName(name) : words_.Code(name);
    } else {
      const bool says_nothing =
          value.is_number() || (value.is_string() && SaysNothing(value.get<std::string>()));
      if (!says_nothing || std::ranges::none_of(kPlainMembers, is_key)) return;
    }
    (*out)[key] = std::move(value);
  }

  /// A kind, a state, a number or a time.
  static bool SaysNothing(const std::string& text) {
    constexpr std::string_view kWords[] = {"alerting", "recording", "firing", "pending",
                                           "inactive", "ok",        "err",    "unknown"};
    return std::ranges::find(kWords, text) != std::end(kWords) || ParseNumber(text) ||
           (text.find('T') != std::string::npos && ParseTime(text, 0));
  }

  json RuleLabels(const json& labels) const {
    json out = json::object();
    for (const auto& [name, value] : labels.items()) {
      if (!value.is_string()) continue;
      out[words_.LabelName(name)] = words_.Value(name, value.get<std::string>());
    }
    return out;
  }

  const WordRedactor words_;
  PromqlRedactor promql_;
};

}  // namespace

Exposition Redacted(Exposition exposition, std::string_view salt) {
  Redactor redactor(salt, exposition.series);
  exposition.comments = redactor.Comments(exposition.comments);
  for (Series& series : exposition.series) series.labels = redactor.Redact(series.labels);
  std::map<std::string, std::string> types;
  for (auto& [family, type] : exposition.types) types[redactor.Family(family)] = std::move(type);
  exposition.types = std::move(types);
  for (Message& warning : exposition.warnings) redactor.Redact(&warning);
  return exposition;
}

std::string RedactedName(std::string_view name, std::string_view salt) {
  return WordRedactor(salt).Code(name);
}

std::string RandomSalt() {
  std::random_device device;
  std::string salt;
  for (int i = 0; i < 4; ++i) salt += fmt::format("{:08x}", device());
  return salt;
}

}  // namespace schedlens
