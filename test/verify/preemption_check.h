#pragma once

// Compares a recorded run of DefaultPreemption with ours.

#include <functional>
#include <string>

#include "scheduler/base/random.h"
#include "scheduler/framework/framework.h"
#include "verify/comparison.h"
#include "verify/recording.h"
#include "verify/replayed_cluster.h"

namespace schedlens::verify {

/// What the filters said of a node.
using CodeOfNode = std::function<core::Code(core::NodeId)>;

/// Preempts for the attempt's pod and compares with `recorded`. Returns what PostFilter adds to
/// the pod's message; `rejecting` is the PreFilter plugin that refused, if one did. Empty if a node
/// was nominated.
std::string CheckPreemption(const RecordedPreemption& recorded, const core::Attempt& attempt,
                            const CodeOfNode& code_of, std::int32_t rejecting,
                            const ReplayedCluster& cluster, core::Framework& framework,
                            sim::Random& random, ComparisonLog& log);

}  // namespace schedlens::verify
