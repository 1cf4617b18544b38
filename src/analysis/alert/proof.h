#ifndef SCHEDLENS_ANALYSIS_ALERT_PROOF_H_
#define SCHEDLENS_ANALYSIS_ALERT_PROOF_H_

// What is proven about an alert's quantile over the alert's own range.

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/facts.h"
#include "contract/diagnosis.h"
#include "contract/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

/// The proven interval of the true quantile of the series `worst` over the alert's range before
/// `end`, whether it is above the threshold, and whether what is shown can be true. Increases are
/// known between scrapes only, so the range is taken twice: from the last scrape before it, and
/// from the first one inside it, as the server does. Where the two decide differently nothing is
/// decided, and where only the second holds what is shown, the interval is that of both. Uses the
/// histograms in hand; asks for the alert's own where they do not hold all that it looks at.
void ProveAlert(Source& source, const Facts& facts, const Histograms& histograms,
                const promql::AlertExpression& alert, const Labels& worst, TimeMs end,
                AlertVerdict* verdict);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_PROOF_H_
