#include "analysis/alert/episodes.h"

#include <algorithm>
#include <cmath>

#include "analysis/alert/fires.h"

namespace schedlens {
namespace {

bool HasThreshold(const AlertVerdict& alert) {
  return alert.threshold.has_value() && !alert.comparison.empty();
}

/// The times that it held, whatever its `for`.
std::vector<AlertEpisode> TimesHeld(const Timeline& timeline, const AlertVerdict& alert) {
  std::vector<AlertEpisode> held;
  if (!HasThreshold(alert)) return held;
  bool open = false;
  for (std::size_t i = 0; i < std::min(timeline.times.size(), timeline.shown.size()); ++i) {
    if (std::isnan(timeline.shown[i])) continue;
    const bool holds = Compares(timeline.shown[i], alert.comparison, *alert.threshold);
    if (holds && !open) held.push_back({timeline.times[i], {}, {}});
    if (!holds && open) held.back().resolved = timeline.times[i];
    open = holds;
  }
  return held;
}

}  // namespace

std::vector<AlertEpisode> EpisodesOf(const Timeline& timeline, const AlertVerdict& alert,
                                     std::int64_t for_ms, const std::vector<Firing>& firings) {
  if (for_ms <= 0) return {};
  std::vector<AlertEpisode> held = TimesHeld(timeline, alert);
  const TimeMs last = timeline.times.empty() ? 0 : timeline.times.back();
  for (AlertEpisode& episode : held) {
    const TimeMs firing = episode.pending + for_ms;
    if (firing <= episode.resolved.value_or(last)) episode.firing = firing;
  }
  if (firings.empty()) return held;
  std::vector<AlertEpisode> known;
  for (const Firing& firing : firings) {
    const AlertEpisode one{firing.start - for_ms, firing.start, firing.end};
    const bool told = std::any_of(known.begin(), known.end(), [&](const AlertEpisode& episode) {
      return episode.firing == one.firing;
    });
    if (!told) known.push_back(one);
  }
  return known;
}

std::optional<double> SecondsAbove(const Timeline& timeline, const AlertVerdict& alert,
                                   const TimeRange& window) {
  const bool exceeds = alert.comparison == ">" || alert.comparison == ">=";
  if (!HasThreshold(alert) || !exceeds) return std::nullopt;
  bool any = false;
  TimeMs above = 0;
  for (std::size_t i = 1; i < std::min(timeline.times.size(), timeline.shown.size()); ++i) {
    const TimeMs from = std::max(timeline.times[i - 1], window.start);
    const TimeMs to = std::min(timeline.times[i], window.end);
    if (from >= to || std::isnan(timeline.shown[i])) continue;
    any = true;
    if (Compares(timeline.shown[i], alert.comparison, *alert.threshold)) above += to - from;
  }
  return any ? std::optional(static_cast<double>(above) / 1000) : std::nullopt;
}

}  // namespace schedlens
