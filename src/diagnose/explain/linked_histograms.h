#pragma once

// Which histograms of kube-scheduler measure the same attempts, and which of two is the longer:
//   Bind <= binding <= e2e{scheduled} <= pod      algorithm <= e2e{scheduled}
// All are clocks of one attempt that stop (algorithm: start) at the same instant, each starting
// earlier than the one before it. Whether the populations are equal is checked on the data.
// The exact increases of one family over a window, process by process, each with the histograms of
// the same attempts that may narrow it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/series.h"
#include "diagnose/collect/histogram_store.h"
#include "promql/ast.h"
#include "stats/proven_interval.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// One histogram of the chain: a family and the labels that pick the attempts which were bound.
struct AttemptClock {
  std::string_view name;  ///< as a basis names it
  std::string_view family;
  std::vector<Labels::Pair> labels;
  int reach = 0;         ///< position in the chain: larger contains smaller
  bool on_chain = true;  ///< false: only comparable with clocks that contain it (algorithm)
};

const std::vector<AttemptClock>& AttemptClocks();

/// The clock that a child of a family belongs to; null when it is no clock of bound attempts. A
/// label that the child does not have at all counts as fitting (1.18 has no `result`).
const AttemptClock* ClockOf(std::string_view family, const Labels& labels);

/// The clocks comparable with this one, of other families: each attempt's value in them is larger
/// (`reach` larger) or smaller.
std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock);

/// The clocks that any clock of a family links to: all of one family have the same reach.
std::vector<const AttemptClock*> LinkedToFamily(std::string_view family);

/// One family over a window.
struct LinkedHistograms {
  std::vector<ScrapeIncreases> children;  ///< sorted by labels
  std::vector<LinkedProcess> processes;   ///< the same children, with their links
};

/// Children of one family, linked to those of `others` that measure the same attempts in the same
/// process. All are of one window and one set of targets.
LinkedHistograms LinkHistograms(std::vector<ScrapeIncreases> children,
                                std::span<const std::vector<ScrapeIncreases>* const> others);

/// The part of a store that a quantile is asked of.
struct FamilyWindow {
  std::string family;                     ///< without _bucket
  std::vector<promql::Matcher> matchers;  ///< children that one refuses are left out
  TimeRange window;       ///< increases between the last scrape at or before each edge
  bool lifetime = false;  ///< counters as they stand at `window.end` instead
  bool inside = false;    ///< without the increase up to the window's first scrape
};

/// Empty where the store has nothing of the family in the window.
LinkedHistograms CutFamily(const StoreView& store, const FamilyWindow& asked);

/// Children grouped by what an aggregation keeps of their labels.
struct HistogramGroup {
  Labels labels;
  std::vector<LinkedProcess> processes;
  std::vector<ScrapeIncreases> children;
};

/// Splits by `by` labels (`kBy`), by all but the named ones (`kWithout`), or not at all (`kNone`:
/// one group of everything). Links stay with the processes.
std::vector<HistogramGroup> GroupBy(const LinkedHistograms& all, promql::Grouping grouping,
                                    const std::vector<std::string>& labels);

}  // namespace schedlens
