#pragma once

// What is proven of an alert's quantile, and its number once more from raw samples.

#include <optional>

#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/alert/alert.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/collect/facts.h"
#include "promql/alert_expression.h"

namespace schedlens {

// What is proven about an alert's quantile over the alert's own range.

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
