#include <gtest/gtest.h>

#include "scheduler/metrics/registry.h"

namespace schedlens::sim {
namespace {

const Series* Find(const Exposition& exposition, const std::string& text) {
  for (const Series& series : exposition.series) {
    if (series.labels.ToString() == text) return &series;
  }
  return nullptr;
}

TEST(Scraper, StoresCumulativeBucketsUnderTheTargetsLabels) {
  MetricRegistry registry(Release::Parse("1.20"), {});
  Scraper scraper("job", "host:1", "pod-0");
  scraper.Scrape(registry.children(), 1000);
  registry.Get(Metric::kE2e, {"scheduled", "p"}).Observe(0.0015);
  registry.Get(Metric::kE2e, {"scheduled", "p"}).Observe(99);
  scraper.Scrape(registry.children(), 2000);
  scraper.Miss(3000);
  Exposition out;
  scraper.MoveInto(&out);

  const std::string end = "instance=\"host:1\",job=\"job\"";
  const std::string e2e = "scheduler_e2e_scheduling_duration_seconds";
  const Series* low =
      Find(out, e2e + "_bucket{" + end +
                    ",le=\"0.002\",pod=\"pod-0\",profile=\"p\",result=\"scheduled\"}");
  const Series* all =
      Find(out, e2e + "_bucket{" + end +
                    ",le=\"+Inf\",pod=\"pod-0\",profile=\"p\",result=\"scheduled\"}");
  ASSERT_TRUE(low != nullptr && all != nullptr);
  EXPECT_EQ(low->samples, (std::vector<Sample>{{2000, 1}})) << "no sample before it existed";
  EXPECT_EQ(all->samples, (std::vector<Sample>{{2000, 2}}));
  const Series* up = Find(out, "up{" + end + ",pod=\"pod-0\"}");
  ASSERT_TRUE(up != nullptr);
  EXPECT_EQ(up->samples, (std::vector<Sample>{{1000, 1}, {2000, 1}, {3000, 0}}));
}

TEST(Scraper, ANewProcessContinuesTheSeries) {
  Scraper scraper("job", "host:1", "pod-0");
  for (TimeMs t : {1000, 2000}) {
    MetricRegistry registry(Release::Parse("1.20"), {});
    registry.Get(Metric::kBinding, {}).Observe(1);
    scraper.Scrape(registry.children(), t);
  }
  Exposition out;
  scraper.MoveInto(&out);
  const Series* count = Find(
      out,
      "scheduler_binding_duration_seconds_count{instance=\"host:1\",job=\"job\",pod=\"pod-0\"}");
  ASSERT_TRUE(count != nullptr);
  EXPECT_EQ(count->samples, (std::vector<Sample>{{1000, 1}, {2000, 1}}));
}

TEST(ExpositionTypes, NameFamiliesAsOpenMetricsDoes) {
  const auto types = ExpositionTypes(Release::Parse("1.20"));
  EXPECT_EQ(types.at("scheduler_schedule_attempts"), "counter");
  EXPECT_EQ(types.at("scheduler_pending_pods"), "gauge");
  EXPECT_EQ(types.at("rest_client_request_duration_seconds"), "histogram");
  EXPECT_FALSE(types.contains("scheduler_schedule_attempts_total"));
}

}  // namespace
}  // namespace schedlens::sim
