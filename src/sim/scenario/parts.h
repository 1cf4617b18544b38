#ifndef SCHEDLENS_SIM_SCENARIO_PARTS_H_
#define SCHEDLENS_SIM_SCENARIO_PARTS_H_

// The parts of a scenario file that stand alone: nodes, pod templates, extenders, actions, the
// scheduler and its scrapes. All throw like Section.

#include <string>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/scenario/section.h"

namespace schedlens::sim {

NodeGroup ReadNodes(Section& section);
PodTemplate ReadTemplate(Section& section);
/// The scenario's templates must have been read.
Action ReadAction(Section& section, const Scenario& scenario);
Extender ReadExtender(Section& section);
void ReadScheduler(Section section, Scenario* scenario);
void ReadScrape(Section section, Scenario* scenario);
/// A list of texts: finding ids that the scenario is expected to show.
std::vector<std::string> ReadTexts(Section& section, const std::string& key);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_PARTS_H_
