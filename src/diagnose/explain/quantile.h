#pragma once

// One quantile explained: what a server shows, where its rank lies, what is proven about the truth,
// the best estimate, and what an alert's threshold is worth.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/commands.h"
#include "contract/diagnosis.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/explain/linked_histograms.h"
#include "promql/alert_expression.h"
#include "schedlens/histogram.h"
#include "schedlens/semantics.h"
#include "stats/proven_interval.h"

namespace schedlens {

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
  std::string family;
  std::string selector;
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

/// The row that a diagnosis keeps.
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
