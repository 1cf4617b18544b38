#include "analysis/collect/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "kube/metrics.h"

namespace schedlens {
namespace {

/// The one metric whose absence counts: every scheduler up to 1.19 exports it from its first
/// moment. So does 1.20 the binding duration, but where that is absent, 1.20 with a relabelling
/// that drops it is as likely as 1.21, and the two measure a bind differently.
constexpr kube::Metric kAlwaysThere = kube::Metric::kPredicateEvaluation;

int Minor(std::string_view text) {
  int minor = 0;
  std::from_chars(text.data(), text.data() + text.size(), minor);
  return minor;
}

}  // namespace

ReleaseRange DetectRelease(const Facts& facts) {
  ReleaseRange release;
  const auto& present = facts.Of("release");
  if (present.empty()) return release;
  std::set<const kube::MetricRow*> seen;
  for (const Series& series : present) {
    if (const auto* row = kube::FindMetric(series.labels.Get(kMetricName))) seen.insert(row);
  }
  for (const Series& series : present) {
    if (series.labels.Get(kMetricName) != kube::NameOf(kube::Metric::kBuildInfo)) continue;
    const int minor = Minor(series.labels.Get("minor"));
    if (minor <= 0) continue;
    return {minor, minor, std::string(series.labels.Get("git_version"))};
  }
  for (const kube::MetricRow* row : seen) {
    release.newest = std::min(release.newest, kube::LastShown(*row));
  }
  // What is older than the table's first release is told by names that ended with it.
  const bool old = release.newest <= kube::kOldestRelease;
  if (old) release.oldest = kube::kOldestNamed;
  for (const kube::MetricRow* row : seen) release.oldest = std::max(release.oldest, row->first);
  const kube::MetricRow& always = kube::RowOf(kAlwaysThere);
  if (!old && !seen.contains(&always)) release.oldest = std::max(release.oldest, always.last + 1);
  // Replicas of different releases show metrics whose lifetimes do not meet.
  if (release.oldest > release.newest) std::swap(release.oldest, release.newest);
  return release;
}

std::string ToString(const ReleaseRange& release) {
  if (!release.exact.empty()) return release.exact;
  if (!release.known()) return "";
  if (release.newest == kube::kNoEnd) return fmt::format("1.{} or later", release.oldest);
  // Names do not tell that release from those before it.
  if (release.newest == kube::kOldestNamed) return fmt::format("1.{} or earlier", release.newest);
  if (release.oldest == release.newest) return fmt::format("1.{}", release.oldest);
  return fmt::format("1.{}-1.{}", release.oldest, release.newest);
}

}  // namespace schedlens
