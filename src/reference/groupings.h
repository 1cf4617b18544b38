#ifndef SCHEDLENS_REFERENCE_GROUPINGS_H_
#define SCHEDLENS_REFERENCE_GROUPINGS_H_

#include <vector>

#include "reference/fit.h"

namespace schedlens {

/// Every way in which the pods of a scrape interval may have come, by how their number varies from
/// interval to interval; the first one evenly.
std::vector<Fitted> Groupings(const Fitted& plain);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_GROUPINGS_H_
