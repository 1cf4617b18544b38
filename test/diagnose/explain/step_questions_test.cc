#include <gtest/gtest.h>

#include <set>

#include "base/source.h"
#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

TEST(StepQuestions, EachIsAQuestionOfAStepAndNoOtherIs) {
  std::set<std::string, std::less<>> of_steps;
  const QuerySet embedded = QuerySet::Embedded();
  for (const Question& question : embedded.questions()) {
    if (question.name.starts_with(kNextStepPrefix)) of_steps.insert(question.name);
  }
  for (const StepQuestion& row : StepQuestions()) {
    EXPECT_EQ(of_steps.erase(std::string(row.name)), 1U) << row.name;
  }
  EXPECT_TRUE(of_steps.empty()) << *of_steps.begin() << " has no row";
}

TEST(StepQuestions, AStepThatIsAQueryShowsIt) {
  std::size_t seen = 0;
  for (const FindingText& finding : FindingTexts()) {
    for (const NextStep& step : NextStepsOf(finding)) {
      const bool asks = QuestionOf(step.text) != nullptr;
      EXPECT_EQ(asks, !step.query.empty()) << step.text.id;
      EXPECT_FALSE(step.answered) << step.text.id;
      if (!asks) continue;
      ++seen;
      EXPECT_NO_THROW(promql::Parse(step.query)) << step.query;
      for (const std::string& language : Catalog::Languages()) {
        const std::string text = Catalog::Of(language).Write(step.text);
        EXPECT_NE(text.find("`" + step.query + "`"), std::string::npos) << text;
      }
    }
  }
  EXPECT_EQ(seen, StepQuestions().size());
}

TEST(StepQuestions, OtherMessagesAreNone) {
  EXPECT_EQ(QuestionOf(Message("finding.reserve.step.1")), nullptr);
  EXPECT_EQ(QuestionOf(Message("finding.bind.apiserver.title")), nullptr);
  EXPECT_EQ(QuestionOf(Message()), nullptr);
  EXPECT_EQ(QuestionOf(Verbatim("next_bind.apiserver.1")), nullptr);
}

TEST(StepQuestions, UnknownApiServersAreSelectedByTheirUsualJob) {
  EXPECT_EQ(StepSelector(AskedOf::kApiServers, "", R"(job="api")"), R"(job="api")");
  EXPECT_EQ(StepSelector(AskedOf::kApiServers, R"(cluster="a")", ""),
            R"(cluster="a",job=~".*apiserver.*")");
  EXPECT_EQ(StepSelector(AskedOf::kWholeCluster, R"(cluster="a")", R"(job="api")"),
            R"(cluster="a")");
}

}  // namespace
}  // namespace schedlens
