#ifndef SCHEDLENS_CLI_KUBECTL_COMPLETION_H_
#define SCHEDLENS_CLI_KUBECTL_COMPLETION_H_

// What kubectl asks `kubectl_complete-schedlens` while somebody types `kubectl schedlens ...`: this
// binary under another name.

#include <string>
#include <string_view>
#include <vector>

#include "cli/program.h"

namespace schedlens {

/// Whether the process was started under the name that kubectl calls for completion.
bool IsKubectlCompletion(std::string_view program_path);

/// A line for each word that may follow, with a tab and its description, then `:4`, or `:0` where
/// files may follow too (cobra's ShellCompDirective). `words` are those behind `kubectl schedlens`;
/// the last one is being typed and may be empty. Contexts come from the kubeconfig.
std::string KubectlCompletion(const Program& program, const std::vector<std::string>& words);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_KUBECTL_COMPLETION_H_
