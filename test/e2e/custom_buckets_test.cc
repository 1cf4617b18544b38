// A recorded incident as a Prometheus would have it that keeps native histograms with custom
// buckets alone: the same finding, the same numbers.

#include <gtest/gtest.h>

#include <cmath>

#include "base/source.h"
#include "diagnose/doctor/doctor.h"
#include "diagnose/pipeline/diagnose.h"
#include "e2e/recorded.h"
#include "source/capture/capture_source.h"
#include "source/capture/recording.h"
#include "source/native/folded.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

constexpr const char* kIncident = "apiserver-bind-slow-1.26-A";

struct Both {
  std::unique_ptr<Source> classic;
  std::unique_ptr<Source> folded;
};

Both Open() {
  const Exposition capture = test::ReadCapture(kIncident);
  return {NewLocalSource(capture.series, {}),
          NewUnfoldingSource(NewLocalSource(test::Folded(capture.series), {}))};
}

void ExpectClose(double a, double b, const std::string& what) {
  EXPECT_NEAR(a, b, 1e-9 * std::fabs(b)) << what;
}

TEST(CustomBuckets, TheSameFindingFromBothForms) {
  Both both = Open();
  for (const char* expr :
       {"",
        "histogram_quantile(0.99, sum by (le) "
        "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m]))) > 3"}) {
    DiagnoseRequest request;
    request.alert_expr = expr;
    const Diagnosis want = Diagnose(*both.classic, QuerySet::Embedded(), request);
    const Diagnosis got = Diagnose(*both.folded, QuerySet::Embedded(), request);
    ASSERT_FALSE(got.findings.empty());
    EXPECT_EQ(got.findings.front().id, "bind.apiserver");
    ASSERT_EQ(got.findings.size(), want.findings.size());
    for (std::size_t i = 0; i < want.findings.size(); ++i) {
      EXPECT_EQ(got.findings[i].id, want.findings[i].id);
      EXPECT_EQ(got.findings[i].confidence, want.findings[i].confidence);
    }
    EXPECT_EQ(got.window, want.window);
    ASSERT_TRUE(got.alert && want.alert);
    ExpectClose(*got.alert->shown, *want.alert->shown, "shown");
    EXPECT_EQ(got.alert->fires.state, want.alert->fires.state);
  }
}

TEST(CustomBuckets, DoctorAndCaptureSeeTheHistograms) {
  Both both = Open();
  const DoctorReport want = Examine(*both.classic, QuerySet::Embedded(), {});
  DoctorReport got = Examine(*both.folded, QuerySet::Embedded(), {});
  EXPECT_TRUE(got.diagnosable);
  EXPECT_EQ(std::erase_if(got.checks,
                          [](const CheckUp& one) { return one.text.id == "source.native_only"; }),
            1U);
  ASSERT_EQ(got.checks.size(), want.checks.size());
  for (std::size_t i = 0; i < want.checks.size(); ++i) {
    EXPECT_EQ(got.checks[i].health, want.checks[i].health) << got.checks[i].subject;
  }
  RecordingPlan plan;
  plan.range = *both.classic->Describe().extent;
  plan.selector = FindSchedulers(*both.folded, plan.range);
  EXPECT_EQ(plan.selector, FindSchedulers(*both.classic, plan.range));
  const Exposition recorded = Record(*both.folded, plan);
  const auto source = NewLocalSource(recorded.series, {});
  const Diagnosis diagnosis = Diagnose(*source, QuerySet::Embedded(), {});
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "bind.apiserver");
}

}  // namespace
}  // namespace schedlens
