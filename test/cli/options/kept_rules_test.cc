#include <gtest/gtest.h>

#include <filesystem>

#include "base/exposition.h"
#include "base/file.h"
#include "cli/options/source.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(KeptRulesTest, ComeBackFromTheCapturesHeader) {
  RulesOfAlert rules;
  rules.expr = "a >\n 1";
  rules.json = R"({"data":{"groups":[{"name":"\\n"}]}})";
  Exposition capture;
  capture.comments = AlertComments("Slow", rules);
  EXPECT_EQ(capture.comments.front(), "alert: Slow: a >  1");
  capture.series = {{.labels = Labels({{std::string(kMetricName), "up"}}),
                     .samples = {{1000, 1}},
                     .histograms = {}}};
  const auto path = std::filesystem::path(testing::TempDir()) / "kept_rules_test.om";
  WriteFileAtomically(path.string(), WriteOpenMetrics(capture));
  SourceOptions source;
  source.capture = path.string();
  EXPECT_EQ(OpenAnySource(source)->Describe().rules, rules.json);
  capture.comments = AlertComments("Slow", {});
  EXPECT_EQ(capture.comments, std::vector<std::string>{"alert: Slow"});
  WriteFileAtomically(path.string(), WriteOpenMetrics(capture));
  EXPECT_FALSE(OpenAnySource(source)->Describe().rules);
  std::filesystem::remove(path);
}

TEST(KeptRulesTest, WithoutAServerThereAreNone) {
  EXPECT_TRUE(FetchRulesOf({}, "Slow").json.empty());
}

}  // namespace
}  // namespace schedlens
