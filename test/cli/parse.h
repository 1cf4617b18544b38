#pragma once

// Reads arguments with one table of options, as a command that declares them would.

#include <string>
#include <vector>

#include "cli/command.h"

namespace schedlens {

/// An option without help that is no program's; `value` is empty for a flag.
inline Option OptionOf(const std::string& names, const std::string& value, OptionTarget target = {},
                       OptionRules rules = {}) {
  Option option;
  static_cast<OptionRules&>(option) = std::move(rules);
  option.names = names;
  option.value = value;
  option.target = std::move(target);
  return option;
}

/// A program whose only command, `diagnose`, has these options.
inline Program ProgramOf(const Options& options) {
  Program program;
  program.commands.push_back({.name = "diagnose", .options = options});
  return program;
}

inline void ParseWith(const Options& options, const std::vector<std::string>& arguments) {
  const Program program = ProgramOf(options);
  CommandLine line(program);
  std::vector<const char*> argv = {"schedlens", "diagnose"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  line.Parse({argv.begin(), argv.end()});
}

}  // namespace schedlens
