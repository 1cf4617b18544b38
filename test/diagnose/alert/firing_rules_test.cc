#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exposition.h"
#include "diagnose/alert/alert.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeRange kRange{0, 600'000};

std::string Rule(const std::string& name, const std::string& expr, const std::string& severity) {
  return R"({"type":"alerting","name":")" + name + R"(","query":")" + expr +
         R"(","duration":0,"labels":{"severity":")" + severity + R"("}},)";
}

std::string FiringJson() {
  const std::string slow =
      "histogram_quantile(0.99, sum by (le) (rate(scheduler_e2e_scheduling_duration_seconds_bucket"
      "[5m])))";
  return R"({"status":"success","data":{"groups":[{"name":"g","rules":[)" +
         Rule("Pending", "scheduler_pending_pods > 9", "warning") +
         Rule("Slow", slow + " > 1", "warning") + Rule("NodeDown", "up == 0", "critical") +
         Rule("Down", R"(absent(up{job=\"kube-scheduler\"} == 1))", "info") +
         Rule("VerySlow", "sched:p99 > 3", "page") +
         Rule("Slow (p99 > 4 s)", slow + " > 4", "info") +
         Rule("Quiet", slow + " > 9", "critical") +
         R"({"type":"recording","name":"sched:p99","query":")" + slow + R"("}]}]}})";
}

std::vector<std::string> FiringOf(const std::vector<std::string>& names) {
  std::string page;
  for (const std::string& name : names) {
    page += "ALERTS{alertname=\"" + name + "\",alertstate=\"firing\"} 1 300\n";
  }
  page += "ALERTS{alertname=\"Quiet\",alertstate=\"pending\"} 1 300\n# EOF\n";
  testing_support::StoreSource source(ParseExposition(page, "f.om", std::nullopt).series);
  return FiringAlerts(source, FiringJson, kRange);
}

TEST(FiringAlerts, AreThoseAboutSchedulersTheWorstFirst) {
  EXPECT_THAT(FiringOf({"NodeDown", "Pending", "Slow", "VerySlow"}),
              ElementsAre("VerySlow", "Slow", "Pending"));
  EXPECT_THAT(FiringOf({"Pending"}), ElementsAre("Pending"));
  EXPECT_THAT(FiringOf({"NodeDown", "Down"}), ElementsAre("Down")) << "its job is the scheduler's";
  EXPECT_THAT(FiringOf({"NodeDown", "Unknown"}), IsEmpty());
  EXPECT_THAT(FiringOf({}), IsEmpty());
}

TEST(FiringAlerts, AreNoneWhereRulesAreNotTold) {
  testing_support::StoreSource source(
      ParseExposition("ALERTS{alertname=\"Slow\",alertstate=\"firing\"} 1 300\n# EOF\n", "f.om",
                      std::nullopt)
          .series);
  const auto failing = [](ErrorKind kind) {
    return [kind]() -> std::string { throw Error(kind, "no rules"); };
  };
  EXPECT_THAT(FiringAlerts(source, {}, kRange), IsEmpty());
  EXPECT_THAT(FiringAlerts(source, failing(ErrorKind::kFailed), kRange), IsEmpty());
  EXPECT_THAT(FiringAlerts(source, failing(ErrorKind::kAuth), kRange), IsEmpty());
  EXPECT_THROW(FiringAlerts(source, failing(ErrorKind::kInterrupted), kRange), Error);
}

TEST(TakeWorst, ANameMayBeAnyText) {
  const ResolvedAlert alert = TakeWorst({"Slow (p99 > 4 s)"}, FiringJson);
  EXPECT_EQ(alert.name, "Slow (p99 > 4 s)");
  EXPECT_EQ(alert.expression.threshold, 4);
  EXPECT_EQ(TakenAlert(alert.notes), alert.name);
}

TEST(TakeWorst, SaysThatItWasTakenAndInsteadOfWhich) {
  const ResolvedAlert one = TakeWorst({"Slow"}, FiringJson);
  EXPECT_EQ(one.expression.threshold, 1);
  EXPECT_EQ(InEnglish(one.notes.front()),
            "the alert Slow fired here and is judged; --no-alert leaves it out");
  const ResolvedAlert worst = TakeWorst({"VerySlow", "Slow", "Pending"}, FiringJson);
  EXPECT_EQ(worst.expression.threshold, 3);
  EXPECT_EQ(TakenAlert(worst.notes), "VerySlow");
  EXPECT_EQ(TakenAlert({Message("alert.nameless")}), "");
  EXPECT_EQ(InEnglish(worst.notes.front()),
            "the alert VerySlow fired here and is judged, the worst of 3 about schedulers; --alert "
            "takes another (Slow, Pending), --no-alert none");
}

}  // namespace
}  // namespace schedlens
