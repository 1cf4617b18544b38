#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_main.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/pods/holders.h"
#include "kube/stage.h"
#include "messages/catalog.h"

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
  for (const std::string& word : ExplainedWords()) {
    const std::size_t at = ran.out.find("\n  " + word + " ");
    ASSERT_NE(at, std::string::npos) << word;
    const std::string line = ran.out.substr(at + 1, ran.out.find('\n', at + 1) - at - 1);
    EXPECT_GT(line.size(), word.size() + 6) << "says nothing of it: " << line;
  }
}

// What the reports call things: every value of their enumerations, every id of a table.
TEST(ExplainCommand, KnowsEveryWordOfAReport) {
  std::vector<std::string> words = {"attempts", "pod-seconds", "bucket",
                                    "webhook",  "window",      "baseline"};
  const auto all_of = [&](auto last) {
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      words.push_back(ToString(static_cast<decltype(last)>(i)));
    }
  };
  all_of(Verdict::kInsufficientData);
  all_of(Confidence::kPossible);
  all_of(Decided::kUndecidable);
  all_of(ReplayVerdict::kUndecidable);
  words.push_back(ToString(FiresState::kUnclear));
  for (const char* id : {"headline.certain", "headline.likely", "headline.possible"}) {
    words.push_back(InEnglish(Message(id)));
  }
  for (const std::string_view id : kHolderIds) words.emplace_back(id);
  for (const kube::StageRow& row : kube::kStageTable) words.emplace_back(row.id);
  for (const FindingText& row : FindingTexts()) words.push_back(row.id);
  for (const std::string& word : words) EXPECT_EQ(RunMain({"explain", word}).code, 0) << word;
}

// Ids of findings, of what is behind them, of stages, holders, queues and events.
TEST(ExplainCommand, KnowsEveryIdOfADiagnosis) {
  const Ran ran = RunMain(
      {"diagnose", "--capture",
       std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/webhook-on-binding/metrics.om.gz",
       "-o", "json"});
  const auto diagnosis = nlohmann::json::parse(ran.out);
  std::set<std::string> ids;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) ids.insert(row.at("id"));
  };
  for (const char* list : {"findings", "stages", "queue", "holders", "events", "chain"}) {
    ASSERT_TRUE(diagnosis.contains(list)) << list;
    add(diagnosis.at(list));
  }
  for (const auto& finding : diagnosis.at("findings")) {
    add(finding.at("behind"));
    add(finding.at("consequences"));
  }
  EXPECT_GT(ids.size(), 15U);
  for (const std::string& one : ids) EXPECT_FALSE(Explain(one).empty()) << one;
}

TEST(ExplainCommand, SuggestsWhatIsTwoLettersAwayAtMost) {
  EXPECT_THAT(RunMain({"explain", "webhok"}).err, HasSubstr("; did you mean webhook?"));
  EXPECT_THAT(RunMain({"explain", "kubelet"}).err, HasSubstr("unknown term kubelet. `schedlens"));
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
