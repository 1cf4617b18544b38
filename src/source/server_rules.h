#pragma once

// A server's own rules as the rule files they came from.

#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

struct ServerRuleFile {
  std::string name;  ///< the file (of Mimir: the namespace) as the server names it; may be empty
  std::string text;  ///< a rule file; comments and the style of the expressions are the server's
};

/// What `/api/v1/rules` answers, a file for each that the server names, in its order. Interval,
/// for, keep_firing_for, labels and annotations are kept. Throws Error(kFailed) when it is no list
/// of rules; rules of a kind that is not known are left out.
std::vector<ServerRuleFile> RuleFilesOfServer(std::string_view json);

}  // namespace schedlens
