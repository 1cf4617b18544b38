#include "kube/neighbour_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/family.h"

namespace schedlens::kube {
namespace {

std::string Named(Neighbour metric, std::string_view suffix) {
  return std::string(NameOf(metric)).append(suffix);
}

}  // namespace

ComponentReleases ReleasesOf(Component component) {
  switch (component) {
    case Component::kEtcd:
      return {"3.", 4, 7};
    case Component::kKubeStateMetrics:
      return {"2.", -1, 20};
    case Component::kCsiSidecar:
      return {"", 0, 0};
    default:
      return {"1.", kOldestRelease, kNewestRelease};
  }
}

int EtcdOf(int minor) {
  if (minor < 22) return 4;
  return minor < 34 ? 5 : 6;
}

int KubeStateMetricsOf(int minor) {
  // From 1.20 on; before that 1.9.
  static constexpr int kMinors[] = {0, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18, 19, 20};
  constexpr int kFirst = 20;
  if (minor < kFirst) return -1;
  const auto at = static_cast<std::size_t>(minor - kFirst);
  return kMinors[std::min(at, std::size(kMinors) - 1)];
}

const NeighbourRow& RowOf(Neighbour metric) {
  return NeighbourTable()[static_cast<std::size_t>(metric)];
}

const NeighbourRow* FindNeighbour(std::string_view name) {
  static const std::unordered_map<std::string_view, const NeighbourRow*> by_name = [] {
    std::unordered_map<std::string_view, const NeighbourRow*> all;
    for (const NeighbourRow& row : NeighbourTable()) all.emplace(row.name, &row);
    return all;
  }();
  if (const auto found = by_name.find(name); found != by_name.end()) return found->second;
  const std::string family = FamilyOf(name);
  const auto found = by_name.find(family);
  return found == by_name.end() ? nullptr : found->second;
}

std::string_view NameOf(Neighbour metric) { return RowOf(metric).name; }
std::string BucketOf(Neighbour metric) { return Named(metric, "_bucket"); }
std::string SumOf(Neighbour metric) { return Named(metric, "_sum"); }
std::string CountOf(Neighbour metric) { return Named(metric, "_count"); }

Presence PresenceIn(const NeighbourRow& row, int minor) {
  if (minor < row.first() && row.first() > ReleasesOf(row.component).oldest)
    return Presence::kNotYet;
  if (minor > row.last) return Presence::kRemoved;
  return minor >= row.hidden ? Presence::kHidden : Presence::kVisible;
}

const MetricEra& EraIn(const NeighbourRow& row, int minor) {
  const MetricEra* era = &row.eras.front();
  for (const MetricEra& later : row.eras) {
    if (later.since <= minor) era = &later;
  }
  return *era;
}

const NeighbourRow* PredecessorOf(const NeighbourRow& row) {
  for (const NeighbourRow& other : NeighbourTable()) {
    if (other.successor == row.name) return &other;
  }
  return nullptr;
}

std::string ReleasesText(const NeighbourRow& row) {
  const ComponentReleases known = ReleasesOf(row.component);
  const auto text = [&](int minor) {
    return minor < 0 ? std::string("1.9") : fmt::format("{}{}", known.prefix, minor);
  };
  const bool since = row.first() > known.oldest;
  const int shown = std::min(row.last, row.hidden - 1);
  std::string out = since ? "from " + text(row.first()) : "all";
  if (shown < known.newest) {
    out = since ? text(row.first()) + " to " + text(shown) : "up to " + text(shown);
  }
  if (row.hidden <= row.last && row.hidden < kNoEnd) out += "; hidden from " + text(row.hidden);
  if (row.last < known.newest) out += "; gone in " + text(row.last + 1);
  return out;
}

}  // namespace schedlens::kube
