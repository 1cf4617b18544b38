#include "model/label_names.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

namespace schedlens {
namespace {

TEST(LabelNames, EveryUsualNameIsFoundAtItsPlace) {
  const std::set<std::string_view> names(std::begin(kUsualLabelNames), std::end(kUsualLabelNames));
  EXPECT_EQ(names.size(), std::size(kUsualLabelNames));
  for (std::size_t i = 0; i < std::size(kUsualLabelNames); ++i) {
    EXPECT_EQ(UsualLabelName(kUsualLabelNames[i]), i) << kUsualLabelNames[i];
  }
}

TEST(LabelNames, OthersAreNot) {
  for (const std::string_view name : kUsualLabelNames) {
    EXPECT_FALSE(UsualLabelName(std::string(name) + "x")) << name;
    EXPECT_FALSE(UsualLabelName(name.substr(1))) << name;
  }
  EXPECT_FALSE(UsualLabelName(""));
  EXPECT_FALSE(UsualLabelName(std::string(1000, 'p')));
}

}  // namespace
}  // namespace schedlens
