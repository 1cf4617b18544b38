#include "cli/program.h"

#include <sstream>

#include "cli/options/size.h"
#include "model/file.h"
#include "model/seconds.h"
#include "model/text.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

Option HelpOption() { return {.names = "-h,--help", .help = "print this help and exit"}; }

/// Of every command: each reads at least a configuration file.
Option MaxInputOption() {
  return {
      .names = "--max-input",
      .value = "SIZE",
      .help = "refuse a file or standard input that is larger than this, unpacked (default 2Gi)",
      .target = [](const std::string& text) {
        SetMaxInput(static_cast<std::size_t>(ParseSize("--max-input", text)));
      }};
}

/// Of every command: each reads something, and data decides how much there is to do.
Option TimeoutOption() {
  return {.names = "--timeout",
          .value = "DURATION",
          .help =
              "for the whole command, of watch for each look, of serve for each report: requests "
              "and computation; then exit code 124 (default 5m)",
          .target = [](const std::string& text) {
            const auto ms = ParseDuration(text);
            if (!ms || *ms <= 0) {
              throw Error(ErrorKind::kUsage,
                          "--timeout " + text + ": expected a duration such as 30s or 2m");
            }
            SetDeadline(MsToSeconds(*ms));
          }};
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

DeclaredCommand Declare(const Command& command) {
  Declared declared = command.declare();
  DeclaredCommand out{.name = std::string(command.name),
                      .summary = std::string(command.summary),
                      .examples = Lines(command.examples),
                      .options = {HelpOption(), MaxInputOption(), TimeoutOption()},
                      .positionals = {},
                      .run = std::move(declared.run)};
  for (Option& option : declared.options) {
    (option.positional() ? out.positionals : out.options).push_back(std::move(option));
  }
  return out;
}

}  // namespace

Program DeclareProgram() {
  Program program{
      .summary = "From a kube-scheduler latency alert to a proven cause and an incident report.",
      .options = {HelpOption(),
                  {.names = "--version", .help = "print the version and exit"},
                  {.names = "--show-config",
                   .help = "print every setting in force and where it comes from, and exit"}},
      .commands = {}};
  for (const Command& command : Commands()) program.commands.push_back(Declare(command));
  return program;
}

}  // namespace schedlens
