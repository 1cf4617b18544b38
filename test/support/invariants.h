#pragma once

// What holds of every run of the product, whatever it was asked. RunBinary (cli/process.h) and
// RunMain (cli/run_main.h) look at each run of each test.

#include <string>
#include <vector>

namespace schedlens::test {

/// What was broken, one text each; empty where all holds:
/// - standard output and error are valid UTF-8 without control characters that move or colour a
///   terminal or turn the direction of its text (colours only where `--color` asks for them);
/// - the exit code is a documented one, 3 only of what can find something, and what fails says so;
/// - `diagnose` ends with the code that its JSON's verdict and findings ask for (5 insufficient
/// data,
///   3 a finding at or above `--fail-on`, else 0);
/// - in JSON low <= value <= high, and no share is below 0 or above 1, no part above its whole;
/// - no temporary file lies beside a file that the command names;
/// - no secret of the command line (passwords in URLs, values of headers, what a --http.config.file
///   holds) is in any output.
/// `words` are the command's arguments without the program's name.
std::vector<std::string> BrokenInvariants(const std::vector<std::string>& words, int code,
                                          const std::string& out, const std::string& err);

}  // namespace schedlens::test
