#ifndef SCHEDLENS_CLI_LEADING_DASH_H_
#define SCHEDLENS_CLI_LEADING_DASH_H_

// Expressions that begin with a dash: `schedlens query '-x'`, `--alert '-rate(x[5m]) < -1'`. CLI11
// takes them for options, so they are marked before it reads them.

#include <string>
#include <string_view>
#include <vector>

#include "cli/program.h"

namespace schedlens {

/// The words of the command line, the program's name included. A word with a leading dash that is
/// no option of its command has a mark in front where an expression may stand: behind an option
/// that takes one, or anywhere behind a command with one as an argument. `-q0.9` and `-ojson` are
/// options with their values; what has a bracket or a blank is an expression. Behind two dashes a
/// word that could be the name of an option is one, known or not (`--foo`); anything else, as
/// `--1`, `--(x)` or `--rate(x[5m])`, is an expression.
std::vector<std::string> MarkExpressions(const Program& program, int argc, const char* const* argv);

/// The word as typed, without the mark.
std::string_view Unmarked(std::string_view word);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_LEADING_DASH_H_
