// Our evaluator against Debian's Prometheus (2.42) over the same samples: equal to the bit.

#include <gtest/gtest.h>

#include "base/exposition.h"
#include "base/source.h"
#include "e2e/answers.h"
#include "source/capture/capture_source.h"

namespace schedlens::test {
namespace {

constexpr const char* kAlert =
    "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])) "
    "without (instance, pod))";

/// The recording as blocks under a server, and in memory.
struct Both {
  explicit Both(const std::string& name) {
    Exposition exposition =
        ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name, std::nullopt);
    const fs::path text = work.path() / "capture.om";
    std::ofstream(text) << WriteOpenMetrics(exposition);
    MakeBlocks(text, work.path() / "data", work.path() / "promtool.log");
    server = StartPrometheus(work.path() / "data", work.path());
    SourceInfo info;
    info.semantics = ParseSemantics("2.42");
    local = NewLocalSource(std::move(exposition.series), info);
  }

  std::size_t Check(const Query& query) {
    return Compare(ValuesOf(AskServer(*server, query)), ValuesOf(local->Ask(query)), 0,
                   query.promql);
  }

  TempDir work;
  std::unique_ptr<Server> server;
  std::unique_ptr<Source> local;
};

class CaptureParity : public testing::TestWithParam<const char*> {};

TEST_P(CaptureParity, EveryQuestionAndTheAlertAreEqualToTheBit) {
  if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  Both both(GetParam());
  const TimeRange extent = *both.local->Describe().extent;
  std::vector<std::string> expressions = {kAlert, std::string(kAlert) + " > 3"};
  const QuerySet set = QuerySet::Embedded();
  for (const Question& question : set.questions()) {
    for (const std::string& statement : question.statements) {
      expressions.push_back(Substitute(statement, "", "5m"));
    }
  }
  std::size_t equal = 0;
  for (const std::string& expression : expressions) {
    for (int i = 1; i <= 4; ++i) {
      const TimeMs t = extent.start + (extent.end - extent.start) * i / 4 + 137 * i;
      equal += both.Check({expression, t, t, 0});
    }
    if (expression.find('[') == 0 || expression.back() == ']') continue;
    equal += both.Check({expression, extent.start, extent.end, 15'000});
  }
  EXPECT_GE(equal, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Recordings, CaptureParity,
                         testing::Values("extender-bind-slow-A.om.gz",
                                         "restart-and-two-replicas-A.om.gz",
                                         "apiserver-bind-slow-1.26-A.om.gz"));

}  // namespace
}  // namespace schedlens::test
