#include "source/capture/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "kube/metrics.h"
#include "model/json.h"
#include "model/text.h"
#include "source/capture/recording.h"
#include "source/capture/redact_promql.h"
#include "source/capture/redact_words.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// What a header's line is about; the rest of it follows.
constexpr std::string_view kAsItIs[] = {"recorded by schedlens ", "range: "};
constexpr std::string_view kRelease = "release: ";
constexpr std::string_view kSelector = "selector: ";
constexpr std::string_view kAlert = "alert: ";
constexpr std::string_view kRules = "rules: ";
/// Members of a rule that hold no text of their own.
constexpr std::string_view kPlainMembers[] = {"type", "state", "activeAt", "value", "health"};

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

  /// The lines that can be kept, in order.
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
    if (std::any_of(std::begin(kAsItIs), std::end(kAsItIs), begins) || SemanticsOf({comment})) {
      return comment;
    }
    if (begins(kRelease)) {
      return kube::ParseRelease(comment.substr(kRelease.size())) ? comment : "";
    }
    if (begins(kSelector)) {
      const std::string kept = promql_.Matchers(comment.substr(kSelector.size()));
      return kept.empty() ? "" : std::string(kSelector) + kept;
    }
    if (begins(kAlert)) return Alert(comment.substr(kAlert.size()));
    if (begins(kRules)) return Rules(comment.substr(kRules.size()));
    return "";
  }

  std::string Alert(const std::string& text) {
    const std::size_t colon = text.find(": ");
    const std::string line = std::string(kAlert) + words_.Code(text.substr(0, colon));
    const std::string expr =
        colon == std::string::npos ? "" : promql_.Expression(text.substr(colon + 2));
    return expr.empty() ? line : line + ": " + expr;
  }

  std::string Rules(const std::string& text) {
    json document = ReadJson(text);
    if (document.is_discarded()) return "";
    RedactRules(document);
    return std::string(kRules) + WriteJson(document);
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
    if (std::any_of(std::begin(kContainers), std::end(kContainers), is_key)) {
      RedactRules(value);
    } else if (key == "labels" && value.is_object()) {
      value = RuleLabels(value);
    } else if (key == "query" && value.is_string()) {
      value = promql_.Expression(value.get<std::string>());
    } else if (key == "name" && value.is_string()) {
      const auto name = value.get<std::string>();
      value = recording ? words_.MetricName(name) : words_.Code(name);
    } else if (std::any_of(std::begin(kPlainMembers), std::end(kPlainMembers), is_key)) {
      if (value.is_string() && !SaysNothing(value.get<std::string>())) return;
    } else if (!value.is_number()) {
      return;
    }
    (*out)[key] = std::move(value);
  }

  /// A kind, a state, a number or a time.
  static bool SaysNothing(const std::string& text) {
    constexpr std::string_view kWords[] = {"alerting", "recording", "firing", "pending",
                                           "inactive", "ok",        "err",    "unknown"};
    return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords) ||
           ParseNumber(text) || (text.find('T') != std::string::npos && ParseTime(text, 0));
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
