#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/nearest.h"
#include "base/series.h"
#include "base/text.h"
#include "lint/checks.h"

namespace schedlens::lint {
namespace {

/// In small letters and without marks: `extensionPoint` and `extension_point` are one word.
std::string Plain(const std::string& word) {
  std::string plain;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

bool IsNegated(std::string_view word) {
  return word.starts_with("un") || word.starts_with("not") || word.starts_with("non");
}

SeriesKind KindIn(const MetricRow* row, std::string_view name) {
  if (row == nullptr) return SeriesKind::kUnknown;
  const bool histogram = row->kind == MetricKind::kHistogram;
  if (row->name != name) {
    const bool parts = histogram || row->kind == MetricKind::kSummary;
    return parts ? SeriesKind::kCounter : SeriesKind::kUnknown;
  }
  if (row->kind == MetricKind::kCounter) return SeriesKind::kCounter;
  return histogram ? SeriesKind::kUnknown : SeriesKind::kGauge;
}

constexpr std::string_view kTargetLabels[] = {"job",      "service",   "app",       "pod",
                                              "pod_name", "container", "component", "namespace"};

bool NamesTarget(const Matcher& matcher) {
  return (matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kRegex) &&
         !matcher.value.empty() &&
         std::find(std::begin(kTargetLabels), std::end(kTargetLabels), matcher.name) !=
             std::end(kTargetLabels);
}

/// Whether a value may be a component's, or that of a scheduler built from Kubernetes' own
/// (`ack-scheduler`); a pattern where such a name is part of it, or where it holds no word at all.
bool MayBeAComponent(const Matcher& matcher) {
  const std::string& value = matcher.value;
  constexpr std::string_view kApiServer = "apiserver";
  if (HoldsVariableText(value) || kube::MayBeSchedulersJob(value) || value == kApiServer) {
    return true;
  }
  if (value.find("scheduler") != std::string::npos) return true;
  if (matcher.op == MatchOp::kEqual) return false;
  return value.find(kApiServer) != std::string::npos ||
         std::none_of(value.begin(), value.end(),
                      [](unsigned char c) { return std::isalpha(c) != 0; });
}

}  // namespace

std::string MeantWord(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 5;
  constexpr std::size_t kSlip = 2;
  // Two names of one thing: the counter of requests has the one, their durations the other.
  constexpr std::pair<std::string_view, std::string_view> kAlike[] = {{"verb", "method"},
                                                                      {"method", "verb"}};
  for (const std::string& one : known) {
    if (Plain(one) == Plain(word) && !Plain(word).empty()) return one;
    for (const auto& [a, b] : kAlike) {
      if (word == a && one == b) return one;
    }
  }
  std::string best;
  std::size_t distance = kSlip + 1;
  for (const std::string& one : known) {
    if (word.size() < kShortest || one.size() < kShortest || IsNegated(word) != IsNegated(one)) {
      continue;
    }
    const std::size_t edits = EditDistance(word, one);
    if (edits < distance) {
      best = one;
      distance = edits;
    }
  }
  return best;
}

bool AnyVariable(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return HoldsVariable(name); });
}

SeriesKind KindOfOwnSeries(std::string_view name) { return KindIn(kube::FindMetric(name), name); }

SeriesKind KindOfSeries(std::string_view name) {
  if (kube::FindMetric(name) != nullptr) return KindOfOwnSeries(name);
  return KindIn(kube::FindNeighbour(name), name);
}

bool IsBareHistogram(std::string_view name) {
  const MetricRow* row = kube::FindMetric(name);
  return row != nullptr && row->name == name && row->kind == MetricKind::kHistogram;
}

bool HasOnlyName(const Selector& selector) {
  return std::all_of(selector.matchers.begin(), selector.matchers.end(),
                     [](const auto& matcher) { return matcher.name == kMetricName; });
}

const Matcher* Chosen(const Selector& selector, std::string_view name) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == name && matcher.op == MatchOp::kEqual) return &matcher;
  }
  return nullptr;
}

bool HasJobOf(const Selector& selector, std::string_view word) {
  return std::any_of(selector.matchers.begin(), selector.matchers.end(), [&](const auto& matcher) {
    return matcher.name == "job" && matcher.value.find(word) != std::string::npos;
  });
}

std::string ReleaseName(int minor) { return fmt::format("1.{}", minor); }

void RenameSelector(Selector& selector, const std::string& name) {
  selector.name = name;
  for (Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName) matcher.value = name;
  }
}

std::string CallText(std::string_view function, const Selector& ranged) {
  return fmt::format("{}({}[{}])", function, ranged.name, FormatDuration(ranged.range_ms));
}

ExprPtr CallOf(std::string_view function, const Selector& ranged) {
  return MakeExpr(Call{promql::FindFunction(function), {MakeExpr(ranged, ValueKind::kMatrix)}},
                  ValueKind::kVector);
}

bool IsOfAnotherProgram(const Selector& selector) {
  if (selector.name.starts_with(kube::kOwnPrefix)) return false;
  bool named = false;
  for (const Matcher& matcher : selector.matchers) {
    if (!NamesTarget(matcher)) continue;
    if (MayBeAComponent(matcher)) return false;
    named = true;
  }
  return named;
}

NamesAsWritten::NamesAsWritten(const Expr& tree) {
  Walk(tree, [&](const Expr& node) {
    const auto* selector = node.As<Selector>();
    if (selector != nullptr) own_.insert({selector->name, FamilyOf(selector->name)});
  });
}

void NamesAsWritten::Renamed(const std::string& before, const std::string& after) {
  Add(before, after);
  Add(FamilyOf(before), FamilyOf(after));
}

void NamesAsWritten::AddSeries() {
  for (const std::string& name : own_) {
    for (const char* suffix : {"_bucket", "_count"}) Add(name, name + suffix);
  }
}

void NamesAsWritten::Add(const std::string& before, const std::string& after) {
  if (own_.count(after) > 0) return;
  const auto earlier = written_.find(before);
  written_.emplace(after, earlier == written_.end() ? before : std::string(earlier->second));
}

Message NamesAsWritten::In(Message message) const {
  for (Argument& argument : message.args) {
    Value& value = argument.value;
    if (value.type == Value::Type::kMetric) {
      const auto name = written_.find(value.text);
      if (name != written_.end()) value.text = name->second;
    }
    for (Message& inner : value.messages) inner = In(inner);
  }
  return message;
}

}  // namespace schedlens::lint
