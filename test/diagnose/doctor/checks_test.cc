#include <gtest/gtest.h>

#include "diagnose/doctor/doctor.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(DoctorChecks, BitsAreClaimedOnlyWhereTheSourceDoes) {
  SourceInfo info;
  info.kind = "prometheus";
  info.name = "http://h";
  info.version = "2.42.0";
  info.semantics = ParseSemantics("2.42");
  EXPECT_EQ(InEnglish(CheckSource(info).text),
            "prometheus http://h, version 2.42.0, arithmetic of 2.42, to the bit");
  info.exact = false;
  EXPECT_EQ(CheckSource(info).health, Health::kNote);
}

TEST(DoctorChecks, ClocksMayDifferByTheRoundingOfTheHeader) {
  EXPECT_EQ(CheckClock(2).health, Health::kOk);
  EXPECT_EQ(CheckClock(3).health, Health::kNote);
  EXPECT_EQ(CheckClock(-3).health, Health::kNote);
}

TEST(DoctorChecks, AMissingMetricIsExplainedByTheRelease) {
  const auto text = [](const ReleaseRange& release) {
    std::string all;
    Facts facts;
    facts.targets = {{Labels({{"pod", "p"}}), {0, 15000}, {}, {}}};
    for (const CheckUp& check : CheckMissing(facts, release)) all += InEnglish(check.text) + "\n";
    return all;
  };
  const std::string old = text({.oldest = 18, .newest = 20, .exact = ""});
  EXPECT_NE(old.find("(exposed from 1.22 on)"), std::string::npos);
  EXPECT_EQ(old.find("(removed in 1.21)"), std::string::npos);
  EXPECT_NE(text({.oldest = 26, .newest = 26, .exact = ""}).find("(removed in 1.21)"),
            std::string::npos);
}

TEST(DoctorChecks, RestartsAreNamed) {
  Facts facts;
  facts.targets = {{Labels({{"pod", "p"}}), {0, 15000}, {9000}, {}}};
  const auto checks = CheckRestarts(facts);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(InEnglish(checks[0].text),
            "p restarted at 1970-01-01T00:00:09Z: what it counted after its last scrape before is "
            "lost");
}

TEST(DoctorChecks, AReleaseThatIsNotKnownIsSaid) {
  EXPECT_EQ(CheckRelease({}, {}).health, Health::kNote);
  EXPECT_EQ(InEnglish(CheckRelease({}, {.oldest = 20, .newest = 20, .exact = ""}).text),
            "the metrics are those of kube-scheduler 1.20");
}

}  // namespace
}  // namespace schedlens
