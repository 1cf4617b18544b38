#include "diagnose/explain/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(Glossary, FindsAFindingById) {
  EXPECT_EQ(InEnglish(TitleOf(TextOfFinding("bind.extender"))), "An extender's bind call is slow");
  EXPECT_EQ(Explain("bind.extender").finding, &TextOfFinding("bind.extender"));
}

TEST(Glossary, RefusesAFindingWithoutText) {
  EXPECT_THROW(TextOfFinding("bind.magic"), Error);
  EXPECT_THROW(TextOfFinding(""), Error);
}

TEST(Glossary, FindsMetricsInEveryFormPeopleType) {
  const char* forms[] = {"scheduler_binding_duration_seconds", "binding_duration_seconds",
                         "scheduler_binding_duration_seconds_bucket",
                         "binding_duration_seconds_sum",
                         "scheduler_binding_duration_seconds_count"};
  for (const char* form : forms) {
    ASSERT_NE(Explain(form).metric, nullptr) << form;
    EXPECT_EQ(Explain(form).metric->name, "scheduler_binding_duration_seconds") << form;
  }
  EXPECT_EQ(Explain("process_start_time_seconds").metric->name, "process_start_time_seconds");
}

TEST(Glossary, ExplainsAPluginsStageAsItsExtensionPoint) {
  ASSERT_NE(Explain("algorithm.filter/InterPodAffinity").stage, nullptr);
  EXPECT_EQ(Explain("algorithm.filter/InterPodAffinity").stage->id, "algorithm.filter");
}

TEST(Glossary, GivesBothMeaningsOfAWord) {
  const Explanation filter = Explain("algorithm.filter");
  EXPECT_NE(filter.finding, nullptr);
  EXPECT_NE(filter.stage, nullptr);
  EXPECT_EQ(filter.metric, nullptr);
}

TEST(Glossary, KnowsNothingOfOtherWords) {
  EXPECT_TRUE(Explain("bind.magic").empty());
  EXPECT_TRUE(Explain("").empty());
}

TEST(Glossary, ListsEveryWordOnceAndExplainsIt) {
  const std::vector<std::string> words = ExplainedWords();
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_FALSE(Explain(words[i]).empty()) << words[i];
    EXPECT_TRUE(i == 0 || words[i - 1] < words[i]) << words[i];
  }
  EXPECT_THAT(words, testing::IsSupersetOf({"bind.extender", "algorithm.unmeasured", "quantile",
                                            "scheduler_e2e_scheduling_duration_seconds"}));
}

}  // namespace
}  // namespace schedlens
