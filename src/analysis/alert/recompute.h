#ifndef SCHEDLENS_ANALYSIS_ALERT_RECOMPUTE_H_
#define SCHEDLENS_ANALYSIS_ALERT_RECOMPUTE_H_

// The alert's number once more, from raw samples and with our own arithmetic: whoever doubts the
// page sees whether the server's value can be had from what it stores.

#include <optional>

#include "analysis/alert/alert.h"
#include "contract/diagnosis.h"
#include "contract/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

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

#endif  // SCHEDLENS_ANALYSIS_ALERT_RECOMPUTE_H_
