#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

// The ids of the JSON contract: others read them, so none may go or be renamed.
TEST(GlossaryFindings, HasTheContractsIdsInItsOrder) {
  std::vector<std::string> ids;
  for (const FindingText& text : FindingTexts()) ids.push_back(text.id);
  EXPECT_THAT(
      ids,
      testing::UnorderedElementsAre(
          "bind.extender", "bind.apiserver", "bind.client-throttling", "bind.async-queue",
          "algorithm.extender", "algorithm.prefilter", "algorithm.filter", "algorithm.prescore",
          "algorithm.score", "algorithm.cpu-starved", "preemption", "attempts.unschedulable",
          "attempts.error", "prebind.volume", "prebind", "permit.wait", "reserve", "queue.backlog",
          "scheduler.down", "scheduler.no-leader", "scheduler.stuck", "queue.gated", "queue.flush",
          "queue.loop-busy", "queue.pod-group", "apiserver.webhook", "apiserver.flowcontrol",
          "etcd.disk", "etcd.peer", "etcd.leader", "etcd.slow", "apiserver.cpu", "apiserver.audit",
          "bind.network", "apiserver.unknown", "apiserver.instance", "unschedulable.plugin",
          "load.workload", "csi.driver", "volume.controller", "plugin", "scheduler.memory",
          "quantile.population", "quantile.threshold-inside-bucket", "quantile.saturated",
          "quantile.few-samples", "quantile.profile", "quantile.forced-monotonic",
          "quantile.rate-extrapolation", "data.reset", "data.missing", "data.mixed-layouts",
          "data.contradiction"));
}

TEST(GlossaryFindings, EachSaysWhatItIsWhatProvesItAndWhatToDo) {
  for (const FindingText& text : FindingTexts()) {
    const std::string title = InEnglish(TitleOf(text));
    EXPECT_LE(title.size(), 80U) << text.id;
    EXPECT_NE(title.back(), '.') << text.id;
    const auto own = [&](const char* part) {
      return InEnglish(Message("finding." + text.id + part));
    };
    EXPECT_GT(own(".meaning").size(), 60U) << text.id;
    EXPECT_GT(own(".proof").size(), 40U) << text.id;
    EXPECT_GE(NextStepsOf(text).size(), 2U) << text.id;
    const bool is_remark = text.id.rfind("quantile.", 0) == 0 || text.id.rfind("data.", 0) == 0;
    EXPECT_TRUE(is_remark || text.can_be_settled) << text.id;
    EXPECT_EQ(text.can_be_settled, Catalog::Of("en").Has("finding." + text.id + ".settled_by"));
  }
}

TEST(GlossaryFindings, TitlesTellFindingsApart) {
  std::set<std::string> titles;
  for (const FindingText& text : FindingTexts())
    EXPECT_TRUE(titles.insert(InEnglish(TitleOf(text))).second);
}

/// A headline puts a cause's title in the middle of a sentence, with a small letter, and says what
/// would settle it.
TEST(GlossaryFindings, CausesFitIntoASentence) {
  const std::set<std::string> names = {"Filter", "Score", "Reserve", "Permit", "Bind"};
  for (const FindingText& text : FindingTexts()) {
    if (text.id.starts_with("quantile.") || text.id.starts_with("data.")) continue;
    const std::string title = InEnglish(TitleOf(text));
    const std::string word = title.substr(0, title.find(' '));
    const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    EXPECT_LE(std::count_if(word.begin(), word.end(), capital), 1) << title;
    EXPECT_FALSE(names.count(word)) << title << ": a name keeps its capital letter";
    const std::string settled = InEnglish(SettledBy(text.id));
    EXPECT_FALSE(settled.ends_with('.')) << settled;
    EXPECT_LE(settled.size(), 60U) << settled;
  }
}

TEST(GlossaryFindings, CommandsInNextStepsAreClosed) {
  for (const FindingText& text : FindingTexts()) {
    for (const NextStep& next : NextStepsOf(text)) {
      const std::string step = InEnglish(next.text);
      EXPECT_EQ(std::count(step.begin(), step.end(), '`') % 2, 0) << text.id << ": " << step;
      EXPECT_EQ(
          std::count(step.begin(), step.end(), '(') - std::count(step.begin(), step.end(), ')'), 0)
          << text.id << ": " << step;
    }
  }
}

}  // namespace
}  // namespace schedlens
