#pragma once

// Why one quantile reads above another that should contain it (algorithm p99 above e2e p99).
//
// Over the same attempts, in the same layout, with e_i >= a_i for each, the counts keep the order
// at every bound, and so does every interpolated quantile (H6). An inversion is therefore evidence
// that a premise is false. The cases are walked in a fixed order, and the first one that the data
// proves ends the walk.

#include "diagnose/explain/quantile.h"

namespace schedlens {

struct CompareRequest {
  QuantileRequest part;   ///< A: what should be the shorter one, and reads above
  QuantileRequest whole;  ///< B
};

/// Throws what ExplainQuantile throws. When the clocks of both families are known and were given
/// the other way round, they are swapped: `part` is always the one contained in the other.
Comparison Compare(Source& source, const CompareRequest& request);

// The cases of an inversion, and what they measure.

/// One of the two compared histograms, added up.
struct Side {
  Side(const HistogramGroup& of, const QuantileGroups& all, const QuantileRequest& asked);

  const HistogramGroup* group;
  const QuantileGroups* data;
  const QuantileRequest* request;
  std::vector<double> bounds;  ///< union of the children's
  bool one_layout = true;
  double n = 0;
  double sum = 0;  ///< NaN where unknown

  /// Observations above a bound that all children have.
  double Above(double bound) const;
};

/// Walks the cases until one is proven; fills in cases, verdict and believe. Without an inversion
/// it says so and walks nothing.
void WalkCases(Source& source, const Side& part, const Side& whole, Comparison* out);

struct Walk {
  Source& source;
  const Side& part;
  const Side& whole;
  const Comparison& out;
};

/// What a server shows for these children at the whole's quantile; NaN without observations.
double ShownOf(std::span<const ScrapeIncreases> children, const Walk& w);
bool StillInverted(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                   const Walk& w);
/// The children whose attempts ended bound: those without a `result`, and result="scheduled".
std::vector<ScrapeIncreases> BoundChildren(const Side& side);
/// The most by which observations above a bound outnumber those in the whole; never negative.
double MostInPartOnly(const Side& part, const Side& whole,
                      std::span<const ScrapeIncreases> whole_children);

/// Both sides cut to the scrapes that both have of a process, intervals with a reset left out:
/// what remains was counted over the same time.
struct Aligned {
  std::vector<ScrapeIncreases> part, whole;
  bool differ = false;  ///< the two had not the same scrapes to begin with
  bool reset = false;
};
Aligned AlignScrapes(const Walk& w);
/// Scrapes differ or are reset, and without that the inversion is gone.
bool ScrapesExplain(const Walk& w);
/// One side has no two scrapes that are histograms.
bool TornExplains(const Walk& w);
/// Counted by the part and not yet by the whole when the window ends, by the counters themselves.
double InFlightAtEnd(const Walk& w);
/// What stood in flight at the window's end explains it, and a scrape or two later it is gone.
struct Shift {
  int scrapes = 0;  ///< 0: it does not explain the inversion
  double in_flight = 0, shown = 0;
};
Shift ShiftExplains(const Walk& w);

}  // namespace schedlens
