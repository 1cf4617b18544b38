#ifndef SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_
#define SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_

// The fields of groups and rules, and the labels and annotations, held to what Prometheus takes.

#include <functional>
#include <string>

#include "contract/message.h"
#include "source/yaml_tree.h"

namespace schedlens {

/// Takes what is wrong: an id of LintChecks(), where, the sentence, and what to write instead.
using FieldNote = std::function<void(const std::string& id, YamlNode at, const Message& message,
                                     const Message& fix)>;

/// A field of a map, of what is merged into it (`<<: *other`) where it has none itself.
YamlNode FieldOf(YamlNode map, const char* field, int depth = 0);

/// Whether only vmalert takes the group: its data sources are its own.
bool IsGroupOfVmalert(YamlNode group);

/// Fields that no group and no rule has, whoever's rules they are (Prometheus's, Thanos's, Mimir's,
/// vmalert's), and fields that are set twice.
void JudgeGroupFields(YamlNode group, const FieldNote& note);
void JudgeRuleFields(YamlNode rule, const FieldNote& note);

/// The same of a whole rule file, which is no object of Kubernetes and of no one else.
void JudgeFileFields(YamlNode file, const FieldNote& note);

/// The labels or annotations of a map: names, names twice, and values that are lists or maps.
void JudgeTexts(YamlNode map, const char* field, const FieldNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_
