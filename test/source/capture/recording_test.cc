#include "source/capture/recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "messages/catalog.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

Series Counter(const std::string& name, const std::string& job, TimeMs start, TimeMs end,
               TimeMs step) {
  Series series;
  series.labels = Labels({{"__name__", name}, {"job", job}});
  for (TimeMs t = start; t <= end; t += step) {
    series.samples.push_back({t, static_cast<double>(t) / 7});
  }
  return series;
}

std::vector<Series> Scheduler() {
  std::vector<Series> all = {
      Counter("scheduler_scheduling_attempt_duration_seconds_count", "kube-scheduler", 0, 600000,
              15000),
      Counter("scheduler_plugin_execution_duration_seconds_bucket", "kube-scheduler", 0, 600000,
              15000),
      Counter("rest_client_requests_total", "kube-scheduler", 0, 600000, 15000),
      Counter("rest_client_requests_total", "kubelet", 0, 600000, 15000),
      Counter("up", "kube-scheduler", 0, 600000, 15000),
      Counter("node_load1", "kube-scheduler", 0, 600000, 15000),
  };
  all[1].labels = all[1].labels.With("le", "1");
  return all;
}

/// A server with a limit: it refuses what is longer, and repeats the sample on the left edge as old
/// servers do.
class LimitedSource : public Source {
 public:
  LimitedSource(std::vector<Series> series, TimeMs longest)
      : all_(series), inner_(NewLocalSource(std::move(series), {})), longest_(longest) {}
  Answer Ask(const Query& query) override {
    ++asked;
    const auto open = query.promql.rfind('[');
    const TimeMs range =
        ParseDuration(query.promql.substr(open + 1, query.promql.find(']', open) - open - 1))
            .value();
    if (range > longest_) throw Error(ErrorKind::kFailed, "too many samples");
    Query wider = query;
    wider.promql.replace(open, query.promql.find(']', open) - open,
                         "[" + FormatDuration(range + 1));
    return inner_->Ask(wider);
  }
  SourceInfo Describe() override { return {}; }
  int asked = 0;

 private:
  std::vector<Series> all_;
  std::unique_ptr<Source> inner_;
  TimeMs longest_;
};

std::size_t Samples(const Exposition& exposition) {
  std::size_t count = 0;
  for (const Series& series : exposition.series) count += series.samples.size();
  return count;
}

TEST(Recording, EverySampleOfTheSchedulersOnceHoweverTheServerCuts) {
  RecordingPlan plan;
  plan.range = {0, 600000};
  plan.selector = "job=\"kube-scheduler\"";
  const auto whole = NewLocalSource(Scheduler(), {});
  const Exposition expected = Record(*whole, plan);
  EXPECT_EQ(expected.series.size(), 4u);
  EXPECT_EQ(Samples(expected), 4u * 41);
  for (const TimeMs longest : {60'001, 75'000, 200'000, 600'001}) {
    for (const std::int64_t chunk : {45'000, 300'000, 3'600'000}) {
      LimitedSource limited(Scheduler(), longest);
      plan.chunk_ms = chunk;
      const Exposition got = Record(limited, plan);
      ASSERT_EQ(got.series.size(), expected.series.size());
      for (std::size_t i = 0; i < got.series.size(); ++i) {
        EXPECT_EQ(got.series[i].labels, expected.series[i].labels);
        EXPECT_EQ(got.series[i].samples, expected.series[i].samples);
      }
    }
  }
}

TEST(Recording, AMinuteThatIsTooMuchIsAnError) {
  LimitedSource limited(Scheduler(), 1000);
  RecordingPlan plan;
  plan.range = {0, 600000};
  EXPECT_THROW(Record(limited, plan), Error);
}

TEST(Recording, TooManyQuestionsAreRefusedBeforeTheFirst) {
  RecordingPlan plan;
  plan.range = {0, std::int64_t{366} * 86'400'000};
  LimitedSource limited(Scheduler(), 1000);
  try {
    Record(limited, plan);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("shorten --window"), std::string::npos);
  }
  EXPECT_EQ(limited.asked, 0);
}

TEST(Recording, TypesAreToldByNames) {
  const auto source = NewLocalSource(Scheduler(), {});
  RecordingPlan plan;
  plan.range = {0, 600000};
  const Exposition got = Record(*source, plan);
  EXPECT_EQ(got.types.at("scheduler_plugin_execution_duration_seconds"), "histogram");
  EXPECT_EQ(got.types.at("rest_client_requests"), "counter");
}

TEST(Recording, SchedulersAreFoundByWhatTheyExpose) {
  const auto source = NewLocalSource(Scheduler(), {});
  EXPECT_EQ(FindSchedulers(*source, {0, 600000}), "job=~\"kube-scheduler\"");
  EXPECT_EQ(FindSchedulers(*NewLocalSource({}, {}), {0, 600000}), "");
}

struct FakeScrapes {
  TimeMs clock = 1000;
  int fetched = 0;
  std::function<std::string(int)> page;
  ScrapePlan Plan() {
    ScrapePlan plan;
    plan.duration_ms = 20'000;
    plan.interval_ms = 5'000;
    plan.instance = "h:10259";
    plan.fetch = [this] { return page(fetched++); };
    plan.now = [this] { return clock; };
    plan.wait_until = [this](TimeMs t) { clock = std::max(clock, t); };
    return plan;
  }
};

TEST(Recording, ScrapesAreTakenEveryIntervalWithTheLabelsOfATarget) {
  FakeScrapes fake;
  fake.page = [](int i) { return fmt::format("# TYPE a counter\na_total {}\n", i * 2); };
  const Exposition got = RecordScrapes(fake.Plan());
  ASSERT_EQ(got.series.size(), 2u);
  EXPECT_EQ(got.series[0].labels.ToString(),
            "a_total{instance=\"h:10259\",job=\"kube-scheduler\"}");
  EXPECT_EQ(got.series[0].samples,
            (std::vector<Sample>{{1000, 0}, {6000, 2}, {11000, 4}, {16000, 6}, {21000, 8}}));
  EXPECT_EQ(got.series[1].labels.Get("__name__"), "up");
  EXPECT_EQ(got.types.at("a"), "counter");
}

TEST(Recording, PagesThatTakeLongAreFewerAndItEndsInTime) {
  FakeScrapes fake;
  fake.page = [&fake](int i) {
    fake.clock += 9'000;
    return fmt::format("a_total {}\n", i);
  };
  RecordScrapes(fake.Plan());
  EXPECT_EQ(fake.fetched, 3);
  EXPECT_LE(fake.clock, 1000 + 20'000 + 5'000 + 9'000);
}

TEST(Recording, AFailedScrapeIsUpZeroAndTheFirstOneEndsAll) {
  FakeScrapes fake;
  fake.page = [](int i) {
    // A token that has run out in the middle is no reason to lose what was scraped.
    if (i == 2) throw Error(ErrorKind::kAuth, "401");
    return i == 3 ? std::string("not a page") : fmt::format("a_total {}\n", i);
  };
  const Exposition got = RecordScrapes(fake.Plan());
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(InEnglish(got.warnings[0]).find("2 scrapes from 1970-01-01T00:00:11Z to"),
            std::string::npos)
      << InEnglish(got.warnings[0]);
  EXPECT_EQ(got.series[0].samples.size(), 3u);
  const std::vector<Sample> up = {{1000, 1}, {6000, 1}, {11000, 0}, {16000, 0}, {21000, 1}};
  EXPECT_EQ(got.series[1].samples, up);

  fake = {};
  fake.page = [](int) -> std::string { throw Error(ErrorKind::kFailed, "refused"); };
  EXPECT_THROW(RecordScrapes(fake.Plan()), Error);
}

TEST(Recording, ACaptureSaysWhoseArithmeticItWants) {
  EXPECT_EQ(SemanticsOf({"x", SemanticsComment(ParseSemantics("2.42"))}), ParseSemantics("2.42"));
  EXPECT_EQ(SemanticsOf({"semantics: nonsense"}), std::nullopt);
  EXPECT_EQ(SemanticsOf({}), std::nullopt);
}

TEST(Recording, KeepsNativeHistogramsThroughTheFile) {
  std::vector<Series> all = Scheduler();
  const std::string name = "scheduler_scheduling_attempt_duration_seconds";
  Series native{Labels({{"__name__", name}, {"job", "kube-scheduler"}}), {}, {}};
  for (TimeMs t = 0; t <= 600000; t += 15000) {
    const double n = static_cast<double>(t) / 7;
    native.histograms.push_back({t, {3 * n, n, {{0.25, 0.5, n, 0}, {0.5, 1, 2 * n, 0}}}});
  }
  all.push_back(native);
  const auto live = NewLocalSource(all, {});
  RecordingPlan plan;
  plan.range = {60000, 480000};
  const Exposition recorded = Record(*live, plan);
  EXPECT_TRUE(recorded.warnings.empty());
  const auto replay =
      NewLocalSource(ParseExposition(WriteOpenMetrics(recorded), "f", std::nullopt).series, {});
  const Query query{
      .promql = "histogram_quantile(0.9, rate(" + name + "[2m]))", .start = 300000, .end = 300000};
  const Answer expected = live->Ask(query), seen = replay->Ask(query);
  ASSERT_EQ(expected.series.size(), 1u);
  ASSERT_EQ(seen.series.size(), 1u);
  EXPECT_GT(expected.series[0].samples.front().v, 0.5);
  EXPECT_EQ(seen.series[0].samples, expected.series[0].samples);
}

}  // namespace
}  // namespace schedlens
