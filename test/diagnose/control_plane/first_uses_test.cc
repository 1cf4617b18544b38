#include <gtest/gtest.h>

#include <string>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/found_changes.h"

namespace schedlens {
namespace {

using testing_support::At;
using testing_support::Found;
using testing_support::Lines;
using testing_support::Schedulers;

/// A counter that is there from `from` on and grows by one a second.
Series Counter(const std::string& name, Labels::Pair label, int from, double a_second = 1) {
  Series series{
      Labels{
          {"__name__", name}, {"job", "apiserver"}, {"instance", "i"}, {label.first, label.second}},
      {},
      {}};
  for (int t = from; t <= 600; t += 10) series.samples.push_back({At(t), a_second * (t - from)});
  return series;
}

/// An API server that bound `a_second` pods, with a webhook that is there from `from` on.
ControlPlaneFacts Webhook(int from, double a_second) {
  ControlPlaneFacts facts;
  facts.answers["bindings"] = {
      Counter("apiserver_request_duration_seconds_count", {"subresource", "binding"}, 0, a_second)};
  facts.answers["admission"] = {Counter(
      "apiserver_admission_webhook_admission_duration_seconds_count", {"name", "audit"}, from)};
  std::vector<TimeMs>& scrapes = facts.scrapes[ProcessLabels(facts.answers["bindings"][0].labels)];
  for (int t = 0; t <= 600; t += 10) scrapes.push_back(At(t));
  return facts;
}

TEST(FirstUsesTest, TellsAWebhookThatNoBindingMetBefore) {
  EXPECT_EQ(Found(Webhook(290, 1)), Lines{"change.webhook.called audit -15"});
  EXPECT_EQ(Found(Webhook(0, 1)), Lines()) << "there already";
  EXPECT_EQ(Found(Webhook(290, 0.05)), Lines()) << "nobody could have called it";
}

TEST(FirstUsesTest, TellsAProfileThatNoPodHadBefore) {
  const auto attempts = [](const char* profile, int from) {
    Series series =
        Counter("scheduler_scheduling_attempt_duration_seconds_count", {"profile", profile}, from);
    series.labels = series.labels.With("job", "kube-scheduler").With("instance", "s:10259");
    return series;
  };
  Facts facts = Schedulers();
  facts.answers["attempt"] = {attempts("default-scheduler", 0), attempts("batch", 290)};
  EXPECT_EQ(Found({}, facts), Lines{"change.profile.used batch -15"});
  facts.answers["attempt"] = {attempts("default-scheduler", 0), attempts("batch", 0)};
  EXPECT_EQ(Found({}, facts), Lines());
}

}  // namespace
}  // namespace schedlens
