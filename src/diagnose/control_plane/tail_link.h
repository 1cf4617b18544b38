#pragma once

#include <optional>
#include <vector>

#include "base/message.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/control_plane/binding_path.h"
#include "diagnose/control_plane/meter.h"
#include "schedlens/estimate.h"

namespace schedlens {

// Slow attempts and slow bindings, by inclusion: a binding is part of its attempt, so whichever
// takes more than x inside the API server belongs to an attempt that takes more than x. Quantiles
// do not subtract; these counts do.

struct TailLink {
  double over = 0;      ///< seconds: a bound of the attempts' histogram
  double inside = 0;    ///< seconds, no less: a bound of the API servers' histogram
  double attempts = 0;  ///< that took more than `over`
  double least = 0;     ///< of them those that took more than `inside` inside the API servers
  /// Of the attempts over the threshold those that the servers alone made so; absent without one.
  std::optional<Measured> sufficient;

  Message Sentence() const;
};

/// Attempts that ran at the window's edges: as many bindings may be counted on the other side.
struct RunningAtEdges {
  double start = 0;
  double end = 0;
};

/// The two bounds that prove most: of the attempts over the threshold, or over the bound before it,
/// and where there is none of a slow hundredth to a slow fifth of all. Nothing without buckets of
/// both, without a slow attempt, and where the counts say that not every binding is an attempt's,
/// or attempts were lost.
std::optional<TailLink> LinkTails(const NeighbourFacts& facts, const BindingPath& path,
                                  const WindowIncreases& cells, const RunningAtEdges& running,
                                  std::optional<double> threshold);

// Who took what bindings spent outside the service level indicator: what of each webhook's and each
// priority level's own seconds was of bindings is in no metric, but the seconds rise and fall
// together from scrape to scrape.

/// Of one contributor.
struct OutsideShare {
  double share = 0;      ///< of its own seconds that bindings met, 0 to 1: a guess, proves nothing
  bool replaced = true;  ///< the others explain the same scrapes without it
};

/// Shares s with sum of s * own = `outside` between the scrapes, by least squares; scrapes within
/// `window` weigh most. `replaced` where leaving the contributor out fits the window hardly worse,
/// or where there are too few scrapes to tell. Those that nothing tells apart get the same share,
/// as do all but the 39 that took most in the window.
std::vector<OutsideShare> FitOutside(const Meter& outside, const std::vector<Meter>& own,
                                     const TimeRange& window);

}  // namespace schedlens
