#include "cli/options/kept_rules.h"

#include <algorithm>

#include "model/exposition.h"
#include "schedlens/error.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

constexpr std::string_view kRulesWord = "rules: ";

}  // namespace

RulesOfAlert FetchRulesOf(const SourceOptions& source, const std::string& alert) {
  if (source.prometheus.empty() || alert.empty()) return {};
  try {
    return PickRules(FetchRules(source), alert);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;  // no rules there, but samples all the same
    return {};
  }
}

std::vector<std::string> AlertComments(const std::string& alert, const RulesOfAlert& rules) {
  std::vector<std::string> lines = {"alert: " + alert};
  if (!rules.expr.empty()) lines.front() += ": " + rules.expr;
  std::replace(lines.front().begin(), lines.front().end(), '\n', ' ');
  if (!rules.json.empty()) lines.push_back(std::string(kRulesWord) + rules.json);
  return lines;
}

std::optional<std::string> RulesInCapture(const std::string& path) {
  if (path == "-") return std::nullopt;
  for (const std::string& comment : ReadHeader(path)) {
    if (comment.starts_with(kRulesWord)) return comment.substr(kRulesWord.size());
  }
  return std::nullopt;
}

}  // namespace schedlens
