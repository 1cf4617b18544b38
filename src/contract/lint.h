#pragma once

// What `lint` found in alert and recording rules.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace schedlens {

struct LintRule {
  std::string group;
  std::string name;  ///< of the alert or the record
  bool alerting = true;
  std::string expr;
  int line = 0;             ///< of the expression in its file, from 1; 0 when there is none
  std::int64_t for_ms = 0;  ///< of an alert; 0 without
  std::optional<std::int64_t> interval_ms = {};  ///< the group's own, where it has one
  /// A query of a dashboard: `group` is the dashboard's title, `name` the panel's.
  bool panel = false;
};

enum class LintSeverity { kNote, kWarning, kError };
inline std::string ToString(LintSeverity severity) {
  return WordOf(severity, {"note", "warning", "error"});
}

/// One remark. `id` is one of LintChecks().
struct LintFinding {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  std::size_t rule = 0;  ///< index of the rule it is about; of a file without any 0
  Message message;       ///< one sentence, with the number that matters
  Message fix;           ///< what to write instead; empty when that is not known
  /// Where it is, for what is wrong with a file rather than with an expression of it: group, name
  /// and line count, nothing else. Else nothing.
  std::optional<LintRule> place;
};

struct LintReport {
  std::vector<LintFinding> findings;  ///< in the order of the rules; of a file the first ones
  std::size_t left_out = 0;           ///< how many more there are
  std::optional<LintSeverity> worst_left_out = {};
  std::vector<std::string> mended;  ///< one expression a rule; as given where nothing was mended
  bool Mended(const std::vector<LintRule>& rules, std::size_t i) const {
    return mended[i] != rules[i].expr;
  }
};

/// A check: its id and what it means.
struct LintCheck {
  std::string id;
  LintSeverity severity = LintSeverity::kWarning;
  Message summary;
  Message reason;  ///< why it matters, and what mending does about it; for `explain`
};

/// The cluster that the rules are meant for.
struct LintedFor {
  std::string release;  ///< empty when it is not known
  std::int64_t scrape_ms = 0;
};

/// The rules of one file (or of --expr, then `name` is that), and what was found in them.
struct LintedFile {
  std::string name;
  std::vector<LintRule> rules;
  LintReport report;
  std::string mended_yaml;  ///< a rule file, the given one but for what is mended
  bool mended = false;      ///< whether anything is
  std::string diff;         ///< unified; empty when nothing is mended, and for --expr
};

/// Where a finding of the file is.
inline const LintRule& PlaceOf(const LintFinding& finding, const std::vector<LintRule>& rules) {
  return finding.place ? *finding.place : rules[finding.rule];
}

// What findings, stages, metrics, checks of rules and words mean, as `explain` shows it.

/// A cause, or a remark about the number. Every id a diagnosis can hold has a row. What happens in
/// the scheduler is the text `finding.ID.meaning`, the evidence that would be absent without it
/// `finding.ID.proof`.
struct FindingText {
  std::string id;
  int steps = 0;  ///< how many next steps the texts have: `finding.ID.step.1` and so on
  /// There is a metric, flag or log that ends remaining doubt: `finding.ID.settled_by`.
  bool can_be_settled = true;
};

/// One short sentence, the same in every report: the text `finding.ID.title`.
inline Message TitleOf(const FindingText& finding) {
  return Message("finding." + finding.id + ".title");
}

/// What would settle whether a cause is the one, a few words in the middle of a sentence: the text
/// `finding.ID.settled`, of causes only.
inline Message SettledBy(std::string_view cause) {
  return Message("finding." + std::string(cause) + ".settled");
}

/// A node of the stage tree. The texts `stage.ID.title`, `stage.ID.meaning` (what the scheduler
/// does in it) and `stage.ID.measured_by` (metric, or the subtraction) tell of it.
struct StageText {
  std::string id;
};

/// A metric family of kube-scheduler, or of one of its neighbours.
struct MetricText {
  std::string name;       ///< without _bucket, _sum, _count
  std::string releases;   ///< where it is visible by default
  Message population;     ///< what is counted, and what is not
  Message traps;          ///< how it misleads; may be empty
  std::string component;  ///< who exports it; empty of kube-scheduler's
  std::string labels;     ///< in the newest release, as a list; empty of kube-scheduler's
};

/// A word of the reports; its meaning is the text `term.NAME`.
struct TopicText {
  std::string name;
};

/// Everything the tables hold about a word. All empty when nothing is known.
struct Explanation {
  const FindingText* finding = nullptr;
  std::vector<Message> next_steps;  ///< the finding's, in order
  const StageText* stage = nullptr;
  const MetricText* metric = nullptr;
  const LintCheck* lint = nullptr;
  const TopicText* topic = nullptr;
  bool empty() const { return !finding && !stage && !metric && !lint && !topic; }
};

}  // namespace schedlens
