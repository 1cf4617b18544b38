#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/run_main.h"

namespace schedlens {
namespace {

const std::string kWhatIfCapture =
    std::string(SCHEDLENS_TEST_DATA) + "/captures/extender-bind-slow-A.om.gz";

TEST(WhatifCommandTest, PredictsTheTailWithoutTheCause) {
  const Ran ran = RunMain({"whatif", "--capture", kWhatIfCapture, "--set", "bind.extender=0.01",
                           "--seeds", "2", "-o", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("schema"), "schedlens.whatif/1");
  const auto& p99 = json.at("e2e").at(2);
  EXPECT_EQ(p99.at("q"), 0.99);
  EXPECT_GT(p99.at("before").at("value").get<double>(), 4);
  EXPECT_LT(p99.at("after").at("value").get<double>(), 0.1);
}

TEST(WhatifCommandTest, TextSaysWhatItAssumes) {
  const Ran ran = RunMain(
      {"whatif", "--capture", kWhatIfCapture, "--set", "bind.extender*=0.5", "--seeds", "1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("What this assumes"), std::string::npos);
}

TEST(WhatifCommandTest, AnUnknownKeyIsAUsageError) {
  const Ran ran = RunMain({"whatif", "--capture", kWhatIfCapture, "--set", "bind.extendr=0"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("did you mean bind.extender?"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace schedlens
