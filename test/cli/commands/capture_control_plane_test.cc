#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/source.h"
#include "cli/commands/diagnose.h"
#include "diagnose/explain/glossary.h"
#include "diagnose/store_source.h"
#include "promql/ast.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using testing_support::StoreSource;

const TimeRange kRange = {0, 60'000};

StoreSource ApiServer() {
  return StoreSource({{Labels({{"__name__", "apiserver_request_duration_seconds_count"},
                               {"job", "api"},
                               {"verb", "POST"},
                               {"resource", "pods"},
                               {"subresource", "binding"}}),
                       {{50'000, 3}},
                       {}}});
}

bool Chooses(const std::vector<std::string>& selectors, const Labels& labels) {
  return std::any_of(selectors.begin(), selectors.end(), [&](const std::string& text) {
    return promql::Accept(*promql::ParseMatchers(text), labels);
  });
}

/// A series of the first wording's each selector: what its equality matchers say, `api` as the job.
std::vector<Labels> Examples(const Question& question) {
  std::vector<Labels> all;
  const auto add = [&](promql::Expr& node) {
    const auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector == nullptr) return;
    std::vector<std::pair<std::string, std::string>> labels = {{"job", "api"}};
    for (const promql::Matcher& one : selector->matchers) {
      if (one.op == promql::MatchOp::kEqual) labels.emplace_back(one.name, one.value);
    }
    all.emplace_back(std::move(labels));
  };
  promql::Rewrite(promql::Parse(Substitute(question.statements.front(), "", "1m")), add);
  return all;
}

TEST(ControlPlaneSelectors, HoldWhatEveryNextStepReads) {
  StoreSource source = ApiServer();
  const auto selectors = ControlPlaneSelectors(source, "", kRange);
  const QuerySet queries = QuerySet::Embedded();
  std::size_t seen = 0;
  for (const StepQuestion& step : StepQuestions()) {
    if (step.of == AskedOf::kSchedulers) continue;
    for (const Labels& labels : Examples(queries.Get(step.name))) {
      ++seen;
      EXPECT_TRUE(Chooses(selectors, labels)) << step.name << " " << labels.ToString();
    }
  }
  EXPECT_GT(seen, 10U);
  EXPECT_FALSE(Chooses(selectors, Labels({{"__name__", "apiserver_request_duration_seconds_bucket"},
                                          {"job", "api"},
                                          {"verb", "LIST"}})))
      << "only what is read";
}

TEST(ControlPlaneSelectors, AreFew) {
  StoreSource source = ApiServer();
  const auto selectors = ControlPlaneSelectors(source, "", kRange);
  const auto wordings = [](const auto& name) {
    std::size_t n = 0;
    const QuerySet embedded = QuerySet::Embedded();
    for (const Question& question : embedded.questions()) {
      if (question.name.starts_with(name)) n += question.statements.size();
    }
    return n;
  };
  EXPECT_LE(selectors.size(), wordings(kControlPlanePrefix) + 4);
  for (const std::string& text : selectors) {
    EXPECT_EQ(std::count(selectors.begin(), selectors.end(), text), 1) << text;
  }
}

TEST(ControlPlaneSelectors, StayInTheSchedulersCluster) {
  StoreSource source({});
  const auto selectors =
      ControlPlaneSelectors(source, R"(job="kube-scheduler",cluster="a")", kRange);
  EXPECT_THAT(selectors, testing::Each(testing::HasSubstr(R"(cluster="a")")));
}

}  // namespace
}  // namespace schedlens
