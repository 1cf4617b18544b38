#ifndef SCHEDLENS_ANALYSIS_ALERT_PANEL_H_
#define SCHEDLENS_ANALYSIS_ALERT_PANEL_H_

#include <string>
#include <vector>

#include "analysis/account.h"
#include "analysis/facts.h"
#include "promql/alert_expression.h"
#include "schedlens/diagnosis.h"
#include "schedlens/query.h"
#include "schedlens/source.h"

namespace schedlens {

/// What the alert's own expression shows, as the source evaluates it.
struct AlertPanel {
  AlertVerdict verdict;
  promql::AlertExpression asked;  ///< the alert's, or the default question's
  std::int64_t range_ms = 0;      ///< the expression's own window
  std::vector<Sample> line;       ///< the worst series' value over the recording
  std::vector<AskedQuery> queries;
  std::vector<std::string> warnings;
};

/// Evaluates the alert (or, for an empty expression, the default question with a 5 m rate) at the
/// window's end and over the whole recording, and judges its threshold. An alert that is no
/// histogram quantile keeps its expression, and a note says that the default question stands in for
/// it.
AlertPanel ReadAlert(Source& source, const QuerySet& queries, const Facts& facts,
                     const Histograms& histograms, const std::string& expr,
                     const TimeRange& window);

/// Puts the alert's line and the proven band of the true quantile at the timeline's columns.
void FillAlertLine(const AlertPanel& panel, const Facts& facts, const HistogramFacts& attempt,
                   Timeline* timeline);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_PANEL_H_
