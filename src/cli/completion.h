#pragma once

// Completion scripts for shells, written from the command tree: static text, the binary is not
// run while typing.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace schedlens {

/// For bash 4 or newer; works with and without the bash-completion package.
std::string BashCompletion(const Program& program);
/// To be saved as `_schedlens` in a folder of zsh's fpath.
std::string ZshCompletion(const Program& program);
/// To be saved as `schedlens.fish` in fish's completions folder.
std::string FishCompletion(const Program& program);

/// Whether the process was started under the name that kubectl calls for completion.
bool IsKubectlCompletion(std::string_view program_path);

/// A line for each word that may follow, with a tab and its description, then `:4`, or `:0` where
/// files may follow too (cobra's ShellCompDirective). `words` are those behind `kubectl schedlens`;
/// the last one is being typed and may be empty. Contexts come from the kubeconfig.
std::string KubectlCompletion(const Program& program, const std::vector<std::string>& words);

}  // namespace schedlens
