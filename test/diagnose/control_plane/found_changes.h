#pragma once

// The changes around second 300, a line each.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/state_metrics.h"

namespace schedlens::testing_support {

inline constexpr double kOnset = 300;
using Lines = std::vector<std::string>;

/// A scheduler that is scraped every ten seconds.
inline Facts Schedulers() {
  Facts facts;
  Target target{Labels{{"job", "kube-scheduler"}, {"instance", "s:10259"}}, {}, {}, {}};
  for (int t = 0; t <= 600; t += 10) target.scrapes.push_back(At(t));
  facts.targets = {target};
  return facts;
}

/// What, object, seconds from the onset, values, how many.
inline Lines Found(const ControlPlaneFacts& control_plane, const Facts& facts = Schedulers(),
                   const std::optional<LoadWindows>& loads = std::nullopt) {
  Lines found;
  for (const ClusterChange& change : FindChanges(facts, control_plane, At(kOnset), loads)) {
    std::string line = change.what.id + " " + change.object + " " +
                       std::to_string(std::lround(change.distance_seconds));
    if (!change.before.empty()) line += " " + change.before + " -> " + change.after;
    if (change.after_onset) line += " after";
    if (change.count > 1) line += " x" + std::to_string(std::lround(change.count));
    found.push_back(line);
  }
  return found;
}

}  // namespace schedlens::testing_support
