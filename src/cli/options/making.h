#ifndef SCHEDLENS_CLI_OPTIONS_MAKING_H_
#define SCHEDLENS_CLI_OPTIONS_MAKING_H_

// What only the command line knows of a diagnosis: who made it, and how its next steps are run.

#include <string>

#include "cli/command.h"
#include "cli/options/investigate.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// When a report is made: the clock, or the seconds in the variable SOURCE_DATE_EPOCH, so that the
/// same data make the same bytes. Whole seconds.
TimeMs TimeOfMaking();

/// Sets `made`, `command` and `cluster`, and fills source, selector and window into every next step
/// that is a command of schedlens, so that it can be run as printed. Secrets are not in it.
/// `options.source.selector` is of the schedulers that the diagnosis is about.
void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_MAKING_H_
