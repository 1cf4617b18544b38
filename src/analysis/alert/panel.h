#ifndef SCHEDLENS_ANALYSIS_ALERT_PANEL_H_
#define SCHEDLENS_ANALYSIS_ALERT_PANEL_H_

#include <string>
#include <vector>

#include "analysis/breakdown/time_breakdown.h"
#include "analysis/collect/facts.h"
#include "contract/diagnosis.h"
#include "contract/message.h"
#include "contract/query.h"
#include "contract/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

/// What the alert's own expression shows, as the source evaluates it.
struct AlertPanel {
  AlertVerdict verdict;
  promql::AlertExpression asked;  ///< the alert's, or the default question's
  std::int64_t range_ms = 0;      ///< the expression's own window
  std::vector<Sample> line;       ///< the worst series' value over the recording
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;
};

/// What is to be asked, before anything is: the alert's own expression, or the default question
/// with a 5 m rate for an empty one. An alert that is no histogram quantile keeps its expression,
/// and a note says that the default question stands in for it. Throws Error(kUsage) where it does
/// not parse.
AlertPanel PlanAlert(const QuerySet& queries, const Facts& facts, const Histograms& histograms,
                     const std::string& expr);

/// Evaluates a planned alert at the window's end and over the whole recording, and judges its
/// threshold by the histograms in hand; only where they do not hold all that the alert looks at are
/// its own asked for.
AlertPanel ReadAlert(Source& source, const Facts& facts, const Histograms& histograms,
                     const TimeRange& window, AlertPanel planned);

/// Puts the alert's line and the proven band of the true quantile at the timeline's columns.
void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_PANEL_H_
