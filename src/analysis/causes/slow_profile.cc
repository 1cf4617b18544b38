#include "analysis/causes/slow_profile.h"

#include <map>
#include <utility>
#include <vector>

#include "analysis/causes/slowness.h"

namespace schedlens {
namespace {

constexpr double kLeastSeconds = 0.1;
constexpr double kLeastRatio = 2;

using Children = std::vector<const ScrapeIncreases*>;

std::map<std::string, Children> ScheduledByProfile(const WindowIncreases& window) {
  std::map<std::string, Children> profiles;
  for (const ScrapeIncreases* child :
       Select(window.attempt, "result", ToString(kube::AttemptResult::kScheduled))) {
    profiles[std::string(child->labels.Get("profile"))].push_back(child);
  }
  return profiles;
}

}  // namespace

std::optional<SlowProfile> FindSlowProfile(const WindowIncreases& window) {
  const std::map<std::string, Children> profiles = ScheduledByProfile(window);
  if (profiles.size() < 2) return std::nullopt;
  std::optional<SlowProfile> slowest;
  for (const auto& [name, children] : profiles) {
    Children others;
    for (const auto& [other, theirs] : profiles) {
      if (other != name) others.insert(others.end(), theirs.begin(), theirs.end());
    }
    SlowProfile one{name, PoolBuckets(children), PoolBuckets(others)};
    if (one.own.count() < kLeastAttempts || one.rest.count() < kLeastAttempts) continue;
    const double p99 = one.own.Interpolate(0.99);
    if (p99 < kLeastSeconds || p99 < kLeastRatio * one.rest.Interpolate(0.99)) continue;
    const double tried = static_cast<double>(profiles.size());
    if (SmallestPValue(one.own, one.rest, kLeastSeconds) * tried > kSignificant) continue;
    if (!slowest || p99 > slowest->own.Interpolate(0.99)) slowest = std::move(one);
  }
  return slowest;
}

}  // namespace schedlens
