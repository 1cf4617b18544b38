#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

constexpr char kAnswer[] = R"({"status": "success", "data": {"groups": [
  {"name": "g", "file": "/etc/a.yml", "interval": 30, "rules": [
    {"type": "alerting", "name": "A", "query": "up == 0", "duration": 300, "keepFiringFor": 60,
     "labels": {"severity": "page"}, "annotations": {"summary": "x: \"y\""}, "state": "firing"},
    {"type": "recording", "name": "a:b", "query": "sum(x)\n+ y"},
    {"type": "other", "name": "c", "query": "z"}]},
  {"name": "h", "file": "/etc/b.yml", "rules": []},
  {"name": "i", "file": "/etc/a.yml", "rules": []}]}})";

TEST(RuleFilesOfServerTest, AreTheFilesTheServerReads) {
  const std::vector<ServerRuleFile> files = RuleFilesOfServer(kAnswer);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "/etc/a.yml");
  const RuleFile file = ParseRuleFile(files[0].text, "a");
  ASSERT_EQ(file.rules.size(), 2u) << files[0].text;
  EXPECT_TRUE(file.problems.empty());
  EXPECT_EQ(file.rules[0].expr, "up == 0");
  EXPECT_EQ(file.rules[0].for_ms, 300000);
  EXPECT_EQ(file.rules[0].interval_ms, 30000);
  EXPECT_EQ(file.rules[1].expr, "sum(x)\n+ y\n");
}

TEST(RuleFilesOfServerTest, RefusesWhatIsNoList) {
  for (const char* bad : {"", "[]", "{}", "{\"data\": {\"groups\": 3}}", "<html>"}) {
    EXPECT_THROW(RuleFilesOfServer(bad), Error) << bad;
  }
  EXPECT_TRUE(RuleFilesOfServer("{\"data\": {\"groups\": [3]}}").empty());
}

}  // namespace
}  // namespace schedlens
