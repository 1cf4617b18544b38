#ifndef SCHEDLENS_CLI_QUERY_COMMAND_H_
#define SCHEDLENS_CLI_QUERY_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `schedlens query EXPR`: evaluates PromQL over any source at one time (by default the last sample
/// of the data, or now for a server) or, with `--start --end` or `--window`, over steps.
/// Annotations go to the error stream; an empty answer is an answer and exits with 0.
Run SetUpQuery(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_QUERY_COMMAND_H_
