#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diagnose/pipeline/diagnose.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

Series One(const std::string& name, double value) {
  return {Labels({{"name", name}}), {{1000, value}}, {}};
}

TEST(StepAnswer, TheLargestComesFirstWithItsUnit) {
  Answer answer;
  answer.series = {One("a", 0.25), One("b", 1.5)};
  const StepAnswer said = ToStepAnswer(answer, StepUnit::kSeconds);
  EXPECT_EQ(said.value, 1.5);
  EXPECT_EQ(InEnglish(said.text), R"(name b: 1.5 s; name a: 0.25 s)");
  EXPECT_EQ(Catalog::Of("zh").Write(said.text), R"(name b：1.5s；name a：0.25s)");
}

TEST(StepAnswer, EveryUnitIsSaid) {
  Answer answer;
  answer.series = {{Labels(), {{1000, 0.125}}, {}}};
  const auto say = [&](StepUnit unit) { return InEnglish(ToStepAnswer(answer, unit).text); };
  EXPECT_EQ(say(StepUnit::kPerSecond), "0.125 per second");
  EXPECT_EQ(say(StepUnit::kCpuSeconds), "0.125 CPU seconds per second");
  EXPECT_EQ(say(StepUnit::kSeatSeconds), "0.125 seats in use (seconds in execution per second)");
  EXPECT_EQ(say(StepUnit::kRatio), "0.125 (ratio)");
  EXPECT_EQ(say(StepUnit::kCount), "0.125");
}

TEST(StepAnswer, NothingIsNotZero) {
  const StepAnswer nothing = ToStepAnswer({}, StepUnit::kCount);
  EXPECT_FALSE(nothing.value);
  EXPECT_EQ(InEnglish(nothing.text), "no data: nothing here matches this query in the window");
  Answer answer;
  answer.series = {One("a", std::numeric_limits<double>::quiet_NaN())};
  const StepAnswer uncounted = ToStepAnswer(answer, StepUnit::kSeconds);
  EXPECT_FALSE(uncounted.value);
  EXPECT_EQ(InEnglish(uncounted.text), "no data: what matches counted nothing in the window");
  answer.series.push_back(One("b", 0));
  EXPECT_EQ(InEnglish(ToStepAnswer(answer, StepUnit::kSeconds).text), R"(name b: 0 s)");
}

TEST(StepAnswer, ALongListIsCutAndCounted) {
  Answer answer;
  for (int i = 0; i < 8; ++i) answer.series.push_back(One("n" + std::to_string(i), i));
  const std::string text = InEnglish(ToStepAnswer(answer, StepUnit::kCount).text);
  EXPECT_NE(text.find(R"(name n3: 3; 3 more)"), std::string::npos) << text;
  EXPECT_EQ(text.find("n2"), std::string::npos) << text;
}

TEST(StepAnswer, AnInfiniteValueIsSaidButNoNumber) {
  Answer answer;
  answer.series = {One("a", std::numeric_limits<double>::infinity())};
  const StepAnswer said = ToStepAnswer(answer, StepUnit::kSeconds);
  EXPECT_FALSE(said.value);
  EXPECT_EQ(InEnglish(said.text), R"(name a: +Inf s)");
}

}  // namespace
}  // namespace schedlens
