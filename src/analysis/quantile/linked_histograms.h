#ifndef SCHEDLENS_ANALYSIS_QUANTILE_LINKED_HISTOGRAMS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_LINKED_HISTOGRAMS_H_

// The exact increases of one family over a window, process by process, each with the histograms of
// the same attempts that may narrow it.

#include <span>
#include <string>
#include <vector>

#include "analysis/collect/histogram_store.h"
#include "promql/ast.h"
#include "stats/links.h"
#include "stats/scrape_increases.h"

namespace schedlens {

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

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_LINKED_HISTOGRAMS_H_
