#include <gtest/gtest.h>

#include <set>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(StepCommands, EachIsInItsTextAndNoOtherTextHasOne) {
  std::set<std::string> with_command;
  for (const StepCommand& row : StepCommands()) {
    const std::string command = UsualCommand(row);
    const Message text = WithCommand(Message(std::string(row.step)), command);
    for (const std::string& language : Catalog::Languages()) {
      const std::string written = Catalog::Of(language).Write(text);
      EXPECT_NE(written.find("`" + command + "`"), std::string::npos) << written;
    }
    with_command.insert(std::string(row.step));
  }
  for (const auto& [id, text] : Catalog::Of("en").texts()) {
    EXPECT_EQ(text.find("{command}") != std::string::npos, with_command.count(id) == 1) << id;
    if (id.find(".step.") == std::string::npos) continue;
    EXPECT_EQ(text.find("`schedlens "), std::string::npos) << id << " has no source in its command";
  }
}

TEST(StepCommands, ExplainedOfflineTheyNameWhatOnlyTheUserKnows) {
  for (const FindingText& finding : FindingTexts()) {
    for (const NextStep& step : NextStepsOf(finding)) {
      EXPECT_TRUE(step.command.empty());
      EXPECT_NO_THROW(InEnglish(step.text)) << step.text.id;
    }
  }
}

}  // namespace
}  // namespace schedlens
