#include "reference/what_if.h"

#include <gtest/gtest.h>

#include "reference/played.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(ParseChangeTest, ReadsValuesAndFactors) {
  const Change value = ParseChange("bind.extender=0");
  EXPECT_EQ(value.key, "bind.extender");
  EXPECT_FALSE(value.multiply);
  const Change factor = ParseChange("algorithm.filter*=0.5");
  EXPECT_EQ(factor.key, "algorithm.filter");
  EXPECT_TRUE(factor.multiply);
  EXPECT_EQ(factor.value, 0.5);
}

TEST(ParseChangeTest, BadOnesSayWhatIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"bind.extender", "expected KEY=VALUE"}, {"bind.extendor=0", "did you mean bind.extender?"},
      {"client.qps=fast", "no number"},        {"client.qps=-1", "no number"},
      {"client.qps=0", "must be over 0"},
  };
  for (const auto& c : cases) {
    try {
      ParseChange(c.text);
      ADD_FAILURE() << c.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << error.what();
    }
  }
}

TEST(PredictChangeTest, WithoutTheCauseTheTailIsQuiet) {
  const test::Played played = test::Play("bind.extender");
  const Prediction p = PredictChange(played.investigation, {ParseChange("bind.extender=0.01")}, 3);
  ASSERT_EQ(p.e2e.size(), 4u);
  const PredictedChange& p99 = p.e2e[2];
  const std::vector<double> truth = ScheduledSeconds(played.scenario, played.truth);
  EXPECT_LE(*p99.before.low, NearestRank(truth, 0.99));
  EXPECT_GE(*p99.before.high, NearestRank(truth, 0.99));
  EXPECT_LT(*p99.after.high, 0.1);
  EXPECT_FALSE(p.assumptions.empty());
}

TEST(PredictChangeTest, NothingToFitIsAnError) { EXPECT_THROW(PredictChange({}, {}, 1), Error); }

}  // namespace
}  // namespace schedlens
