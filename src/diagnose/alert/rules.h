#pragma once

// Alerting and recording rules as `/api/v1/rules` lists them, and expressions with the recording
// rules in them replaced by what they record.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/series.h"

namespace schedlens {

/// One period during which an instance of an alert fired.
struct Firing {
  Labels labels;
  TimeMs start = 0;           ///< when it began to fire, `for` included
  std::optional<TimeMs> end;  ///< absent: still firing
  bool operator==(const Firing&) const = default;
};

struct ServerRule {
  bool alerting = false;  ///< else recording
  std::string name;
  std::string expr;
  std::string group;
  Labels labels;
  std::int64_t for_ms = 0;
  std::vector<Firing> firings;  ///< instances that fire now
};

/// Reads the API's answer. Throws Error(kFailed) when it is no list of rules; rules of a kind that
/// is not known are left out.
std::vector<ServerRule> ReadRules(std::string_view json);

/// What an alert of one name needs of a server's rules.
struct RulesOfAlert {
  /// A list of rules that ReadRules reads, on one line: the alert's own rules, and the recording
  /// rules that they stand on. Empty where no alerting rule has the name.
  std::string json;
  std::string expr;                   ///< of the alert's first rule; may be empty
  std::vector<std::string> recorded;  ///< names of those recording rules
};

/// Picks them from the API's answer. Annotations and states of evaluation are left out. Throws what
/// ReadRules throws.
RulesOfAlert PickRules(std::string_view json, const std::string& alert);

/// An expression after replacement, and remarks about what was replaced.
struct ExpandedExpression {
  std::string expr;
  std::vector<Message> notes;
};

/// Replaces each selector of a recorded metric by the rule's expression in parentheses, again and
/// again (at most ten deep), so that the histogram behind it shows. Of several rules of one name
/// the one whose labels agree with the selector's equality matchers counts; several that agree, an
/// offset or a range on the selector leave it as it is, with a note. An expression that does not
/// parse comes back unchanged with a note.
ExpandedExpression SeeThroughRecordingRules(const std::string& expr,
                                            const std::vector<ServerRule>& rules);

}  // namespace schedlens
