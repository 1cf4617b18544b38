#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "base/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// What reading `text` complains of; "" if nothing.
std::string Complaint(const std::string& text, YamlFile file = {"f"}) {
  try {
    YamlMap map(YAML::Load(text), std::move(file));
    double rate = 1;
    std::int32_t count = 2;
    bool on = false;
    std::vector<std::string> names;
    map.Read("rate", &rate, 0, 10);
    YamlMap sub = map.Sub("sub");
    sub.Read("count", &count, 0, 5);
    sub.Read("on", &on);
    sub.Finish();
    map.Read("names", &names);
    map.Each("list", [](YamlMap& item) { item.Ignore({"name"}); });
    map.Finish();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

TEST(YamlMap, ComplaintsNameFileLineAndPath) {
  EXPECT_EQ(Complaint("{}"), "");
  EXPECT_EQ(Complaint("rate: ~\nsub:\nnames: [a, b]\nlist: [{name: x}]"), "");
  EXPECT_EQ(Complaint("[1]"), "f:1: must be a mapping");
  EXPECT_EQ(Complaint("rate: 1\nrate: 2"), "f:2: key `rate` is given twice");
  EXPECT_EQ(Complaint("rate: 11"), "f:1: `rate` is 11, it must lie in 0..10");
  EXPECT_EQ(Complaint("rate: fast"), "f:1: `rate` is `fast`, not a number");
  EXPECT_EQ(Complaint("rate: [1]"), "f:1: `rate` must be a single value");
  EXPECT_EQ(Complaint("sub:\n  count: 1.5"), "f:2: sub: `count` is 1.5, not a whole number");
  EXPECT_EQ(Complaint("sub:\n  on: maybe"), "f:2: sub: `on` is true or false");
  EXPECT_EQ(Complaint("sub:\n  cuont: 1"), "f:2: sub: unknown key `cuont`, did you mean `count`?");
  EXPECT_EQ(Complaint("names: a"), "f:1: `names` must be a list");
  EXPECT_EQ(Complaint("list:\n- {name: x}\n- {nmae: x}"),
            "f:3: list[1]: unknown key `nmae`, did you mean `name`?");
}

TEST(YamlMap, NumbersAreReadAsTheFileWritesThem) {
  const YamlFile doubled{.name = "f", .number = [](const std::string& text) {
                           if (text.empty()) throw Error(ErrorKind::kUsage, "no digits");
                           return 2.0 * static_cast<double>(text.size());
                         }};
  YamlMap map(YAML::Load("a: xx\nb: ''"), doubled);
  std::int32_t a = 0;
  map.Read("a", &a, 0, 10);
  EXPECT_EQ(a, 4);
  EXPECT_THROW(map.Read("b", &a, 0, 10), Error);
}

TEST(YamlMap, WhatIsSkippedIsToldButNotWhatLooksMistyped) {
  std::string skipped;
  const YamlFile file{.name = "f", .skip = [&](const std::string& key, const std::string& place) {
                        skipped += key + " at " + place + "; ";
                      }};
  EXPECT_EQ(Complaint("RATE: 3\nnewField: 1\nsub: {ofTheFuture: 2}", file), "");
  EXPECT_EQ(skipped, "ofTheFuture at f:3; newField at f:2; ");
  EXPECT_EQ(Complaint("raet: 3", file), "f:1: unknown key `raet`, did you mean `rate`?");
}

}  // namespace
}  // namespace schedlens
