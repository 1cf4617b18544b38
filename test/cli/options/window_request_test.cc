#include <gtest/gtest.h>

#include "cli/options/source.h"

namespace schedlens {
namespace {

class Extent : public Source {
 public:
  explicit Extent(TimeRange range) : range_(range) {}
  Answer Ask(const Query&) override { return {}; }
  SourceInfo Describe() override {
    SourceInfo info;
    info.extent = range_;
    return info;
  }

 private:
  TimeRange range_;
};

TEST(ChooseWindowTest, EndsWithTheLastSampleUnlessTold) {
  Extent source({1000, 900000});
  EXPECT_EQ(ChooseWindow({}, source, 300000).range, (TimeRange{600000, 900000}));
  TimeOptions at;
  at.at = 500000;
  EXPECT_EQ(ChooseWindow(at, source, 300000).range, (TimeRange{200000, 500000}));
  TimeOptions given;
  given.start = 1000;
  given.end = 2000;
  EXPECT_EQ(ChooseWindow(given, source, 300000).range, (TimeRange{1000, 2000}));
}

TEST(ChooseWindowTest, ASingleScrapeIsTakenAsItStands) {
  Extent source({5000, 5000});
  EXPECT_TRUE(ChooseWindow({}, source, 300000).lifetime);
  TimeOptions lifetime;
  lifetime.lifetime = true;
  Extent longer({0, 5000});
  EXPECT_TRUE(ChooseWindow(lifetime, longer, 300000).lifetime);
  EXPECT_FALSE(ChooseWindow({}, longer, 300000).lifetime);
}

}  // namespace
}  // namespace schedlens
