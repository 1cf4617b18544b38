#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.h"
#include "cli/run_main.h"
#include "diagnose/explain/glossary.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ExplainCommand, ExplainsEveryWordOfTheGlossary) {
  for (const std::string& word : ExplainedWords()) {
    const Ran ran = RunMain({"explain", word});
    EXPECT_EQ(ran.code, 0) << word;
    EXPECT_EQ(ran.err, "") << word;
    EXPECT_GT(ran.out.size(), 60U) << word;
  }
}

TEST(ExplainCommand, AFindingComesWithWhatToDoNext) {
  const Ran ran = RunMain({"explain", "bind.client-throttling"});
  EXPECT_THAT(ran.out, StartsWith("finding bind.client-throttling: "));
  EXPECT_THAT(ran.out, HasSubstr("1. Read the limit: clientConnection.qps"));
  EXPECT_THAT(
      ran.out,
      HasSubstr("`schedlens whatif --set client.qps=200 --prometheus URL --start T --end T`"));
}

TEST(ExplainCommand, AWordWithTwoMeaningsPrintsBoth) {
  const Ran ran = RunMain({"explain", "algorithm.filter"});
  EXPECT_THAT(ran.out, HasSubstr("finding algorithm.filter: "));
  EXPECT_THAT(ran.out, HasSubstr("\n\nstage algorithm.filter: "));
}

TEST(ExplainCommand, WithoutAWordListsAll) {
  const Ran ran = RunMain({"explain"});
  EXPECT_EQ(ran.code, 0);
  for (const std::string& word : ExplainedWords())
    EXPECT_THAT(ran.out, HasSubstr("  " + word + "\n"));
}

TEST(ExplainCommand, AnUnknownWordNamesTheNearest) {
  const Ran ran = RunMain({"explain", "bind.extnder"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean bind.extender?"));
}

TEST(ExplainCommand, TellsOfAMetricInTheReadersLanguage) {
  const Ran english = RunMain({"explain", "scheduler_pending_pods"});
  EXPECT_THAT(english.out, HasSubstr("Pods in the queues now"));
  const Ran chinese = RunMain({"explain", "scheduler_pending_pods", "--lang", "zh"});
  EXPECT_THAT(chinese.out, HasSubstr("此刻各队列中的 Pod"));
  EXPECT_THAT(chinese.out, testing::Not(HasSubstr("Pods in the queues")));
}

}  // namespace
}  // namespace schedlens
