#ifndef SCHEDLENS_CLI_OPTIONS_INVESTIGATE_UNITS_H_
#define SCHEDLENS_CLI_OPTIONS_INVESTIGATE_UNITS_H_

// Several schedulers behind one source, told apart without being asked to.

#include <vector>

#include "analysis/collect/units.h"
#include "cli/options/investigate.h"

namespace schedlens {

/// The schedulers that these facts are of; those that the alert fired for, where its firings tell.
/// Empty for one scheduler alone.
std::vector<SchedulerUnit> UnitsToJudge(const AskedInvestigation& asked, const Facts& facts);

/// Each of the units judged as if the request had selected it alone: the worst one's investigation,
/// with a row for each, worst first.
Investigation InvestigateUnits(const AskedInvestigation& asked, const QuerySet& queries,
                               const Facts& facts, const std::vector<SchedulerUnit>& units,
                               Progress* progress);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_INVESTIGATE_UNITS_H_
