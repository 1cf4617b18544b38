#pragma once

// What an alert's expression shows, when it fires, and its episodes.

#include <cmath>
#include <type_traits>

#include "diagnose/alert/alert.h"
#include "diagnose/breakdown/time_breakdown.h"

namespace schedlens {

/// What the alert's own expression shows, as the source evaluates it.
struct AlertPanel {
  AlertVerdict verdict;
  promql::AlertExpression asked;  ///< the alert's, or the default question's
  std::string whole;              ///< all of the expression, of the same schedulers
  bool own = false;               ///< the alert's own expression is judged, not the default one
  std::int64_t range_ms = 0;      ///< the expression's own window
  std::vector<Sample> line;       ///< the worst series' value over the recording
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;

  /// The threshold of a quantile; nothing of an alert that asks something else.
  std::optional<double> ThresholdInSeconds() const;
};

/// What is to be asked, before anything is: the alert's own expression, or the default question
/// with a 5 m rate for an empty one; for the schedulers of the facts' selector only, and over the
/// whole span of a pair of pages. An alert that is no histogram quantile is judged by its own
/// value. Of conditions that `or` joins the first that has data here is judged, and a note says so.
/// Throws Error(kUsage) where it does not parse.
AlertPanel PlanAlert(const QuerySet& queries, const Facts& facts, const Histograms& histograms,
                     const std::string& expr, const SourceInfo& source = {});

/// Evaluates a planned alert at the window's end and over the whole recording, tells when within
/// the window it held, and judges the threshold of a quantile by the histograms in hand; only where
/// they do not hold all that the alert looks at are its own asked for. Of several series the worst
/// is taken that one of the targets can be part of.
AlertPanel ReadAlert(Source& source, const Facts& facts, const Histograms& histograms,
                     const TimeRange& window, AlertPanel planned);

/// Puts the alert's line and the proven band of the true quantile at the timeline's columns.
void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline);

/// True when every label of the series is the child's: the child is part of its sum.
bool IsPartOf(const Labels& child, const Labels& series);

/// The series with the largest score, the first of several; null without one. `score` tells it of a
/// series that has a last value, or nothing.
template <typename Score>
const Series* BestOf(const Answer& answer, const Score& score) {
  const Series* best = nullptr;
  std::invoke_result_t<Score, const Series&> most;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    const auto own = score(series);
    if (own > most) best = &series, most = own;
  }
  return best;
}

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

/// The times in which any other alert of the user's held, by its own expression as the source
/// evaluates it over what was scraped; each reaches back over the expression's range. The panel
/// keeps the question and what the source remarks. A quantile of the attempts is looked at as
/// above, and asks nothing. Empty where nothing is compared. Throws what the source throws.
std::vector<TimeRange> TimesItHeld(Source& source, const Facts& facts,
                                   const HistogramFacts& attempt, AlertPanel* alert);

/// The proven interval of the true quantile of the series `worst` over the alert's range before
/// `end`, whether it is above the threshold, and whether what is shown can be true. Increases are
/// known between scrapes only, so the range is taken twice: from the last scrape before it, and
/// from the first one inside it, as the server does. Where the two decide differently nothing is
/// decided, and where only the second holds what is shown, the interval is that of both. Uses the
/// histograms in hand; asks for the alert's own where they do not hold all that it looks at.
void ProveAlert(Source& source, const Facts& facts, const Histograms& histograms,
                const promql::AlertExpression& alert, const Labels& worst, TimeMs end,
                AlertVerdict* verdict);

// The alert's number once more, from raw samples and with our own arithmetic: whoever doubts the
// page sees whether the server's value can be had from what it stores.

/// Asks for the raw samples behind the expression's rates and for the rates themselves at `at`,
/// redoes the rates from the samples, and sum and quantile from the rates in the order in which the
/// server adds them. `shown` is what the server gives for the series `labels`. They agree when the
/// bits do, or to 1e-9 where the source's bits are not claimed. Nothing for an expression that is
/// no classic histogram quantile. Throws what the source throws.
std::optional<Recomputed> RecomputeQuantile(Source& source,
                                            const promql::AlertExpression& expression,
                                            const Labels& labels, double shown, TimeMs at);

/// What the server stored when the alert was evaluated: its ALERTS samples and, where it stands on
/// a recording rule, the recorded value; each with the quantile recomputed at that very time.
/// Empty when the alert has no name or never fired within the range.
std::vector<Recomputed> CompareWithStored(Source& source, const ResolvedAlert& alert,
                                          const TimeRange& range);

}  // namespace schedlens
