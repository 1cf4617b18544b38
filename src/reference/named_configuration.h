#ifndef SCHEDLENS_REFERENCE_NAMED_CONFIGURATION_H_
#define SCHEDLENS_REFERENCE_NAMED_CONFIGURATION_H_

// Findings with names from the scheduler's own configuration: which extender, which limit, which
// plugins.

#include <string>
#include <string_view>

#include "contract/diagnosis.h"

namespace schedlens {

/// The diagnosis with what the KubeSchedulerConfiguration `text` (of file `name`) says about its
/// findings added as evidence: extenders by verb, client QPS and burst, plugins of Permit, PreBind
/// and Reserve. An extender finding that the configuration rules out (no extender has such a verb)
/// is taken out unless it is certain; a certain one stays, and a warning says that the file is not
/// this scheduler's. Plugins that the diagnosis saw are known plugins. Throws Error(kUsage) for
/// what is no such configuration.
Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_NAMED_CONFIGURATION_H_
