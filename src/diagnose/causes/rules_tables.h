#pragma once

// The parts of the rule table, one a file.

#include <vector>

#include "diagnose/causes/rules.h"

namespace schedlens {

std::vector<CauseRule> AlgorithmRules();  ///< the scheduling loop
std::vector<CauseRule> BindRules();       ///< the binding cycle
std::vector<CauseRule> AttemptRules();    ///< failed attempts, preemption, the queue

/// "NAME took X s of the window's Y s of e2e time (Z %)", with the baseline next to it.
Evidence StageEvidence(const WindowEvidence& c, kube::Stage stage, const Value& what,
                       std::string query);
std::string PointQuery(const WindowEvidence& c, kube::ExtensionPoint point);
/// `extension_point="Bind"`.
std::string PointMatcher(kube::ExtensionPoint point);

}  // namespace schedlens
