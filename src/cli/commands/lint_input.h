#ifndef SCHEDLENS_CLI_COMMANDS_LINT_INPUT_H_
#define SCHEDLENS_CLI_COMMANDS_LINT_INPUT_H_

// What `lint` judges: files, expressions, and a server's own rules.

#include <iosfwd>
#include <string>
#include <vector>

#include "analysis/lint/lint.h"
#include "contract/lint.h"
#include "source/open_source.h"

namespace schedlens {

/// Rule files and dashboards (`-` for `in`), then expressions. What a rule of one of the files
/// records is known to all. Throws what reading and parsing them throws.
std::vector<LintedFile> LintInput(const std::vector<std::string>& paths,
                                  const std::vector<std::string>& expressions, LintOptions options,
                                  std::istream& in);

/// The rules that the server evaluates, by the files it names. There are no lines in them that
/// anybody could look up. Throws what asking it throws.
std::vector<LintedFile> LintServer(const SourceOptions& source, LintOptions options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_LINT_INPUT_H_
