#ifndef SCHEDLENS_REPORT_SPLIT_H_
#define SCHEDLENS_REPORT_SPLIT_H_

// What the summary of many diagnoses says, in every format the same.

#include <string>
#include <vector>

#include "contract/report.h"
#include "report/messages/messages.h"

namespace schedlens {

/// `cluster="a"`, Visible; `cluster=""` for series without the label.
std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part);
/// `3 of 5 values of cluster have an incident.`
std::string SplitHeadline(const Messages& t, const SplitDiagnosis& split);
/// Whether the part's own report says more than its line in the table.
bool IsWorthAReport(const Diagnosis& diagnosis);
/// The heading over what the alerts show: the alert's, or the default question's.
std::string ShownHeading(const Messages& t, const SplitDiagnosis& split);
/// What the alert shows there, or a dash.
std::string ShownText(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_SPLIT_H_
