#include <gtest/gtest.h>

#include "report/commands.h"

namespace schedlens {
namespace {

Prediction OneRow() {
  Prediction p;
  p.e2e.push_back({.q = 0.99,
                   .before = {4, 3, 5, "s", BasisKind::kReplays},
                   .after = {1, {}, {}, "s", BasisKind::kReplays}});
  p.alert_metric = "m";
  p.before = {.loop = 0.3, .client = 0.4};
  p.after = {.loop = 1.6834, .client = 0.8};
  p.qps = p.qps_after = 50;
  p.seeds = 3;
  p.assumptions = {Message("whatif.alert.other", {{"metric", arg::Metric("m")}})};
  return p;
}

TEST(PredictionTest, TextShowsBothSidesAndWhatIsAssumed) {
  Prediction p = OneRow();
  EXPECT_EQ(PredictionText(Messages("en"), p),
            "e2e, scheduled attempts (before -> after; in brackets what the data allow)\n"
            "  p99    4 s (3 to 5)                       -> 1 s (≥ 0)\n"
            "pod, from the queue to its binding\n"
            "Loop 30 % busy -> 168 %; client 40 % of 50 requests a second -> 80 % of 50.\n"
            "Pods arrive faster than the loop takes them: the wait grows by 41 s a minute.\n"
            "No alert: --alert says whether it would fire.\n"
            "3 seeds. What this assumes:\n"
            "  - m is not predicted; the alert is not judged.\n");
  p.threshold = 3;
  p.fires_before = true;
  EXPECT_NE(PredictionText(Messages("en"), p)
                .find("Alert p99 over 3 s: before, it fires; after, it cannot be decided.\n"),
            std::string::npos);
}

TEST(PredictionTest, InChinese) {
  Prediction p = OneRow();
  p.threshold = 3;
  p.fires_before = true;
  EXPECT_EQ(PredictionText(Messages("zh"), p),
            "e2e，成功的调度（之前 -> 之后；括号内为数据所允许的范围）\n"
            "  p99    4s（3 到 5）                       -> 1s（≥0）\n"
            "Pod，从进入队列到绑定\n"
            "调度循环 30% 繁忙 -> 168%；客户端用掉每秒 50 次请求的 40% -> 50 次的 80%。\n"
            "Pod 到来得比调度循环取走的快：等待每分钟增加 41s。\n"
            "告警 p99 超过 3s：之前触发；之后无法判定。\n"
            "3 个种子。所作的假定：\n"
            "  - 不预测 m；不判断告警。\n");
}

TEST(PredictionTest, JsonHasNullForWhatIsNotKnown) {
  EXPECT_EQ(PredictionJson(OneRow()), R"({
  "schema": "schedlens.whatif/1",
  "verdict": "predicted",
  "refused": [],
  "refused_details": [],
  "e2e": [
    {
      "q": 0.99,
      "before": {
        "value": 4.0,
        "low": 3.0,
        "high": 5.0,
        "unit": "s",
        "basis": "replays over seeds, chance of as many attempts, error of the fit"
      },
      "after": {
        "value": 1.0,
        "low": null,
        "high": null,
        "unit": "s",
        "basis": "replays over seeds, chance of as many attempts, error of the fit"
      }
    }
  ],
  "pod": [],
  "threshold": null,
  "alert": {
    "metric": "m",
    "q": 0.99
  },
  "fires": {
    "before": null,
    "after": null
  },
  "utilisation": {
    "before": {
      "loop": 0.3,
      "client": 0.4,
      "client_qps": 50.0,
      "wait_grows_seconds_a_minute": 0.0
    },
    "after": {
      "loop": 1.6834,
      "client": 0.8,
      "client_qps": 50.0,
      "wait_grows_seconds_a_minute": 41.004
    }
  },
  "seeds": 3,
  "assumptions": [
    "m is not predicted; the alert is not judged."
  ],
  "assumption_details": [
    {
      "id": "whatif.alert.other",
      "args": {
        "metric": {
          "metric": "m"
        }
      },
      "text": "m is not predicted; the alert is not judged."
    }
  ]
}
)");
}

TEST(HeadroomTest, TextSaysTheFactorAndWhatBinds) {
  Headroom h;
  h.what = "rate";
  h.q = 0.99;
  h.target = 2;
  h.now = 20;
  h.most = 9;
  h.factor = {2.5, 2.25, 2.75, "1", BasisKind::kReplays};
  h.before = {.loop = 0.014, .client = 0.4};
  h.qps = 50;
  h.moves = {Message("headroom.moved", {{"change", "client.qps*=2"}, {"factor", arg::Number(5)}})};
  EXPECT_EQ(
      HeadroomText(Messages("en"), h),
      "Headroom of rate, until p99 of pods from the queue to their binding is over 2 s: at 2.5 "
      "times what there is (now 20 pods a second); the data allow 2.25 to 2.75 times.\n"
      "Now the loop is 1.4 % busy, and 40 % of the client's 50 requests a second are used.\n"
      "With client.qps*=2 it would be crossed at 5 times.\n"
      "What this assumes:\n");
  const auto with = [&](Measured factor) {
    h.factor = std::move(factor);
    return HeadroomText(Messages("en"), h);
  };
  EXPECT_NE(with({{}, {}, 0.06, "1", {}}).find("is over 2 s: already, however little"),
            std::string::npos);
  EXPECT_NE(with({{}, 9, {}, "1", {}}).find("is over 2 s: not up to 9 times"), std::string::npos);
  EXPECT_NE(with({0.9, 0.8, 0.95, "1", {}}).find("already: at 0.9 times"), std::string::npos);
  EXPECT_NE(with({}).find("cannot be decided"), std::string::npos);
  EXPECT_NE(HeadroomJson(h).find("\"schema\": \"schedlens.headroom/1\""), std::string::npos);
}

}  // namespace
}  // namespace schedlens
