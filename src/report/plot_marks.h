#ifndef SCHEDLENS_REPORT_PLOT_MARKS_H_
#define SCHEDLENS_REPORT_PLOT_MARKS_H_

#include "contract/diagnosis.h"
#include "report/messages/messages.h"
#include "report/plot.h"

namespace schedlens {

/// The scrapes that the timeline's columns end at, and the changes that have a time of their own
/// and may lie within the timeline, ascending. A change that is proven to have come after the
/// window's first scrape with slow attempts is late.
PlotMarks MarksOf(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_PLOT_MARKS_H_
