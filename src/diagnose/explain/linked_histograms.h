#pragma once

// Which histograms measure the same attempts, and the exact increases of one family with those that
// link to it, asked of a source or held.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/series.h"
#include "base/source.h"
#include "diagnose/collect/histogram_store.h"
#include "promql/ast.h"
#include "stats/proven_interval.h"
#include "stats/scrape_increases.h"

namespace schedlens {

// Which histograms of kube-scheduler measure the same attempts, and which of two is the longer:
//   Bind <= binding <= e2e{scheduled} <= pod      algorithm <= e2e{scheduled}
// All are clocks of one attempt that stop (algorithm: start) at the same instant, each starting
// earlier than the one before it. Whether the populations are equal is checked on the data.

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

// The histograms that one quantile rests on, asked from a source once.

/// Both lists of matchers, without braces; either may be empty.
std::string JoinMatchers(const std::string& a, const std::string& b);

/// Which raw samples to ask for.
struct HistogramRequest {
  std::string family;    ///< without _bucket
  std::string selector;  ///< matchers without braces, may be empty
  TimeRange window;
  bool lifetime = false;  ///< only counters as they stand at `window.end` are wanted
};

struct FetchedHistograms {
  std::vector<Target> targets;
  /// The family first, then those that link to it and are there.
  std::vector<HistogramFacts> histograms;
  std::vector<Message> warnings;     ///< server annotations, repairs
  std::vector<std::string> queries;  ///< the PromQL that was asked
  Message nothing;                   ///< why the window has no samples, where it has none

  StoreView View() const;
};

/// Asks for FAMILY_(bucket|sum|count), the process start times, and the families that link to it,
/// all in one batch, with a window long enough to hold the scrape before its start. Throws what
/// the source throws, and Error(kUsage) for a selector that does not parse. No series is an answer
/// (the family has no children).
FetchedHistograms FetchHistograms(Source& source, const HistogramRequest& request);

/// Why there are no buckets in the request's window; empty where nothing is known.
Message WhyNothing(Source& source, const HistogramRequest& request);

/// One line for each child with scrapes that were left out, and for each with counter resets.
std::vector<Message> OdditiesOf(const std::vector<ScrapeIncreases>& children);

}  // namespace schedlens
