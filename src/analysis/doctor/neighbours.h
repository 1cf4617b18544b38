#ifndef SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOURS_H_
#define SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOURS_H_

// Which of the scheduler's neighbours a source has, and what each missing one, or each missing
// metric of one, would add to a diagnosis.

#include <vector>

#include "analysis/collect/facts.h"
#include "analysis/collect/release.h"
#include "contract/doctor.h"
#include "contract/source.h"

namespace schedlens {

struct NeighbourCheckUp {
  std::vector<CheckUp> checks;  ///< in the order of what they cost a diagnosis
  std::vector<NeighbourFound> seen;
  std::vector<ScrapeConfiguration> configurations;  ///< of those that are missing
};

/// Asks the questions that a diagnosis asks of neighbours, but how many series they have at the end
/// of the range instead of their samples. A component is known by its metrics, whatever its job is
/// called. The release of the API servers is their own where they tell it, else the scheduler's.
/// Nothing is asked where no scheduler was found. Throws what the source throws.
NeighbourCheckUp CheckNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const ReleaseRange& release);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DOCTOR_NEIGHBOURS_H_
