#ifndef SCHEDLENS_CLI_SECRETS_H_
#define SCHEDLENS_CLI_SECRETS_H_

// What may be printed of what a user gave: headers, credentials in URLs and the path of a chat's
// webhook never are (see model/secrets.h).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace schedlens {

/// The value of the option with this long name (without dashes) as it may be printed.
std::string Printable(std::string_view option, const std::string& value);

/// Makes the secrets in the value of an option known (see model/known_secrets.h).
void RegisterGiven(std::string_view option, const std::string& value);

/// RegisterGiven of all that was typed.
void RegisterTyped(std::span<const char* const> words);

/// Overwrites the secrets in the process's own arguments with asterisks: every user of the machine
/// can read those.
void HideTyped(std::span<char* const> words);

/// The command line for a shell to read again: `schedlens`, and each word quoted where it must be.
/// What Printable hides is hidden. `words` are the words behind the program's name. Options tell
/// whose value a word is.
std::string CommandText(const std::vector<std::string>& words, const Options& options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SECRETS_H_
