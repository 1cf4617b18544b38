#pragma once

// Text as a literal of PromQL, and as a word of a shell.

#include <string>
#include <string_view>

namespace schedlens {

/// In double quotes, with the escapes of Go's strconv.Quote for what is not printable ASCII; other
/// characters stay.
std::string QuotePromql(std::string_view text);

/// The regular expression that matches just this text. It is not quoted yet.
std::string EscapeRegex(std::string_view text);

/// The text as one word of a shell's command line. Printed, it looks the same as it is: characters
/// that act instead of showing (controls, direction marks) and backquotes, which end a code span,
/// are written out as bytes, `$'\x60'`, as bash, zsh and ksh read them.
std::string ShellWord(std::string_view text);

}  // namespace schedlens
