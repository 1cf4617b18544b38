// The rule file and the dashboard of json/, with what the release and the threshold fill in. The
// identities are those of the stage tree: sums add up, so what has no metric of its own is what is
// left. Up to 1.29 the algorithm's histogram counts only attempts that found a node; from 1.30 on
// it counts all, and contains PostFilter. A part that may have no series yet counts as zero
// wherever the whole has a value: `or 0 * whole`.

#include "kube/metrics.h"
#include "report/commands.h"

namespace schedlens {

namespace {

/// Throws Error(kUsage), naming the nearest bound, when the threshold is none.
void CheckWatchOptions(const WatchRuleOptions& options) {
  const std::vector<double> bounds =
      kube::BoundsIn(kube::RowOf(kube::Metric::kAttempt), std::nullopt);
  const auto nearest = std::ranges::min_element(
      bounds, {}, [&](double bound) { return std::abs(bound - options.threshold); });
  if (*nearest == options.threshold) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("the threshold {} s lies inside a bucket, so an alert on it would be "
                          "decided by interpolation; give a bound, the nearest is {}",
                          FormatNumber(options.threshold), FormatNumber(*nearest)));
}

/// The template's lines of that release, those for some alone without their mark, filled in.
std::string FilledIn(std::string_view lines, const WatchRuleOptions& options) {
  using kube::Metric;
  CheckWatchOptions(options);
  std::string text;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.starts_with("<=") || line.starts_with(">=")) {
      const int release = std::stoi(std::string(line.substr(2, 2)));
      if (line[0] == '<' ? options.minor > release : options.minor < release) continue;
      line.remove_prefix(4);
    }
    text.append(line) += '\n';
  }
  const bool renamed = options.minor >= kube::RowOf(Metric::kAttempt).first;
  const std::pair<std::string_view, std::string> filled_in[] = {
      {"MINOR", std::to_string(options.minor)},
      {"ATTEMPT_METRIC", std::string(NameOf(renamed ? Metric::kAttempt : Metric::kE2e))},
      {"THRESHOLD", FormatNumber(options.threshold)}};
  for (const auto& [name, value] : filled_in) {
    for (std::size_t at; (at = text.find(name)) != text.npos;) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

}  // namespace

std::string WatchRules(const WatchRuleOptions& options) {
  return FilledIn(RulesTemplate(), options);
}

std::string Dashboard(const WatchRuleOptions& options) {
  return FilledIn(DashboardTemplate(), options);
}

}  // namespace schedlens
