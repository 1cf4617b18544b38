#include <gtest/gtest.h>

#include "diagnose/causes/findings.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;

std::optional<CauseCandidate> JudgeBind(const WindowEvidence& c, std::string_view id) {
  for (const CauseRule& rule : Rules()) {
    if (rule.id == id) return rule.judge(c);
  }
  ADD_FAILURE() << "no rule " << id;
  return std::nullopt;
}

/// Slow binds with POST sums beside them: `waited` seconds in the limiter for each bind.
test::Recorded WithLimiter(double bind, double waited) {
  test::Recorder r;
  const auto post = [&](test::Recorder& rec, double n) {
    rec.Add("rest_client_request_duration_seconds_sum", {{"verb", "POST"}}, n * bind);
    rec.Add("rest_client_request_duration_seconds_count", {{"verb", "POST"}}, n);
    rec.Add("rest_client_rate_limiter_duration_seconds_sum", {{"verb", "POST"}}, n * waited);
    rec.Add("rest_client_rate_limiter_duration_seconds_count", {{"verb", "POST"}}, n);
  };
  post(r, 0);
  test::RecordIncident(
      &r, [&](int) { return Attempt{.bind = bind}; }, 50,
      [&](test::Recorder& rec) { post(rec, 50); });
  return test::Judge(r);
}

TEST(BindRulesTest, TheLimitersMetricTellsThrottlingFromTheServer) {
  const auto throttled = WithLimiter(2, 1.95);
  EXPECT_TRUE(JudgeBind(throttled.c, "bind.client-throttling")->proven_within);
  const auto slow = WithLimiter(2, 0.001);
  EXPECT_FALSE(JudgeBind(slow.c, "bind.client-throttling"));
  EXPECT_TRUE(JudgeBind(slow.c, "bind.apiserver")->proven_within);
}

TEST(BindRulesTest, VolumeBindingIsNamedWhereItLeadsPreBind) {
  const auto judge = [](const char* plugin) {
    const auto call = [&](test::Recorder& r, double count, double seconds) {
      const std::vector<Labels::Pair> labels = {{"extension_point", "PreBind"}, {"plugin", plugin}};
      r.Add("scheduler_plugin_execution_duration_seconds_count", labels, count);
      r.Add("scheduler_plugin_execution_duration_seconds_sum", labels, seconds);
    };
    test::Recorder r;
    call(r, 0, 0);
    test::RecordIncident(
        &r, [](int i) { return Attempt{.prebind = i % 10 ? 1e-5 : 3.0}; }, 50,
        [&](test::Recorder& recorder) { call(recorder, 1, 3); });
    return test::Judge(r);
  };
  const auto volume = judge("VolumeBinding");
  EXPECT_TRUE(JudgeBind(volume.c, "prebind.volume"));
  EXPECT_FALSE(JudgeBind(volume.c, "prebind"));
  const auto other = judge("MyPlugin");
  EXPECT_FALSE(JudgeBind(other.c, "prebind.volume"));
  EXPECT_TRUE(JudgeBind(other.c, "prebind"));
}

TEST(BindRulesTest, TheDispatchersQueueIsBindLessItsCalls) {
  test::Recorder r;
  const auto call = [](test::Recorder& rec, double seconds) {
    rec.Add("scheduler_async_api_call_execution_duration_seconds_sum",
            {{"call_type", "pod_binding"}}, seconds);
  };
  call(r, 0);
  test::RecordIncident(
      &r, [](int) { return Attempt{.bind = 2}; }, 50,
      [&](test::Recorder& rec) { call(rec, 50 * 0.1); });
  const auto candidate = JudgeBind(test::Judge(r).c, "bind.async-queue");
  ASSERT_TRUE(candidate);
  EXPECT_NEAR(candidate->growth, 30 * 50 * 1.9, 10);
}

TEST(BindRulesTest, SamplesFarQuickerThanPreBindDoNotAccuseVolumeBinding) {
  const auto leads = [](double mean) {
    const std::vector<Labels::Pair> labels = {{"extension_point", "PreBind"},
                                              {"plugin", "VolumeBinding"}};
    const auto call = [&](test::Recorder& r, double n) {
      r.Add("scheduler_plugin_execution_duration_seconds_count", labels, n);
      r.Add("scheduler_plugin_execution_duration_seconds_sum", labels, n * mean);
    };
    test::Recorder r;
    call(r, 0);
    test::RecordIncident(
        &r, [](int) { return Attempt{.prebind = 0.02}; }, 50,
        [&](test::Recorder& recorder) { call(recorder, 1); });
    return VolumeBindingLeads(test::Judge(r).c);
  };
  EXPECT_TRUE(leads(0.02));
  EXPECT_TRUE(leads(0.005));
  EXPECT_FALSE(leads(0.003)) << "its calls are all that was sampled, yet not what took the time";
}

TEST(BindRulesTest, VolumesThatWereAlwaysSlowAreNotWhatGrew) {
  // A third of PreBind is VolumeBinding's, before and in the incident.
  const auto leads = [](double before, double in_incident) {
    const std::vector<Labels::Pair> labels = {{"extension_point", "PreBind"},
                                              {"plugin", "VolumeBinding"}};
    const auto call = [&](test::Recorder& r, double mean) {
      r.Add("scheduler_plugin_execution_duration_seconds_count", labels, 1);
      r.Add("scheduler_plugin_execution_duration_seconds_sum", labels, mean);
    };
    test::Recorder r;
    r.Run(Attempt{.prebind = 0.01});
    call(r, before);
    for (TimeMs t = 0; t <= 350'000; t += test::kScrape) {
      const bool slow = t > test::kIncident.start && t <= test::kIncident.end;
      for (int i = 0; i < 50; ++i) r.Run(Attempt{.prebind = slow ? 0.03 : 0.01});
      for (int i = 0; i < 3; ++i) call(r, slow ? in_incident : before);
      r.Scrape(t);
    }
    return VolumeBindingLeads(test::Judge(r).c);
  };
  EXPECT_FALSE(leads(0.01, 0.01));
  EXPECT_TRUE(leads(0.01, 0.03));
}

TEST(BindRulesTest, SlowCallsThatNoSampleMetDoNotAcquitClaims) {
  // One PreBind in fifty takes two seconds, and every call that is sampled meanwhile is quick.
  const auto leads = [](double before, int samples) {
    const std::vector<Labels::Pair> labels = {{"extension_point", "PreBind"},
                                              {"plugin", "VolumeBinding"}};
    const auto call = [&](test::Recorder& r, double n, double mean) {
      r.Add("scheduler_plugin_execution_duration_seconds_count", labels, n);
      r.Add("scheduler_plugin_execution_duration_seconds_sum", labels, n * mean);
    };
    test::Recorder r;
    r.Run(Attempt{.prebind = before});
    call(r, 1, before);
    for (TimeMs t = 0; t <= 350'000; t += test::kScrape) {
      const bool slow = t > test::kIncident.start && t <= test::kIncident.end;
      for (int i = 0; i < 50; ++i) r.Run(Attempt{.prebind = slow && i == 0 ? 2 : before});
      slow ? call(r, samples, 1e-6) : call(r, 3, before);
      r.Scrape(t);
    }
    return VolumeBindingLeads(test::Judge(r).c);
  };
  EXPECT_TRUE(leads(0.01, 1));
  EXPECT_FALSE(leads(0.01, 20)) << "a dozen of so many would have been slow";
  EXPECT_FALSE(leads(1e-6, 1)) << "no claim took time before";
}

TEST(BindRulesTest, MoreAttemptsAPodAreNoSlowApiServer) {
  // Each pod is tried twice: as many binds fail as succeed, none of them slower.
  test::Recorder r;
  const auto failed_bind = [](test::Recorder& rec) {
    for (int i = 0; i < 50; ++i) {
      rec.Point("Bind", 0.0055, "Error");
      rec.Point("Reserve", 1e-6);
      rec.Point("Unreserve", 1e-6);
      rec.Observe("scheduler_scheduling_algorithm_duration_seconds", {}, 0.0004);
      rec.Observe("scheduler_e2e_scheduling_duration_seconds",
                  {{"result", "error"}, {"profile", "default-scheduler"}}, 0.006);
    }
  };
  test::RecordIncident(&r, test::Quick, 50, failed_bind);
  const auto twice = test::Judge(r);
  EXPECT_GT(twice.c.Growth(kube::Stage::kBindPlugins), 5);
  const auto candidate = JudgeBind(twice.c, "bind.apiserver");
  EXPECT_TRUE(!candidate || candidate->growth < 0.1);
  const auto slower = test::Judge([](int) { return Attempt{.bind = 0.011}; });
  EXPECT_GT(JudgeBind(slower.c, "bind.apiserver")->growth, 5);
}

TEST(BindRulesTest, BesideCpuStarvationTheApiServerIsOnlyPossible) {
  const auto judge = [](double cpu) {
    test::Recorder r;
    test::RecordIncident(
        &r,
        [](int i) {
          const double load = 1 + (i / 50) % 6;
          return Attempt{.prescore = 0.02 * load, .bind = 0.04 * load};
        },
        50, [&](test::Recorder& rec) { rec.Add("process_cpu_seconds_total", {}, cpu); });
    const auto r_c = test::Judge(r);
    const auto candidate = JudgeBind(r_c.c, "bind.apiserver");
    EXPECT_TRUE(candidate) << cpu;
    return candidate && candidate->tie;
  };
  EXPECT_TRUE(judge(4)) << "a bind that waits for the processor looks the same";
  EXPECT_FALSE(judge(0.1)) << "the processor is idle";
}

}  // namespace
}  // namespace schedlens
