#include "analysis/lint/program.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "analysis/lint/variables.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using promql::MatchOp;

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

}  // namespace schedlens
