#ifndef SCHEDLENS_CLI_COMMAND_H_
#define SCHEDLENS_CLI_COMMAND_H_

// The command table. A command is a row; help, dispatch, completion and the man page read the
// table.

#include <functional>
#include <iosfwd>
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

/// Runs the command after the command line was read; returns the exit code. Throws Error.
using Run = std::function<int(const Context&)>;

/// A command's options, and what to run once their targets are filled. `run` owns the targets.
struct Declared {
  Options options;
  Run run;
};

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< shell lines that work as typed in examples/incidents/<name>
  Declared (*declare)();
};

const std::vector<Command>& Commands();

/// Parses the command line, runs the command, prints errors as one line on `context.err`, returns
/// the exit code of `product`: 0 done, 1 failed, 2 usage, 3 finding, 4 auth, 5 data insufficient,
/// 124 timeout, 130 interrupt. What it writes is safe for a terminal (see cli/safe_stream.h).
int Main(int argc, const char* const* argv, const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMAND_H_
