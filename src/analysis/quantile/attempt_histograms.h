#ifndef SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_HISTOGRAMS_H_
#define SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_HISTOGRAMS_H_

// Raw histograms of a window, asked from a source and turned into exact increases, process by
// process, each with the histograms of the same attempts that may narrow it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/message.h"
#include "contract/source.h"
#include "model/family.h"
#include "promql/ast.h"
#include "stats/links.h"
#include "stats/scrape_increases.h"

namespace schedlens {

/// Which raw samples to ask for.
struct HistogramRequest {
  std::string family;     ///< without _bucket
  std::string selector;   ///< matchers without braces, may be empty
  TimeRange window;       ///< increases between the last scrape at or before each edge
  bool lifetime = false;  ///< counters as they stand at `window.end` instead
};

/// One family over a window.
struct AttemptHistograms {
  std::string family;
  std::vector<ScrapeIncreases> children;  ///< sorted by labels
  std::vector<LinkedProcess> processes;   ///< the same children, with their links
  std::size_t torn_scrapes = 0;           ///< of all children, scrapes left out
  TimeRange seen;                         ///< first and last scrape edge of any child
  std::vector<Message> warnings;          ///< server annotations, torn scrapes, resets, repairs
  std::vector<std::string> queries;       ///< the PromQL that was asked
};

/// Asks for FAMILY_(bucket|sum|count), the process start times, and the families that link to it,
/// all in one batch, with a window long enough to hold the scrape before its start. Throws what
/// the source throws, and Error(kUsage) for a selector that does not parse. No series is an answer
/// (`children` is empty).
AttemptHistograms FetchAttemptHistograms(Source& source, const HistogramRequest& request);

/// Children grouped by what an aggregation keeps of their labels.
struct HistogramGroup {
  Labels labels;
  std::vector<LinkedProcess> processes;
  std::vector<ScrapeIncreases> children;
};

/// Splits by `by` labels (`kBy`), by all but the named ones (`kWithout`), or not at all (`kNone`:
/// one group of everything). Links stay with the processes.
std::vector<HistogramGroup> GroupBy(const AttemptHistograms& all, promql::Grouping grouping,
                                    const std::vector<std::string>& labels);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_QUANTILE_ATTEMPT_HISTOGRAMS_H_
