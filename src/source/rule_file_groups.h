#ifndef SCHEDLENS_SOURCE_RULE_FILE_GROUPS_H_
#define SCHEDLENS_SOURCE_RULE_FILE_GROUPS_H_

// The groups of a rule file, read as `promtool check rules` reads them.

#include <string>

#include "source/rule_file.h"
#include "source/yaml_tree.h"

namespace schedlens {

/// Adds the rules of a map with a list `groups`, which is the `whole` of its text or a part of it,
/// and what is wrong with them to the file. Lines and
/// places are those of the text that the node was read from. Throws Error(kUsage) naming the file
/// where what should be a list or a map is none.
void ReadGroups(YamlNode holder, bool whole, RuleFile* file);

/// The scalar's first byte in its text.
std::size_t PlaceOf(YamlNode node, const std::string& text);

/// Throws Error(kUsage): "NAME:LINE: what".
[[noreturn]] void FailAt(const std::string& name, int line, const std::string& what);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_GROUPS_H_
