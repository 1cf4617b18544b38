#pragma once

// The histograms that one quantile rests on, asked from a source once.

#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "diagnose/collect/histogram_store.h"

namespace schedlens {

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
