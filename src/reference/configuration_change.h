#ifndef SCHEDLENS_REFERENCE_CONFIGURATION_CHANGE_H_
#define SCHEDLENS_REFERENCE_CONFIGURATION_CHANGE_H_

// `config=FILE`: the same window under another KubeSchedulerConfiguration.

#include "reference/change.h"

namespace schedlens {

/// Changes what the file changes: extenders, clientConnection, percentageOfNodesToScore,
/// parallelism, plugins that were measured and are disabled. One assumption a field that changes
/// the prediction, one line for those that cannot. What was never measured (an extender or a plugin
/// that is new) is said to be missing; a plugin from outside the tree takes
/// what was declared of it or a default. Throws Error(kUsage) for what is no such file.
void ApplyConfiguration(const Change& change, const Investigation& investigation, Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CONFIGURATION_CHANGE_H_
