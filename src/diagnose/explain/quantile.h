#pragma once

// One quantile explained: what a server shows, where its rank lies, what is proven about the truth,
// the best estimate, and what an alert's threshold is worth.

#include "diagnose/breakdown/time_breakdown.h"
#include "promql/alert_expression.h"
#include "stats/proven_interval.h"

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

/// The clock that a child of a family belongs to; null when it is no clock of bound attempts. A
/// label that the child does not have at all counts as fitting (1.18 has no `result`).
const AttemptClock* ClockOf(std::string_view family, const Labels& labels);

/// The clocks comparable with this one, of other families: each attempt's value in them is larger
/// (`reach` larger) or smaller.
std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock);

/// The clocks that any clock of a family links to: all of one family have the same reach.
std::vector<const AttemptClock*> LinkedToFamily(std::string_view family);

struct LinkedHistograms {
  std::vector<ScrapeIncreases> children;  ///< sorted by labels
  std::vector<LinkedProcess> processes;   ///< the same children, with their links
};

/// Children of one family, linked to those of `others` that measure the same attempts in the same
/// process. All are of one window and one set of targets.
LinkedHistograms LinkHistograms(std::vector<ScrapeIncreases> children,
                                std::span<const std::vector<ScrapeIncreases>* const> others);

struct FamilyWindow {
  std::string family;                     ///< without _bucket
  std::vector<promql::Matcher> matchers;  ///< children that one refuses are left out
  TimeRange window;       ///< increases between the last scrape at or before each edge
  bool lifetime = false;  ///< counters as they stand at `window.end` instead
  bool inside = false;    ///< without the increase up to the window's first scrape
};

/// Empty where the store has nothing of the family in the window.
LinkedHistograms CutFamily(const StoreView& store, const FamilyWindow& asked);

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

/// What is asked. `metric` is a family, with or without `_bucket`; or `expression` gives family,
/// selector, grouping, threshold (and q, unless `q` is set).
struct QuantileRequest {
  std::string metric;
  std::optional<promql::AlertExpression> expression;
  std::optional<double> q;  ///< default: the expression's, else 0.99
  std::string selector;     ///< added to the expression's own
  TimeRange window;
  bool lifetime = false;  ///< counters as they stand at window.end
  bool inside = false;    ///< increases between scrapes inside the window only
  Semantics semantics;    ///< whose histogram_quantile `shown` is
};

/// The request's histograms, split as its expression groups them.
struct QuantileGroups {
  std::string family, selector;
  double q = 0;
  LinkedHistograms all;
  std::vector<HistogramGroup> groups;
  std::size_t torn_scrapes = 0;      ///< of all children, scrapes left out
  TimeRange seen;                    ///< first and last scrape edge of any child
  std::vector<Message> warnings;     ///< server annotations, torn scrapes, resets, repairs
  std::vector<std::string> queries;  ///< the PromQL that was asked
};

/// What the request asks for. Throws Error(kUsage) as ExplainQuantile does, and what the source
/// throws.
FetchedHistograms FetchFor(Source& source, const QuantileRequest& request);

/// The request's window of what was fetched for it, or for one that is wider in time. Throws
/// Error(kInsufficientData) when there is nothing in it.
QuantileGroups GroupsOf(const FetchedHistograms& fetched, const QuantileRequest& request);

/// One explanation for each group of the request's expression in histograms already in hand;
/// `shown` as the largest first. Empty when the store has nothing of it.
std::vector<QuantileExplanation> ExplainInStore(const StoreView& store,
                                                const QuantileRequest& request);

/// Throws Error(kUsage) for a metric, q or expression that names no classic histogram quantile,
/// Error(kInsufficientData) when the source has no such series in the window, and what the source
/// throws.
QuantileReport ExplainQuantile(Source& source, const QuantileRequest& request);

/// The same for histograms already in hand: one explanation for each of `qs`, in their order.
std::vector<QuantileExplanation> ExplainGroup(const HistogramGroup& group,
                                              const std::string& family, std::span<const double> qs,
                                              const Semantics& semantics);
QuantileExplanation ExplainGroup(const HistogramGroup& group, const std::string& family, double q,
                                 const Semantics& semantics);

QuantileRow RowOf(const QuantileExplanation& explanation);

/// What a server's histogram_quantile gives on these increases after sum by (le).
ClassicQuantile ServerQuantile(std::span<const ScrapeIncreases> children, double q,
                               const Semantics& semantics);

/// The expression a METRIC stands for: histogram_quantile(q, sum by (le) (rate(...))).
std::string ExpressionFor(const QuantileRequest& request);

/// The quantiles a diagnosis shows next to the sums: e2e by result, the algorithm, binding, and the
/// Bind extension point, each with what the server would show on the window's exact increases, the
/// proven interval and the estimate. Histograms without buckets have no rows.
std::vector<QuantileRow> QuantileRows(const Histograms& histograms, const WindowIncreases& cells,
                                      const Semantics& semantics);

}  // namespace schedlens
