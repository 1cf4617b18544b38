#include "analysis/tail/attempt_reconstruction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace schedlens {
namespace {

/// The first and the last part of each group.
constexpr std::pair<kube::Stage, kube::Stage> kGroups[] = {
    {kube::Stage::kPreFilter, kube::Stage::kPostFilter},
    {kube::Stage::kReserve, kube::Stage::kReserve},
    {kube::Stage::kPermit, kube::Stage::kPermit},
    {kube::Stage::kPermitWait, kube::Stage::kPermitWait},
    {kube::Stage::kPreBind, kube::Stage::kPreBind},
    {kube::Stage::kBindPlugins, kube::Stage::kBindUnmeasured}};

/// Places of a group's parts, the end excluded.
std::pair<std::ptrdiff_t, std::ptrdiff_t> PlacesOf(Group group) {
  const auto [first, last] = kGroups[group];
  return {static_cast<std::ptrdiff_t>(IndexOf(first)),
          static_cast<std::ptrdiff_t>(IndexOf(last)) + 1};
}

/// Seconds given over what there was.
double Over(double free) { return std::max(0.0, -free); }

/// Of each whole, the seconds of each group: each is added up once, however often it is compared.
using GroupSeconds = std::vector<std::array<double, kGroupCount>>;

GroupSeconds SecondsOfGroups(const std::vector<ReconstructedAttempt>& wholes) {
  GroupSeconds seconds(wholes.size());
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    for (std::size_t g = 0; g < kGroupCount; ++g) {
      seconds[i][g] = wholes[i].SecondsOf(static_cast<Group>(g));
    }
  }
  return seconds;
}

/// The exchange that mends most of one whole's excess; false when none mends more than `least`.
bool RepairOne(double least, std::size_t full, std::vector<ReconstructedAttempt>* wholes,
               GroupSeconds* seconds) {
  const double free = (*wholes)[full].free;
  std::size_t partner = full;
  std::size_t best = 0;
  for (std::size_t g = 0; g < kGroupCount; ++g) {
    const double own = (*seconds)[full][g];
    if (own <= 0) continue;
    for (std::size_t i = 0; i < wholes->size(); ++i) {
      const double move = own - (*seconds)[i][g];
      if (move <= 0) continue;
      const double other = (*wholes)[i].free;
      const double gain = Over(free) + Over(other) - Over(free + move) - Over(other - move);
      if (gain <= least) continue;
      least = gain;
      partner = i;
      best = g;
    }
  }
  if (partner == full) return false;
  (*wholes)[full].Exchange(static_cast<Group>(best), &(*wholes)[partner]);
  std::swap((*seconds)[full][best], (*seconds)[partner][best]);
  return true;
}

}  // namespace

Group GroupOf(kube::Stage part) {
  std::size_t group = 0;
  while (part > kGroups[group].second) ++group;
  return static_cast<Group>(group);
}

void ReconstructedAttempt::Take(const PartSeconds& more) {
  for (const kube::Stage part : kube::All<kube::Stage>()) Give(part, more[part]);
}

double ReconstructedAttempt::SecondsOf(Group group) const {
  const auto [first, end] = PlacesOf(group);
  return std::accumulate(parts.begin() + first, parts.begin() + end, 0.0);
}

void ReconstructedAttempt::Exchange(Group group, ReconstructedAttempt* other) {
  const double mine = SecondsOf(group), its = other->SecondsOf(group);
  free += mine - its;
  other->free += its - mine;
  const auto [first, end] = PlacesOf(group);
  std::swap_ranges(parts.begin() + first, parts.begin() + end, other->parts.begin() + first);
  std::swap(has[group], other->has[group]);
}

void ReconstructedAttempts::Spread(kube::Stage part, double s) {
  if (count() == 0) return;
  for (ReconstructedAttempt& w : large) w.Give(part, s / count());
  small[part] += s / count() * small_count;
  small_seconds -= s / count() * small_count;
}

void ReconstructedAttempts::Close(kube::Stage rest) {
  small[rest] += std::max(0.0, small_seconds);
  small_seconds = 0;
  double room = 0, over = 0;
  for (const ReconstructedAttempt& w : large) (w.free > 0 ? room : over) += std::abs(w.free);
  const double left = room > 0 ? std::max(0.0, room - over) / room : 0;
  for (ReconstructedAttempt& w : large) {
    w.parts[rest] += left * std::max(0.0, w.free);
    w.seconds = std::accumulate(w.parts.begin(), w.parts.end(), 0.0);
    w.free = 0;
  }
}

ReconstructedAttempt* BestFit(std::vector<ReconstructedAttempt>* wholes, std::optional<Group> group,
                              double s, bool must) {
  constexpr double kBlur = 1.02;
  ReconstructedAttempt *best = nullptr, *roomiest = nullptr;
  for (ReconstructedAttempt& w : *wholes) {
    if (group && w.has[*group]) continue;
    if (w.free * kBlur >= s && (best == nullptr || w.free < best->free)) best = &w;
    if (roomiest == nullptr || w.free > roomiest->free) roomiest = &w;
  }
  return best != nullptr || !must ? best : roomiest;
}

void Repair(double least, std::vector<ReconstructedAttempt>* wholes) {
  GroupSeconds seconds = SecondsOfGroups(*wholes);
  for (std::size_t i = 0; i < wholes->size(); ++i) {
    for (std::size_t n = 0; n < kGroupCount && (*wholes)[i].free < -least; ++n) {
      if (!RepairOne(least / 2, i, wholes, &seconds)) break;
    }
  }
}

}  // namespace schedlens
