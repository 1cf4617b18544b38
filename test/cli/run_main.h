#pragma once

// Runs the whole command line in this process: arguments in, exit code and both streams out. What
// holds of every run is looked at: see support/invariants.h.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "support/invariants.h"

namespace schedlens {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

inline Ran RunMain(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::vector<const char*> argv = {"schedlens"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  setenv("SOURCE_DATE_EPOCH", "1795226400", 1);  // when reports are made
  std::istringstream in(input);
  std::ostringstream out, err;
  Ran ran;
  ran.code = Main(static_cast<int>(argv.size()), argv.data(), {in, out, err});
  ran.out = out.str();
  ran.err = err.str();
  for (const std::string& broken : test::BrokenInvariants(arguments, ran.code, ran.out, ran.err)) {
    ADD_FAILURE() << testing::PrintToString(arguments) << ": " << broken;
  }
  return ran;
}

}  // namespace schedlens
