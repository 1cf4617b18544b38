#ifndef SCHEDLENS_CLI_QUERIES_COMMAND_H_
#define SCHEDLENS_CLI_QUERIES_COMMAND_H_

#include "cli/command.h"

namespace schedlens {

/// `queries list`: the questions that schedlens asks. `queries export`: the stage tree as recording
/// and alert rules, or as a Grafana dashboard of them.
Run SetUpQueries(CLI::App& app);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_QUERIES_COMMAND_H_
