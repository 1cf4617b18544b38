#ifndef SCHEDLENS_CLI_OPTIONS_KEPT_RULES_H_
#define SCHEDLENS_CLI_OPTIONS_KEPT_RULES_H_

// The rules of an alert travel in the header of a capture, so that `--alert NAME` means the
// same for the file as for the server it came from.

#include <optional>
#include <string>
#include <vector>

#include "analysis/alert/rules.h"
#include "source/open_source.h"

namespace schedlens {

/// What the server's rules say about the alert; nothing of a source that has no rules, or that does
/// not tell them. Throws Error(kAuth), Error(kTimeout) and Error(kInterrupted) of the server.
RulesOfAlert FetchRulesOf(const SourceOptions& source, const std::string& alert);

/// Header lines for the alert: its name with its expression, and its rules where they are known.
std::vector<std::string> AlertComments(const std::string& alert, const RulesOfAlert& rules);

/// The rules that a capture's header holds. Nothing where it holds none, and for standard input,
/// which can be read only once. Throws Error(kFailed) for a file that cannot be read.
std::optional<std::string> RulesInCapture(const std::string& path);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_KEPT_RULES_H_
