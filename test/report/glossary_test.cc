#include <gtest/gtest.h>

#include "base/text.h"
#include "messages/catalog.h"
#include "report/commands.h"
#include "report/format.h"

namespace schedlens {
namespace {

TEST(GlossaryTest, AnExplanationHasOneParagraphATable) {
  const FindingText finding{"reserve", 1, ShownBy::kCommand, false};
  const TopicText topic{"estimate"};
  const Message step("finding.reserve.step.1");
  const Remedy action{Verbatim("Stop it."), Verbatim("somebody"), Verbatim("Test it."),
                      Verbatim("kubectl get pods"), ""};
  const Explanation both{
      .finding = &finding, .next_steps = {step}, .action = action, .topic = &topic};
  const std::string text = ExplanationText(Messages("en"), both);
  EXPECT_EQ(text.substr(0, text.find("  next")),
            R"(finding reserve: The Reserve plugins take the time
  meaning      Reserve runs on the single scheduling loop after a node was chosen: a slow plugin
               there holds up every pod.
  proven by    The sum of the Reserve extension point per attempt has grown against the
               baseline.
  Do now       Stop it.
  Run          `kubectl get pods`
  Owner        somebody
  Later        Test it.
)");
  EXPECT_NE(text.find("  next         1. " + InEnglish(step) + "\n\nestimate\n  The best single"),
            std::string::npos);
  EXPECT_EQ(ExplanationText(Messages("en"), {}), "");
}

TEST(GlossaryTest, InChinese) {
  const StageText stage{"bind"};
  Explanation explanation;
  explanation.stage = &stage;
  EXPECT_EQ(
      ExplanationText(Messages("zh"), explanation),
      "阶段 bind：绑定 Pod\n"
      "  含义         Bind 插件或 extender 的 bind，并告知缓存。在自己的 goroutine 中运行。\n"
      "  如何测量     binding_duration（1.20 及以前）；1.21 起为 Bind 扩展点，在证明由 extender "
      "绑定之\n"
      "               处再加上剩余部分\n");
}

TEST(GlossaryTest, LinesOfTheIndexAreCutByColumns) {
  for (const char* lang : {"en", "zh"}) {
    const Messages t(lang);
    const std::string index = GlossaryIndex(t, {}, {}, {}, {}, {{"verdict"}, {"semantics"}});
    int widest = 0;
    for (const std::string_view line : SplitAt(index, '\n')) {
      widest = std::max(widest, DisplayWidth(line));
    }
    EXPECT_LE(widest, 96) << index;
    EXPECT_GT(widest, 84) << index;
  }
}

TEST(GlossaryTest, TheIndexListsEveryTable) {
  EXPECT_EQ(GlossaryIndex(Messages("en"), {}, {{"bind"}}, {}, {}, {}),
            "findings:\nstages:\n  bind  Binding the pod\n"
            "metrics:\nlint:\nwords:\n");
}

}  // namespace
}  // namespace schedlens
