#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exposition.h"
#include "diagnose/collect/missing.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

constexpr TimeRange kRange{0, 60'000};

std::optional<RelabelledMetrics> Look(const std::string& text, const std::string& selector) {
  testing_support::StoreSource source(
      ParseExposition(text + "# EOF\n", "f.om", std::nullopt).series);
  return FindRelabelledMetrics(source, selector, kRange);
}

TEST(RelabelledMetrics, OtherLabels) {
  const auto found = Look(
      "scheduler_scheduling_attempt_duration_seconds_count{job=\"s\"} 1 30\n"
      "scheduler_scheduling_algorithm_duration_seconds_count{job=\"t\"} 1 30\n",
      "job=\"x\"");
  ASSERT_TRUE(found);
  EXPECT_EQ(InEnglish(found->text),
            "kube-scheduler metrics are there under other labels: job s, t");
  EXPECT_THAT(InEnglish(found->fix), HasSubstr("--selector 'job=\"s\"'"));
}

TEST(RelabelledMetrics, WithoutAJob) {
  const auto found =
      Look("scheduler_scheduling_attempt_duration_seconds_count{pod=\"p\"} 1 30\n", "job=\"x\"");
  ASSERT_TRUE(found);
  EXPECT_THAT(InEnglish(found->text), HasSubstr("job (none)"));
  EXPECT_THAT(InEnglish(found->fix), HasSubstr("--selector 'job=\"\"'"));
}

TEST(RelabelledMetrics, OtherNamesUnderTheSelectorComeFirst) {
  const auto found = Look(
      "scheduler_scheduling_attempt_duration_seconds_count{job=\"s\"} 1 30\n"
      "eks_scheduler_scheduling_attempt_duration_seconds_count{job=\"x\"} 1 30\n",
      "job=\"x\"");
  ASSERT_TRUE(found);
  EXPECT_EQ(InEnglish(found->text),
            "kube-scheduler metrics are there under other names: "
            "eks_scheduler_scheduling_attempt_duration_seconds_count");
}

/// A server that fails at every question.
class Failing final : public Source {
 public:
  explicit Failing(ErrorKind kind) : kind_(kind) {}
  Answer Ask(const Query&) override { throw Error(kind_, "query processing took too long"); }
  SourceInfo Describe() override { return {}; }

 private:
  ErrorKind kind_;
};

TEST(RelabelledMetrics, AFailureIsToldButNotOneThatEndsTheRun) {
  for (const ErrorKind kind : {ErrorKind::kFailed, ErrorKind::kTimeout}) {
    Failing source(kind);
    const auto found = FindRelabelledMetrics(source, "job=\"x\"", kRange);
    ASSERT_TRUE(found);
    EXPECT_EQ(InEnglish(found->failure),
              "whether they are there under other labels or names is not known: query processing "
              "took too long");
    EXPECT_TRUE(found->text.empty());
  }
  for (const ErrorKind kind : {ErrorKind::kAuth, ErrorKind::kInterrupted}) {
    Failing source(kind);
    EXPECT_THROW(FindRelabelledMetrics(source, "", kRange), Error);
  }
}

TEST(RelabelledMetrics, Nothing) { EXPECT_FALSE(Look("up{job=\"x\"} 1 30\n", "")); }

}  // namespace
}  // namespace schedlens
