#pragma once

#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/collect/facts.h"
#include "promql/alert_expression.h"

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

}  // namespace schedlens
