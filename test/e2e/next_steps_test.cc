// The next steps that the tool takes itself: asked of a Prometheus and of a capture of it, the same
// bytes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.h"
#include "e2e/recorded.h"
#include "support/without_source.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

/// The recording of a slow webhook, with buckets of the bindings as no question but a next step's
/// reads them.
Exposition SlowWebhook() {
  Exposition all = ReadIncident("webhook-on-binding");
  const auto binding = std::find_if(all.series.begin(), all.series.end(), [](const Series& series) {
    return series.labels.Get("__name__") == "apiserver_request_duration_seconds_count" &&
           series.labels.Get("subresource") == "binding";
  });
  EXPECT_NE(binding, all.series.end());
  const Series counts = *binding;
  const auto bucket = [&](const std::string& le, double part) {
    Series series = counts;
    series.labels =
        counts.labels.With("__name__", "apiserver_request_duration_seconds_bucket").With("le", le);
    for (Sample& sample : series.samples) sample.v = std::floor(sample.v * part);
    all.series.push_back(std::move(series));
  };
  bucket("0.1", 0.25);
  bucket("0.5", 0.75);
  bucket("+Inf", 1);
  return all;
}

json StepOf(const json& diagnosis, const std::string& id) {
  for (const json& finding : diagnosis.at("findings")) {
    for (const json& step : finding.at("next_step_details")) {
      if (step.at("id") == id) return step;
    }
  }
  return {};
}

TEST(NextSteps, AnsweredByAPrometheusAndByACaptureOfItAreTheSameBytes) {
  if (!Installed("prometheus") || !Installed("promtool")) GTEST_SKIP() << "no Prometheus here";
  const TempDir work;
  const Exposition recording = SlowWebhook();
  const auto server = StartOver(recording, work.path());
  const TimeMs end = ExtentOf(recording).end;
  const auto seconds = [](TimeMs t) {
    return fmt::format("{:.3f}", static_cast<double>(t) / 1000);
  };
  const std::vector<std::string> window = {"--start", seconds(end - 180'000), "--end",
                                           seconds(end)};
  const auto run = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), window.begin(), window.end());
    words.insert(words.end(), more.begin(), more.end());
    return RunBinary(words);
  };
  const std::string recorded = (work.path() / "recorded.om").string();
  const Finished record = run({"capture", "--prometheus", server->url()}, {"--out", recorded});
  ASSERT_EQ(record.code, 0) << record.err;
  const std::vector<std::string> live = {"diagnose", "--prometheus", server->url()};
  const std::vector<std::string> replay = {"diagnose", "--capture", recorded};
  const Finished asked = run(live, {"-o", "json"});
  ASSERT_EQ(asked.code, 0) << asked.err;
  const json expected = WithoutSource(json::parse(asked.out));
  const json held = WithoutSource(json::parse(run(replay, {"-o", "json"}).out));
  EXPECT_EQ(expected.dump(1), held.dump(1));
  // Both asked, and were told.
  for (const char* id : {"finding.bind.apiserver.step.1", "finding.bind.apiserver.step.2"}) {
    const json step = StepOf(expected, id);
    ASSERT_TRUE(step.is_object()) << id << expected.dump(1).substr(0, 2000);
    EXPECT_TRUE(step.at("answered").at("value").is_number()) << step.dump(1);
    // The printed query stands for itself, at any time.
    const Finished again = RunBinary({"query", step.at("query").get<std::string>(), "--prometheus",
                                      server->url(), "--at", seconds(end - 60'000), "-o", "json"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out.find("\"result\":[]"), std::string::npos) << again.out;
  }
  const Finished unasked = run(live, {"-o", "json", "--no-answers"});
  EXPECT_TRUE(
      StepOf(json::parse(unasked.out), "finding.bind.apiserver.step.1").at("answered").is_null());
}

}  // namespace
}  // namespace schedlens::test
