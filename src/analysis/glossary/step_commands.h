#ifndef SCHEDLENS_ANALYSIS_GLOSSARY_STEP_COMMANDS_H_
#define SCHEDLENS_ANALYSIS_GLOSSARY_STEP_COMMANDS_H_

// Next steps that are commands of schedlens.

#include <string>
#include <string_view>
#include <vector>

#include "contract/message.h"

namespace schedlens {

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

/// Every text that is such a command.
const std::vector<StepCommand>& StepCommands();

/// The row of a text; null for one without a command.
const StepCommand* CommandOf(const Message& text);

/// The command with words in capitals for what only the user knows.
std::string UsualCommand(const StepCommand& command);

/// The text with this command in it.
Message WithCommand(Message text, const std::string& command);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_GLOSSARY_STEP_COMMANDS_H_
