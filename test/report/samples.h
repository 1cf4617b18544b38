#pragma once

// Diagnoses made by hand, one for each way a report can look, and one full of hostile names.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/report.h"

namespace schedlens {

/// An incident by an extender's bind, with everything a diagnosis can hold.
Diagnosis ExtenderIncident();
/// Nothing is wrong.
Diagnosis HealthyCluster();
/// Almost nothing is known.
Diagnosis NoData();
/// Algorithm's p99 reads above e2e's: the populations differ.
Diagnosis InvertedQuantiles();
/// A likely cause beside another, no alert, and a store that did not answer.
Diagnosis Unsettled();
/// Label values, metric names and messages that try to break out of every format.
Diagnosis HostileNames();

std::vector<std::pair<std::string, Diagnosis>> AllSamples();
/// An incident, hostile names and a healthy one as three clusters.
SplitDiagnosis ThreeClusters();
/// A healthy one and hostile names side by side.
Against AgainstSample();

}  // namespace schedlens
