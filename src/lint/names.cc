#include "lint/names.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "base/series.h"
#include "base/text.h"
#include "kube/metrics.h"
#include "lint/variables.h"

namespace schedlens {
namespace {

using promql::MatchOp;

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

SeriesKind KindIn(const kube::MetricRow* row, std::string_view name) {
  if (row == nullptr) return SeriesKind::kUnknown;
  const bool part = row->name != name;
  switch (row->kind) {
    case kube::MetricKind::kCounter:
      return part ? SeriesKind::kUnknown : SeriesKind::kCounter;
    case kube::MetricKind::kGauge:
      return part ? SeriesKind::kUnknown : SeriesKind::kGauge;
    case kube::MetricKind::kHistogram:
      return part ? SeriesKind::kCounter : SeriesKind::kUnknown;
    case kube::MetricKind::kSummary:
      return part ? SeriesKind::kCounter : SeriesKind::kGauge;
  }
  return SeriesKind::kUnknown;
}

constexpr std::string_view kTargetLabels[] = {"job",      "service",   "app",       "pod",
                                              "pod_name", "container", "component", "namespace"};

bool NamesTarget(const promql::Matcher& matcher) {
  return (matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kRegex) &&
         !matcher.value.empty() &&
         std::find(std::begin(kTargetLabels), std::end(kTargetLabels), matcher.name) !=
             std::end(kTargetLabels);
}

/// Whether a value may be a component's, or that of a scheduler built from Kubernetes' own
/// (`ack-scheduler`); a pattern where such a name is part of it, or where it holds no word at all.
bool MayBeAComponent(const promql::Matcher& matcher) {
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

SeriesKind KindOfOwnSeries(std::string_view name) { return KindIn(kube::FindMetric(name), name); }

SeriesKind KindOfSeries(std::string_view name) {
  if (kube::FindMetric(name) != nullptr) return KindOfOwnSeries(name);
  return KindIn(kube::FindNeighbour(name), name);
}

bool IsOfAnotherProgram(const promql::Selector& selector) {
  if (selector.name.starts_with(kube::kOwnPrefix)) return false;
  bool named = false;
  for (const promql::Matcher& matcher : selector.matchers) {
    if (!NamesTarget(matcher)) continue;
    if (MayBeAComponent(matcher)) return false;
    named = true;
  }
  return named;
}

NamesAsWritten::NamesAsWritten(const promql::Expr& tree) {
  promql::Walk(tree, [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr) return;
    own_.insert(selector->name);
    own_.insert(FamilyOf(selector->name));
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

}  // namespace schedlens
