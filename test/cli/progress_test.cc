#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace schedlens {
namespace {

using std::chrono::milliseconds;

TEST(Progress, IsSilentForASecondThenDrawsOneLineAndWipesIt) {
  std::ostringstream err;
  milliseconds now{5000};
  {
    Progress progress(err, true, [&] { return now; });
    now += milliseconds(999);
    progress.Show("queries", 1, 31, "e2e");
    EXPECT_EQ(err.str(), "");
    now += milliseconds(1);
    progress.Show("queries", 12, 31, "plugin_execution");
    EXPECT_EQ(err.str(), "\rqueries 12/31  plugin_execution\x1b[K");
  }
  EXPECT_EQ(err.str(), "\rqueries 12/31  plugin_execution\x1b[K\r\x1b[K");
}

TEST(Progress, DrawsAtMostTenTimesASecond) {
  std::ostringstream err;
  milliseconds now{0};
  Progress progress(err, true, [&] { return now; });
  now = milliseconds(2000);
  for (int i = 0; i < 50; ++i) {
    progress.Show("reading", 0, 0, "");
    now += milliseconds(10);
  }
  const std::string text = err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 5);
}

TEST(Progress, SaysNothingWhereNobodyLooks) {
  std::ostringstream err;
  milliseconds now{0};
  {
    Progress progress(err, false, [&] { return now; });
    now = milliseconds(60000);
    progress.Show("queries", 1, 2, "e2e");
  }
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, DetailsCannotMoveTheCursor) {
  std::ostringstream err;
  milliseconds now{0};
  Progress progress(err, true, [&] { return now; });
  now = milliseconds(2000);
  progress.Show("query", 1, 0, "a\n\x1b[2J" + std::string(100, 'x'));
  EXPECT_EQ(err.str(), "\rquery 1  a  [2J" + std::string(34, 'x') + "\x1b[K");
}

class EchoSource : public Source {
 public:
  Answer Ask(const Query& query) override {
    Answer answer;
    answer.text = query.promql;
    return answer;
  }
  SourceInfo Describe() override {
    SourceInfo info;
    info.kind = "echo";
    return info;
  }
};

TEST(Progress, ASourceIsTheSameWithIt) {
  std::ostringstream err;
  milliseconds now{0};
  Progress progress(err, true, [&] { return now; });
  const auto source = WithProgress(std::make_unique<EchoSource>(), &progress);
  now = milliseconds(1500);
  EXPECT_EQ(source->Ask({"up", 0, 0, 0}).text, "up");
  EXPECT_EQ(source->AskAll({{"a", 0, 0, 0}, {"b", 0, 0, 0}}).at(1).text, "b");
  EXPECT_EQ(source->Describe().kind, "echo");
  EXPECT_THAT(err.str(), testing::HasSubstr("query 1  up"));
}

}  // namespace
}  // namespace schedlens
