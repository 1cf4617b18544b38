#pragma once

// schedlens-verify: checks the simulator against recordings of real schedulers. A tool for those
// who work on schedlens; never installed.

#include <iosfwd>
#include <span>
#include <string>

namespace schedlens::verify {

/// Runs a command line, without the program's name. Returns 0; 3 if anything differs; else the
/// value of an ErrorKind, with one line on `err`.
int RunVerify(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace schedlens::verify
