#ifndef SCHEDLENS_SIM_SCENARIO_CONDITIONS_H_
#define SCHEDLENS_SIM_SCENARIO_CONDITIONS_H_

// Load and costs of a scenario file, and what its faults change of them.

#include <string>

#include "sim/scenario/scenario.h"
#include "sim/scenario/section.h"

namespace schedlens::sim {

/// Every cost of a mapping; those that are absent stay. Throws like Section.
void ReadCosts(Section section, Costs* costs);
/// The costs that one pod template has of its own.
CostOverrides ReadOverrides(Section section);

/// Every unit cost of the mapping `unit_costs`, if there is one: by name a number of microseconds,
/// a time with a unit, or {hot_us, cold_us}; `release`, `core_ns` and `memory_ns`.
void ReadUnitCosts(Section& parent, cost::UnitCosts* units);

/// The index of a template. Throws Error(kUsage) at `at` for an unknown name.
std::size_t TemplateIndex(const Section& section, const Scenario& scenario, const YAML::Node& at,
                          const std::string& name);

/// What the base and every fault may say about load and costs.
void ReadConditions(Section& section, const Scenario& scenario, Conditions* conditions);

/// Reads `faults` of the top level and cuts the time into segments at their edges: the base, and
/// in each segment the faults that hold in it, in the order of the file.
void ReadSegments(Section& top, const Conditions& base, Scenario* scenario);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_CONDITIONS_H_
