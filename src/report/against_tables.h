#ifndef SCHEDLENS_REPORT_AGAINST_TABLES_H_
#define SCHEDLENS_REPORT_AGAINST_TABLES_H_

// The tables of two diagnoses side by side, in every format the same.

#include <string>

#include "contract/diagnosis.h"
#include "report/tables.h"

namespace schedlens {

/// `Then an incident, now no incident: p99 3.64 s then, 120 ms now.`
std::string AgainstHeadline(const Messages& t, const Against& against);
/// A column for each side: source, window, verdict, what is shown and proven, attempts.
ReportTable SidesTable(const Messages& t, const Against& against);
/// Milliseconds a scheduled pod by stage, and how they changed.
ReportTable AgainstStagesTable(const Messages& t, const Against& against);
/// What is new, kept and gone, with its confidence and share of the time on both sides.
ReportTable AgainstFindingsTable(const Messages& t, const Against& against);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_AGAINST_TABLES_H_
