#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/commands/serve.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

std::string Alert(const std::string& fingerprint, const std::string& status = "firing",
                  const std::string& start = "2026-11-21T10:00:00Z") {
  return fmt::format(R"({{"status":"{}","labels":{{"alertname":"Sched/Slow"}},"startsAt":"{}",)"
                     R"("fingerprint":"{}"}})",
                     status, start, fingerprint);
}

AlertGroup Read(const std::string& alerts) {
  return ReadAlertGroup(R"({"version":"4","alerts":[)" + alerts + "]}");
}

TEST(AlertGroup, NamesItsReportByAlertStartAndFingerprints) {
  const AlertGroup group = Read(Alert("aa", "firing", "2026-11-21T10:00:05.123Z") + "," +
                                Alert("bb", "firing", "2026-11-21T10:00:00.500Z"));
  EXPECT_TRUE(group.report.starts_with("Sched-Slow-20261121T100000Z-")) << group.report;
  EXPECT_EQ(
      group.report,
      Read(Alert("bb", "firing", "2026-11-21T10:00:00Z") + "," + Alert("aa", "resolved")).report)
      << "whatever their order and state";
  EXPECT_NE(group.report, Read(Alert("aa")).report);
}

TEST(AlertGroup, AStateIsFingerprintStartAndStatus) {
  const AlertGroup one = Read(Alert("aa"));
  EXPECT_EQ(one.states.size(), 1u);
  EXPECT_EQ(Read(Alert("aa") + "," + Alert("aa")).states, one.states);
  EXPECT_NE(Read(Alert("aa", "resolved")).states, one.states);
  EXPECT_NE(Read(Alert("aa", "firing", "2026-11-21T11:00:00Z")).states, one.states);
  EXPECT_EQ(Read(Alert("aa", "resolved")).alerts, one.alerts);
}

TEST(AlertGroup, WithoutAFingerprintTheLabelsTell) {
  const auto read = [](const std::string& pod) {
    return Read(fmt::format(R"({{"labels":{{"alertname":"../../x","pod":"{}"}}}})", pod));
  };
  EXPECT_NE(read("a").alerts, read("b").alerts);
  EXPECT_TRUE(read("a").report.starts_with("x-unknown-")) << "no path, no option";
}

TEST(AlertGroup, RefusesWhatIsNoNotification) {
  for (const char* bad : {"", "{", "[]", "{\"alerts\":[]}", "7"}) {
    EXPECT_THROW(ReadAlertGroup(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace schedlens
