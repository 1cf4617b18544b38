#pragma once

// A configuration from the cluster that was measured, read as it is there, and findings with names
// from it: which extender, which limit, which plugins.

#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "scheduler/framework/configuration.h"

namespace schedlens {

/// The configuration `text` (of file `name`) at the release that the diagnosis shows: where several
/// fit, the one of the file's apiVersion if it is among them, else the nearest. Plugins that the
/// diagnosis saw are known. Throws Error(kUsage) as sim::core::ReadConfiguration.
sim::core::Configuration ReadAsFound(std::string_view text, const std::string& name,
                                     const Diagnosis& diagnosis, sim::core::FoundInFile* found);

/// What of the file is left out or does not fit, but for plugins: a sentence each.
std::vector<Message> RemarksOn(const sim::core::FoundInFile& found,
                               const sim::core::Configuration& configuration);

/// The diagnosis with what the KubeSchedulerConfiguration `text` (of file `name`) says about its
/// findings added as evidence: extenders by verb, client QPS and burst, plugins of Permit, PreBind
/// and Reserve. An extender finding that the configuration rules out (no extender has such a verb)
/// is taken out unless it is certain; a certain one stays, and a warning says that the file is not
/// this scheduler's. Plugins that the diagnosis saw are known plugins. Throws Error(kUsage) for
/// what is no such configuration.
Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name);

}  // namespace schedlens
