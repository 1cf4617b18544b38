#pragma once

// Reads arguments with one table of options, as a command that declares them would.

#include <string>
#include <vector>

#include "cli/command.h"

namespace schedlens {

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
  line.Parse(static_cast<int>(argv.size()), argv.data());
}

}  // namespace schedlens
