#ifndef SCHEDLENS_REPORT_IMPACT_TABLES_H_
#define SCHEDLENS_REPORT_IMPACT_TABLES_H_

// Who was hit and what changed, for every format.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"
#include "report/tables.h"

namespace schedlens {

/// Workloads that waited too long, or wait still, hit hardest first; at most `most` of them. Empty
/// without an incident.
ReportTable ImpactTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most = 10);
/// Pods and attempts over the threshold and what the pods waited more, by the schedulers' own
/// histograms, and how long the alert stood above it; empty where none was over it.
std::vector<std::string> ImpactTotals(const Messages& t, const Diagnosis& diagnosis);
/// The same in one paragraph.
std::string ImpactTotal(const Messages& t, const Diagnosis& diagnosis);
/// The totals, and what the table cannot know. Empty without an incident.
std::vector<std::string> ImpactSentences(const Messages& t, const Diagnosis& diagnosis,
                                         std::size_t most = 10);

/// Load is compared over whole windows.
bool HasTimeOfItsOwn(const ClusterChange& change);
/// What changed, and of what.
std::string ChangeText(const Messages& t, const ClusterChange& change);
ReportTable ChangesTable(const Messages& t, const Diagnosis& diagnosis);
/// A row of that table as one line.
std::string ChangeLine(const Messages& t, const std::vector<TableCell>& row);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_IMPACT_TABLES_H_
