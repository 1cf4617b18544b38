#pragma once

// When an alert fires: its value over time, its episodes.

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/alert/panel.h"
#include "diagnose/alert/rules.h"
#include "promql/alert_expression.h"

namespace schedlens {

// Whether an alert's whole expression held, and what it compares: by evaluating it as written,
// whatever it asks.

/// Whether `value comparison threshold` is true.
bool Compares(double value, const std::string& comparison, double threshold);

struct AlertAnswer {
  AlertFires fires;
  std::optional<double> value;  ///< of the series that is worst at the window's end
  Labels labels;                ///< of that series
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;
};

/// Evaluates the expression and what it compares over the window, up to 240 times. It fires at each
/// time at which it has a result. That it does not is known only where what it compares has a
/// value, and, should that be beyond its threshold, every other metric in it has one too. Throws
/// what the source throws.
AlertAnswer AskWhetherItFires(Source& source, const promql::AlertExpression& alert,
                              const TimeRange& window);

// When an alert was pending, firing and resolved, and how long it stood above its threshold.

/// The times that the alert's value was beyond its threshold, by the columns of the timeline: each
/// with the first at which it held, `for_ms` later the firing, and the first at which it held no
/// more. Columns without a value end none. Where firings are known (by ALERTS, a
/// webhook) they count instead, each pending for its `for` before. Empty without a `for`, and
/// without a threshold nor a firing.
std::vector<AlertEpisode> EpisodesOf(const Timeline& timeline, const AlertVerdict& alert,
                                     std::int64_t for_ms, const std::vector<Firing>& firings);

/// Seconds of the window in which the columns' values were beyond the threshold; nothing without a
/// threshold to exceed or a value in the window.
std::optional<double> SecondsAbove(const Timeline& timeline, const AlertVerdict& alert,
                                   const TimeRange& window);

/// The times in which a quantile alert stood above its threshold, by the histograms in hand, one
/// look a scrape (at most 240): each reaches back to where the first such rate began. In order,
/// none touching the next. Empty for an alert without a threshold to exceed, for one that asks
/// something else than a quantile of the attempts, and without data.
std::vector<TimeRange> TimesAboveThreshold(const AlertPanel& alert, const Facts& facts,
                                           const HistogramFacts& attempt);

}  // namespace schedlens
