#include "analysis/neighbours/change_log.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace schedlens {
namespace {

/// How far from the onset a change may be to be told with it.
constexpr TimeMs kReach = 120'000;
constexpr TimeMs kReachScrapes = 3;
/// More objects that changed alike are one line.
constexpr std::size_t kEach = 3;
constexpr std::size_t kMost = 20;

bool Nearer(const ClusterChange& a, const ClusterChange& b) {
  if (a.after_onset != b.after_onset) return b.after_onset;
  return std::abs(a.distance_seconds) < std::abs(b.distance_seconds);
}

}  // namespace

TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes) {
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < scrapes.size(); ++i) gaps.push_back(scrapes[i] - scrapes[i - 1]);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

void ChangeLog::Note(ClusterChange change, TimeMs interval) {
  const TimeMs reach = std::max(kReach, kReachScrapes * std::max(interval, interval_));
  if (change.latest < onset_ - interval_ - reach || change.earliest > onset_ + reach) return;
  change.after_onset = change.earliest > onset_ + interval_;
  if (change.at == 0) change.at = change.earliest + (change.latest - change.earliest) / 2;
  change.distance_seconds = static_cast<double>(change.at - onset_) / 1000;
  const auto same = std::find_if(changes_.begin(), changes_.end(), [&](const ClusterChange& other) {
    return other.what == change.what && other.object == change.object &&
           other.after_onset == change.after_onset;
  });
  if (same == changes_.end()) {
    changes_.push_back(std::move(change));
  } else if (Nearer(change, *same)) {
    *same = std::move(change);
  }
}

std::vector<ClusterChange> ChangeLog::Changes() const {
  std::vector<ClusterChange> sorted = changes_;
  std::stable_sort(sorted.begin(), sorted.end(), Nearer);
  using Kind = std::pair<std::string, bool>;
  const auto kind = [](const ClusterChange& one) { return Kind(one.what.id, one.after_onset); };
  std::map<Kind, std::size_t> alike;
  for (const ClusterChange& change : sorted) ++alike[kind(change)];
  std::vector<ClusterChange> out;
  for (ClusterChange& change : sorted) {
    std::size_t& left = alike[kind(change)];
    const std::size_t n = left;
    if (n == 0 || out.size() == kMost) continue;
    if (n > kEach) {
      change.count = static_cast<double>(n);
      left = 0;
    }
    out.push_back(std::move(change));
  }
  return out;
}

}  // namespace schedlens
