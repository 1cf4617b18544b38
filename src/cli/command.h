#ifndef SCHEDLENS_CLI_COMMAND_H_
#define SCHEDLENS_CLI_COMMAND_H_

// The command table. A command is a row; help, dispatch, completion and the man page read the
// table.

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option.h"

namespace schedlens {

/// What a command may touch of the process.
struct Context {
  std::istream& in;
  std::ostream& out;  ///< data
  std::ostream& err;  ///< messages and progress
  /// What was typed, quoted for a shell and without secrets; empty where nothing was.
  std::string command = {};
  std::vector<std::string> words = {};  ///< the same as it is, without the program's name
  std::string webhook = {};             ///< in a reporting process of `serve`: what it reports
};

/// A command's options, and what to run once their targets are filled: it owns the targets, returns
/// the exit code and throws Error.
struct Declared {
  Options options;
  std::function<int(const Context&)> run;
};

/// Declares a command whose options fill a T: `table` makes them from a T*, `run` gets it filled.
template <class T, class Table, class Run>
Declared DeclareWith(const Table& table, const Run& run) {
  const auto filled = std::make_shared<T>();
  return {table(filled.get()),
          [filled, run](const Context& context) { return run(*filled, context); }};
}

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< shell lines that work as typed in examples/incidents/<name>
  Declared (*declare)();
};

const std::vector<Command>& Commands();

struct DeclaredCommand {
  std::string name = {};
  std::string summary = {};
  std::vector<std::string> examples = {};
  Options options = {};      ///< `-h,--help` is the first
  Options positionals = {};  ///< in the order in which they are typed
  std::function<int(const Context&)> run = {};
};

/// The whole program as data.
struct Program {
  std::string summary;
  Options options;
  std::vector<DeclaredCommand> commands;

  /// Null where there is no such command.
  const DeclaredCommand* Find(std::string_view name) const;
  std::vector<std::string> CommandNames() const;
};

/// The commands of the table, each with fresh targets.
Program DeclareProgram();

/// schedlens(1) in roff: commands with their options and examples, exit codes, environment, files.
/// The same for the same build: no date in it.
std::string ManPage(const Program& program);

/// Parses the command line, runs the command, prints errors as one line on `context.err`, returns
/// the exit code of `product`: 0 done, 1 failed, 2 usage, 3 finding, 4 auth, 5 data insufficient,
/// 124 timeout, 130 interrupt. What it writes is safe for a terminal (see cli/safe_stream.h).
int Main(int argc, const char* const* argv, const Context& context);

/// `0.1.0`.
std::string Version();
/// `schedlens 0.1.0`: the version of CMakeLists.txt, which every machine-readable output carries.
std::string VersionLine();

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

#endif  // SCHEDLENS_CLI_COMMAND_H_
