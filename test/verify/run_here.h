#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "verify/command.h"

namespace schedlens::verify {

/// What schedlens-verify answered, run in this process.
struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran RunHere(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = RunVerify(arguments, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace schedlens::verify
