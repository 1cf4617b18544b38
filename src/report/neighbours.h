#ifndef SCHEDLENS_REPORT_NEIGHBOURS_H_
#define SCHEDLENS_REPORT_NEIGHBOURS_H_

// Which neighbours of the scheduler the source has, for every format.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"

namespace schedlens {

/// `API servers: 3, with 100 % of the bindings; etcd: 1; ...`. Empty where there are none and
/// nothing asks for them: no finding that only they could tell further.
std::string NeighboursSentence(const Messages& t, const Diagnosis& diagnosis);

/// What is missing and what that costs: the gaps, and the neighbours' where the sentence is given.
std::vector<std::string> GapSentences(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_NEIGHBOURS_H_
