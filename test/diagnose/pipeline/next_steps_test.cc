#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using test::Attempt;
using ::testing::HasSubstr;

/// Slow binds, and an API server with one webhook of half a second a call.
std::vector<Series> SlowBinds() {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 20 ? test::Quick(i) : Attempt{.bind = 3}; });
  std::vector<Series> all = r.series();
  const auto counter = [&](const std::string& end, double each) {
    Series series{
        Labels({{"__name__", "apiserver_admission_webhook_admission_duration_seconds" + end},
                {"job", "kube-apiserver"},
                {"name", "quota.example"},
                {"operation", "CREATE"}}),
        {},
        {}};
    for (int i = 0; i < 70; ++i) series.samples.push_back({i * test::kScrape, each * i});
    all.push_back(std::move(series));
  };
  counter("_sum", 5);
  counter("_count", 10);
  return all;
}

/// Counts the requests, and fails those that mention a word.
class Watched : public testing_support::StoreSource {
 public:
  using StoreSource::StoreSource;

  Answer Ask(const Query& query) override {
    ++requests;
    if (!fails.empty() && query.promql.find(fails) != std::string::npos) {
      throw Error(kind, "the server is gone");
    }
    return StoreSource::Ask(query);
  }
  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    together = std::max(together, queries.size());
    StoreSource::AskEach(queries, take);
  }

  std::string fails;
  ErrorKind kind = ErrorKind::kFailed;
  std::size_t requests = 0, together = 0;
};

DiagnoseRequest TheIncident() {
  DiagnoseRequest request;
  request.window = test::kIncident;
  request.exact = true;
  return request;
}

/// The diagnosis of the incident, its next steps taken with the source as it is then.
Diagnosis Taken(Watched& source, const DiagnoseRequest& request, const std::string& fails = "") {
  const QuerySet queries = QuerySet::Embedded();
  Investigation found = Investigate(source, queries, request);
  source.fails = fails;
  source.requests = 0;
  AnswerNextSteps(source, queries, found, &found.diagnosis);
  return found.diagnosis;
}

const NextStep& StepOf(const Diagnosis& d, const std::string& id) {
  for (const Finding& finding : d.findings) {
    for (const NextStep& step : finding.next_steps) {
      if (step.text.id == id) return step;
    }
  }
  throw std::runtime_error("no step " + id);
}

TEST(NextStepsTest, AQueryIsRunAndItsAnswerStandsBesideIt) {
  Watched source(SlowBinds());
  const Diagnosis d = Taken(source, TheIncident());
  const NextStep& webhooks = StepOf(d, "finding.bind.apiserver.step.2");
  EXPECT_THAT(webhooks.query, HasSubstr(R"(job=~".*apiserver.*"}[2m30s] @ 250)"));
  EXPECT_THAT(InEnglish(webhooks.text), HasSubstr("`" + webhooks.query + "`"));
  ASSERT_TRUE(webhooks.answered);
  EXPECT_DOUBLE_EQ(*webhooks.answered->value, 0.5);
  EXPECT_EQ(InEnglish(webhooks.answered->text), R"(name quota.example: 0.5 s)");
  const NextStep& server = StepOf(d, "finding.bind.apiserver.step.1");
  ASSERT_TRUE(server.answered);
  EXPECT_FALSE(server.answered->value);
  EXPECT_THAT(InEnglish(server.answered->text), HasSubstr("no data"));
  EXPECT_EQ(source.together, 4U);
  EXPECT_LE(source.requests, 40U);
  const auto noted = std::count_if(d.queries.begin(), d.queries.end(), [](const AskedQuery& asked) {
    return asked.name.starts_with(kNextStepPrefix);
  });
  EXPECT_EQ(noted, static_cast<long>(source.requests)) << "each is asked once, and noted";
  // The printed query is the one that was run: asked again at any other time it says the same.
  const Answer again = source.Ask({webhooks.query, 400'000, 400'000, 0});
  ASSERT_EQ(again.series.size(), 1U);
  EXPECT_EQ(again.series[0].samples[0].v, *webhooks.answered->value);
}

TEST(NextStepsTest, AFailureIsOneLineBesideItsStepAndSparesTheOthers) {
  Watched source(SlowBinds());
  const Diagnosis d = Taken(source, TheIncident(), "flowcontrol");
  const NextStep& failed = StepOf(d, "finding.bind.apiserver.step.4");
  ASSERT_TRUE(failed.answered);
  EXPECT_FALSE(failed.answered->value);
  EXPECT_EQ(InEnglish(failed.answered->text), "the query failed: the server is gone");
  EXPECT_TRUE(StepOf(d, "finding.bind.apiserver.step.2").answered->value);
  EXPECT_LE(source.requests, 40U);
}

TEST(NextStepsTest, AnInterruptEndsIt) {
  Watched source(SlowBinds());
  source.kind = ErrorKind::kInterrupted;
  EXPECT_THROW(Taken(source, TheIncident(), "flowcontrol"), Error);
}

TEST(NextStepsTest, WithoutTheControlPlaneItsQueriesArePrintedAndNotRun) {
  Watched source(SlowBinds());
  DiagnoseRequest request = TheIncident();
  request.control_plane = false;
  const Diagnosis d = Taken(source, request);
  EXPECT_EQ(source.requests, 0U);
  const NextStep& step = StepOf(d, "finding.bind.apiserver.step.2");
  EXPECT_FALSE(step.query.empty());
  EXPECT_FALSE(step.answered);
  for (const AskedQuery& asked : d.queries) {
    EXPECT_FALSE(asked.name.starts_with(kControlPlanePrefix)) << asked.name;
  }
}

TEST(NextStepsTest, AnOldServerIsNotAskedWithAnAtModifier) {
  Watched source(SlowBinds(), ParseSemantics("2.30"));
  const Diagnosis d = Taken(source, TheIncident());
  const NextStep& step = StepOf(d, "finding.bind.apiserver.step.2");
  EXPECT_EQ(step.query.find('@'), std::string::npos) << step.query;
  EXPECT_TRUE(step.answered->value);
}

TEST(NextStepsTest, TheObjectOfWhatIsBehindIsFilledIn) {
  Watched source(SlowBinds());
  const QuerySet queries = QuerySet::Embedded();
  Investigation found = Investigate(source, queries, TheIncident());
  CauseBehind level;
  level.id = "apiserver.flowcontrol";
  level.object = "workload-\"high\"";
  level.next_steps = {{Message("finding.apiserver.flowcontrol.step.1"), "", {}},
                      {Message("finding.apiserver.flowcontrol.step.2"), "", {}}};
  found.diagnosis.findings.at(0).behind = {level};
  WriteNextSteps(queries, found, &found.diagnosis);
  const auto& steps = found.diagnosis.findings.at(0).behind.at(0).next_steps;
  EXPECT_THAT(steps[0].query, HasSubstr(R"(priority_level="workload-\"high\"")"));
  EXPECT_EQ(steps[1].query, "");
}

/// A webhook that refuses is not helped by a longer timeout, an incomplete group has no gate to
/// remove, and a workload is named as kubectl does.
TEST(NextStepsTest, WhatToDoFitsTheCause) {
  Watched source(SlowBinds());
  const QuerySet queries = QuerySet::Embedded();
  Investigation found = Investigate(source, queries, TheIncident());
  Diagnosis& d = found.diagnosis;
  const auto behind = [](const char* id, const char* object, const char* title) {
    CauseBehind one;
    one.id = id;
    one.object = object;
    one.title = Message(title, {{"object", object}, {"share", arg::Share(0.2)}});
    return one;
  };
  d.findings.resize(1);
  d.findings[0].behind = {
      behind("apiserver.webhook", "a.example", "behind.apiserver.webhook"),
      behind("apiserver.webhook", "a.example", "behind.apiserver.webhook.refuses"),
      behind("load.workload", "shop/cart", "behind.load.workload"),
      behind("load.workload", "shop/other", "behind.load.workload")};
  d.impact.emplace().workloads = {{"shop", "Deployment", "cart"}};
  Finding gated;
  gated.id = "queue.gated";
  gated.next_steps = {{Message("finding.queue.gated.step.4"), "", StepAnswer{}}};
  const auto answer = [](const char* plugin) {
    const Message first("answered.of", {{"labels", plugin}, {"what", Verbatim("103")}});
    return StepAnswer{103, Message("answered.values", {{"values", std::vector<Message>{first}}})};
  };
  for (const char* plugin : {"plugin SchedulingGates", "plugin GangScheduling"}) {
    gated.next_steps[0].answered = answer(plugin);
    d.findings.push_back(gated);
  }
  WriteNextSteps(queries, found, &d);
  std::vector<std::string> said;
  for (const CauseBehind& one : d.findings[0].behind) {
    said.push_back(one.action->now.id + " " + InEnglish(one.action->command).substr(0, 45));
  }
  for (std::size_t i : {1, 2}) said.push_back(d.findings[i].action->now.id);
  EXPECT_EQ(
      said,
      (std::vector<std::string>{
          "finding.apiserver.webhook.now kubectl get validatingwebhookconfigurations,m",
          "finding.apiserver.webhook.refuses.now kubectl get validatingwebhookconfigurations,m",
          "finding.load.workload.now kubectl get deployment/cart -n shop -o wide",
          "finding.load.workload.now kubectl get deployments,statefulsets,jobs,cro",
          "finding.queue.gated.now", "finding.queue.gated.groups.now"}));
}

TEST(NextStepsTest, WithoutASchedulerNothingIsAsked) {
  Watched source(std::vector<Series>{});
  const Diagnosis d = Taken(source, TheIncident());
  EXPECT_EQ(source.requests, 0U);
  EXPECT_TRUE(d.findings.empty());
}

}  // namespace
}  // namespace schedlens
