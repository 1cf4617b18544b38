#ifndef SCHEDLENS_REFERENCE_FOUND_CONFIGURATION_H_
#define SCHEDLENS_REFERENCE_FOUND_CONFIGURATION_H_

// A configuration from the cluster that was measured, read as it is there.

#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "sim/framework/configuration.h"

namespace schedlens {

/// The configuration `text` (of file `name`) at the release that the diagnosis shows: where several
/// fit, the one of the file's apiVersion if it is among them, else the nearest. Plugins that the
/// diagnosis saw are known. Throws Error(kUsage) as sim::core::ReadConfiguration.
sim::core::Configuration ReadAsFound(std::string_view text, const std::string& name,
                                     const Diagnosis& diagnosis, sim::core::FoundInFile* found);

/// What of the file is left out or does not fit, but for plugins: a sentence each.
std::vector<Message> RemarksOn(const sim::core::FoundInFile& found,
                               const sim::core::Configuration& configuration);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_FOUND_CONFIGURATION_H_
