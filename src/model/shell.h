#ifndef SCHEDLENS_MODEL_SHELL_H_
#define SCHEDLENS_MODEL_SHELL_H_

#include <string>
#include <string_view>

namespace schedlens {

/// The text as one word of a shell's command line. Printed, it looks the same as it is: characters
/// that act instead of showing (controls, direction marks) and backquotes, which end a code span,
/// are written out as bytes, `$'\x60'`, as bash, zsh and ksh read them.
std::string ShellWord(std::string_view text);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_SHELL_H_
