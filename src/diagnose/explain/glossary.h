#pragma once

#include "base/text.h"
#include "contract/commands.h"

namespace schedlens {

// Which findings, stages, metrics, checks of rules and words there are: the tables that `explain`
// prints. What they mean stands in src/messages, what metrics count in these tables.

/// The file glossary.txt: the rows of these tables.
const std::vector<EmbeddedFile>& GlossaryFiles();

/// Everything a diagnosis can name: its own findings, then what may be behind one.
const std::vector<FindingText>& FindingTexts();
const std::vector<StageText>& StageTexts();
const std::vector<MetricText>& MetricTexts();
const std::vector<TopicText>& TopicTexts();
const std::vector<LintCheck>& LintChecks();

/// The row of a finding. Throws Error(kFailed) for an id without one: a rule was added without
/// text.
const FindingText& TextOfFinding(std::string_view id);

/// What to do now, in order, commands in backquotes: the texts `finding.ID.step.1` and so on. A
/// step that is a query has the embedded one, of everything and of five minutes.
std::vector<NextStep> NextStepsOf(const FindingText& finding);

/// The finding with its title and next steps. Throws likewise.
Finding FindingOf(std::string_view id, Confidence confidence, std::vector<Evidence> evidence = {});

/// What to do about it, with what is known of it filled in: `object`; `pods`, the schedulers' as
/// kubectl selects them; `namespace`, the object's; `workload`, as kubectl names it; `service`, a
/// webhook's, likewise, empty where unknown and of all else; `start`, of the window. `steps` are
/// its own. `kind`: texts of its own, as `.refuses` of a webhook; empty of most.
Remedy RemedyOf(const FindingText& finding, std::vector<Argument> known,
                const std::vector<NextStep>& steps, std::string_view kind = "");

/// Everything the tables hold about a word. A metric is found with or without `scheduler_` and with
/// `_bucket`, `_sum` or `_count`; a plugin's stage (`algorithm.filter/NodeAffinity`) is its
/// extension point's. All empty when nothing is known.
Explanation Explain(std::string_view word);

/// Every word that Explain knows, sorted, each once.
std::vector<std::string> ExplainedWords();

// Next steps that are queries: which question of `queries/` each is, whom it asks, and the unit of
// what comes back.

/// Whose series a question is about, and so what its selector is made of.
enum class AskedOf { kSchedulers, kApiServers, kWholeCluster };

enum class StepUnit { kSeconds, kPerSecond, kCpuSeconds, kSeatSeconds, kRatio, kCount };

struct StepQuestion {
  std::string_view
      name;  ///< of the question: `next_FINDING.NUMBER` for `finding.FINDING.step.NUMBER`
  AskedOf of = AskedOf::kSchedulers;
  StepUnit unit = StepUnit::kCount;
  /// The label that has the object of what is behind a finding; empty where it asks for all.
  std::string_view object_label = {};
};

const std::vector<StepQuestion>& StepQuestions();

/// The row of a step's text; null for a step that is no query.
const StepQuestion* QuestionOf(const Message& step);

/// Matchers for a question about others than the schedulers, from those of their cluster and of the
/// API servers in it; either may be empty: unknown API servers are asked for by usual jobs.
std::string StepSelector(AskedOf of, const std::string& cluster, const std::string& apiservers);

Message WithQuery(Message step, const std::string& query);

// Next steps that are commands of schedlens.

/// What a command has to be told so that it looks where the diagnosis looked.
enum class CommandNeeds {
  kInvestigation,  ///< source, selector, window
  kHistogram,      ///< and which one
  kTwoHistograms,  ///< and which two
  kSource,         ///< source, selector, window where it can
  kExpression,     ///< the alert's expression alone
};

struct StepCommand {
  std::string_view step;     ///< id of the step's text, whose argument is `command`
  std::string_view command;  ///< its words behind `schedlens`
  CommandNeeds needs = CommandNeeds::kSource;
};

const std::vector<StepCommand>& StepCommands();

/// The row of a text; null for one without a command.
const StepCommand* CommandOf(const Message& text);

/// The command with words in capitals for what only the user knows.
std::string UsualCommand(const StepCommand& command);

Message WithCommand(Message text, const std::string& command);

}  // namespace schedlens
