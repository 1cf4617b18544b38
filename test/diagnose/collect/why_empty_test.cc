#include <gtest/gtest.h>

#include <string>

#include "base/exposition.h"
#include "diagnose/collect/missing.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "promql/matcher.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr char kPage[] =
    "scheduler_scheduling_attempt_duration_seconds_count{job=\"s\",result=\"scheduled\"} 1 600\n"
    "scheduler_scheduling_attempt_duration_seconds_count{job=\"t\",result=\"error\"} 1 600\n"
    "scheduler_pending_pods{job=\"s\"} 1 600\n"
    "# EOF\n";
constexpr TimeRange kEmptyRange{0, 660'000};

std::string Why(const std::string& matchers, const TimeRange& range = kEmptyRange,
                const std::string& what = "") {
  testing_support::StoreSource source(ParseExposition(kPage, "f.om", std::nullopt).series);
  const Message why = WhyEmpty(source, *promql::ParseMatchers(matchers), range, what);
  return why.empty() ? "" : InEnglish(why);
}

std::string Attempts(const std::string& matchers) {
  return Why("__name__=\"scheduler_scheduling_attempt_duration_seconds_count\"," + matchers);
}

TEST(WhyEmpty, NamesTheMatcherThatNothingFits) {
  const std::string none = "no series of scheduler_scheduling_attempt_duration_seconds_count has ";
  EXPECT_EQ(Attempts("job=\"s\",result=\"schduled\""),
            none + "result=\"schduled\"; the nearest is result=\"scheduled\"");
  EXPECT_EQ(Attempts("result=~\"unschedulable.*\""),
            none + "result=~\"unschedulable.*\"; there result is error, scheduled");
  EXPECT_EQ(Attempts("resullt=\"error\""), none + "a label resullt; the nearest is result");
  EXPECT_EQ(Attempts("zone=\"a\""), none + "a label zone; their labels are job, result");
  EXPECT_EQ(Attempts("job=\"s\",result=\"error\""),
            none + "all of {job=\"s\",result=\"error\"}, only some of them");
  EXPECT_EQ(Attempts("job=\"s\""), "");
}

TEST(WhyEmpty, NamesTheMetricThatMayBeMeant) {
  EXPECT_EQ(
      Why("__name__=\"scheduler_pendng_pods\""),
      "no metric here is called scheduler_pendng_pods; the nearest is scheduler_pending_pods");
  EXPECT_EQ(Why("__name__=\"scheduler_pending\""),
            "no metric here is called scheduler_pending; the nearest is scheduler_pending_pods");
  EXPECT_EQ(Why("__name__=\"node_load1\""), "no metric here is called node_load1");
}

TEST(WhyEmpty, NamesTheSuccessorOfAMetricThatIsGone) {
  EXPECT_EQ(Why("__name__=\"scheduler_e2e_scheduling_duration_seconds_count\""),
            "scheduler_e2e_scheduling_duration_seconds_count is not here: in this release it is "
            "called scheduler_scheduling_attempt_duration_seconds_count");
  EXPECT_EQ(Why("__name__=\"scheduler_binding_duration_seconds_count\""),
            "scheduler_binding_duration_seconds_count is not here: removed in 1.21");
}

TEST(WhyEmpty, SaysWhenItWasScraped) {
  const TimeRange later{3'600'000, 7'200'000}, earlier{0, 60'000};
  EXPECT_EQ(Why("__name__=\"scheduler_pending_pods\"", later),
            "scheduler_pending_pods was last scraped at 1970-01-01T00:10:00Z: try --at "
            "1970-01-01T00:10:00Z");
  EXPECT_EQ(Why("__name__=~\"scheduler_pending.*\"", earlier, "kube-scheduler"),
            "kube-scheduler was first scraped at 1970-01-01T00:10:00Z: try --start "
            "1970-01-01T00:10:00Z");
}

TEST(WhyEmptyOf, TellsOfEachSelectorOnce) {
  testing_support::StoreSource source(ParseExposition(kPage, "f.om", std::nullopt).series);
  const auto why = [&](const std::string& promql) {
    return WhyEmptyOf(source, promql, {660'000, 660'000});
  };
  const auto hints = why("rate(node_load1[5m]) / node_load1 + scheduler_pending_pods{job=\"t\"}");
  ASSERT_EQ(hints.size(), 2U);
  EXPECT_EQ(InEnglish(hints[0]), "no metric here is called node_load1");
  EXPECT_EQ(InEnglish(hints[1]),
            "no series of scheduler_pending_pods has job=\"t\"; there job is s");
  EXPECT_TRUE(why("scheduler_pending_pods > 5 and node_load1 offset 1h").empty());
}

/// A server that fails at every question.
class FailingSource final : public Source {
 public:
  explicit FailingSource(ErrorKind kind) : kind_(kind) {}
  Answer Ask(const Query&) override { throw Error(kind_, "down"); }
  SourceInfo Describe() override { return {}; }

 private:
  ErrorKind kind_;
};

TEST(WhyEmpty, FailuresAreNoExplanationButARefusalIsOne) {
  FailingSource down(ErrorKind::kFailed), refusing(ErrorKind::kAuth);
  const auto matchers = *promql::ParseMatchers("__name__=\"x\"");
  EXPECT_TRUE(WhyEmpty(down, matchers, kEmptyRange).empty());
  EXPECT_THROW(WhyEmpty(refusing, matchers, kEmptyRange), Error);
}

}  // namespace
}  // namespace schedlens
