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

/// A rule file or dashboard, `-` for `in`. Throws what reading and parsing it throws.
LintedFile LintOneFile(const std::string& path, const LintOptions& options, std::istream& in);

LintedFile LintExpression(const std::string& expression, const LintOptions& options);

/// The rules that the server evaluates, by the files it names. There are no lines in them that
/// anybody could look up. Throws what asking it throws.
std::vector<LintedFile> LintServer(const SourceOptions& source, const LintOptions& options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_LINT_INPUT_H_
