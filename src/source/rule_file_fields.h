#ifndef SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_
#define SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_

// The fields of groups and rules, and the labels and annotations, held to what Prometheus takes.

#include <functional>
#include <string>

#include "contract/message.h"

namespace YAML {
class Node;
}  // namespace YAML

namespace schedlens {

/// Takes what is wrong: an id of LintChecks(), where, the sentence, and what to write instead.
using FieldNote = std::function<void(const std::string& id, const YAML::Node& at,
                                     const Message& message, const Message& fix)>;

/// A field of a map, of what is merged into it (`<<: *other`) where it has none itself.
YAML::Node FieldOf(const YAML::Node& map, const char* field, int depth = 0);

/// Whether only vmalert takes the group: its templates and data sources are its own.
bool IsGroupOfVmalert(const YAML::Node& group);

/// Fields that no group and no rule has, whoever's rules they are (Prometheus's, Thanos's, Mimir's,
/// vmalert's), and fields that are set twice.
void JudgeGroupFields(const YAML::Node& group, const FieldNote& note);
void JudgeRuleFields(const YAML::Node& rule, const FieldNote& note);

/// The same of a whole rule file, which is no object of Kubernetes and of no one else.
void JudgeFileFields(const YAML::Node& file, const FieldNote& note);

/// The labels or annotations of a map: names, names twice, and values that are lists or maps. With
/// `templates` the values have to be templates that Prometheus reads.
void JudgeTexts(const YAML::Node& map, const char* field, bool templates, const FieldNote& note);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_RULE_FILE_FIELDS_H_
