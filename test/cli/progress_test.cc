#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"

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

TEST(ReadingProgress, ShowsWhatIsReadAndWipesItAtTheEnd) {
  constexpr std::size_t kMi = 1 << 20;
  std::ostringstream err;
  milliseconds now{0};
  {
    const ReadingProgress shown(err, true, [&] { return now; });
    now = milliseconds(5000);
    {
      const InputReading reading("m.om.gz");
      reading.Come(kMi);
      EXPECT_EQ(err.str(), "") << "a second counts from the beginning of the reading";
      now += milliseconds(1000);
      reading.Come(7 * kMi);
    }
    EXPECT_EQ(err.str(), "\rreading 7  MiB of m.om.gz\x1b[K\r\x1b[K");
    const InputReading second("YAML", 9 * kMi);
    now += milliseconds(2000);
    second.Come(3 * kMi);
  }
  EXPECT_THAT(err.str(), testing::HasSubstr("\rreading 3/9  MiB of YAML"));
  const std::size_t said = err.str().size();
  InputReading("nobody listens").Come(kMi);
  EXPECT_EQ(err.str().size(), said);
}

}  // namespace
}  // namespace schedlens
