#ifndef SCHEDLENS_CLI_COMMANDS_COMMANDS_H_
#define SCHEDLENS_CLI_COMMANDS_COMMANDS_H_

// What each command of the table declares: one function for each file of this folder.

#include "cli/command.h"

namespace schedlens {

Declared DeclareCapture();
Declared DeclareCompare();
Declared DeclareCompletion();
/// Gathers, analyses and reports; 5 when the data does not suffice, 3 as `--fail-on` says.
Declared DeclareDiagnose();
Declared DeclareDoctor();
Declared DeclareExplain();
Declared DeclareLint();
Declared DeclareMan();
Declared DeclareQuantile();
/// `queries list`: the questions that schedlens asks. `queries export`: the stage tree as recording
/// and alert rules, or as a Grafana dashboard of them.
Declared DeclareQueries();
/// Answers as the HTTP API prints them, or as a table.
Declared DeclareQuery();
/// Renders a saved diagnosis again.
Declared DeclareReport();
/// Takes Alertmanager's webhooks and writes a report for each group.
Declared DeclareServe();
Declared DeclareSimulate();
/// The diagnosis again every so often until the alert clears.
Declared DeclareWatch();
Declared DeclareWhatif();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_COMMANDS_H_
