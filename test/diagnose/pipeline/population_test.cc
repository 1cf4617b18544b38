#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/pipeline/gather.h"
#include "diagnose/pipeline/verdict.h"
#include "diagnose/recorder.h"
#include "diagnose/store_source.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two clusters with a scheduler each, as a server or a pair of pages (of the first one) has them.
class Clusters : public Source {
 public:
  explicit Clusters(std::string kind = "prometheus") : kind_(std::move(kind)), store_(Recorded()) {}
  Answer Ask(const Query& query) override { return store_.Ask(query); }
  SourceInfo Describe() override {
    SourceInfo info;
    info.kind = kind_;
    return info;
  }

 private:
  std::vector<Series> Recorded() const {
    test::Recorder r;
    for (TimeMs t = 0; t <= 60'000; t += 10'000) {
      r.Run({});
      r.Scrape(t);
    }
    std::vector<Series> all;
    for (const char* cluster : {"eu", "us"}) {
      for (Series series : r.series()) {
        series.labels = kind_ == "scrape-pair"
                            ? series.labels.Only({"__name__", "le", "result", "profile",
                                                  "extension_point", "status"})
                            : series.labels.With("cluster", cluster);
        all.push_back(std::move(series));
      }
      if (kind_ == "scrape-pair") break;
    }
    return all;
  }

  std::string kind_;
  testing_support::StoreSource store_;
};

DiagnoseRequest Asking(const std::string& selector, const std::string& expr = "",
                       const Labels& firing = {}) {
  DiagnoseRequest request;
  request.selector = selector;
  request.alert_expr = expr;
  request.firing = firing;
  return request;
}

Population Of(const DiagnoseRequest& request, const std::string& kind = "prometheus") {
  Clusters source(kind);
  return CollectPopulation(source, QuerySet::Embedded(), request, {-1, 60'000});
}

std::string Slow(const std::string& matchers, const std::string& by = "le") {
  return "histogram_quantile(0.99, sum by (" + by +
         ") (rate(scheduler_e2e_scheduling_duration_seconds_bucket{" + matchers + "}[5m]))) > 1";
}

TEST(PopulationTest, SelectorExpressionAndFiringsNarrowTogether) {
  EXPECT_THAT(Of({}).facts.targets, SizeIs(2));
  EXPECT_THAT(Of(Asking("cluster=\"eu\"")).facts.targets, SizeIs(1));
  EXPECT_THAT(Of(Asking("", Slow("cluster=\"eu\",result=\"scheduled\""))).facts.targets, SizeIs(1));
  const Labels firing({{"alertname", "Slow"}, {"cluster", "us"}, {"severity", "page"}});
  const Population us = Of(Asking("", Slow("job=\"kube-scheduler\""), firing));
  ASSERT_THAT(us.facts.targets, SizeIs(1));
  EXPECT_EQ(us.facts.targets[0].id.Get("cluster"), "us");
  EXPECT_EQ(us.facts.given_selector, "job=\"kube-scheduler\",cluster=\"us\"");
  EXPECT_THAT(us.warnings, IsEmpty());
}

TEST(PopulationTest, WithoutDataForALabelItStopsAndNamesWhatIsThere) {
  const Labels firing({{"cluster", "asia"}});
  const DiagnoseRequest requests[] = {
      Asking("cluster=\"asia\""),           Asking("cluster=\"eu\"", Slow("cluster=\"us\"")),
      Asking("", Slow("cluster=\"asia\"")), Asking("", Slow("region=\"x\"")),
      Asking("", Slow(""), firing),
  };
  for (const DiagnoseRequest& request : requests) {
    const Population none = Of(request);
    EXPECT_THAT(none.facts.targets, IsEmpty());
    const std::string text = InEnglish(none.nothing);
    EXPECT_NE(text.find("No scheduler matches {"), std::string::npos) << text;
    EXPECT_NE(text.find("cluster=\"eu\""), std::string::npos) << text;
    EXPECT_NE(text.find("cluster=\"us\""), std::string::npos) << text;
  }
}

TEST(PopulationTest, TellsWhichMatcherFitsNone) {
  const auto why = [](const std::string& selector) {
    Clusters source;
    const Message hint = WhyNoScheduler(source, Of(Asking(selector)).facts);
    return hint.empty() ? "" : InEnglish(hint);
  };
  EXPECT_EQ(why("cluster=\"eo\""),
            "no series of kube-scheduler has cluster=\"eo\"; the nearest is cluster=\"eu\"");
  EXPECT_EQ(why("clustr=\"eu\""),
            "no series of kube-scheduler has a label clustr; the nearest is cluster");
  EXPECT_EQ(why("cluster=\"eu\""), "");
}

TEST(PopulationTest, ALabelThatNoSchedulerHasIsLeftOutAloud) {
  const Labels firing({{"cluster", "eu"}, {"region", "r"}});
  const Population eu = Of(Asking("", Slow("", "le, region"), firing));
  EXPECT_THAT(eu.facts.targets, SizeIs(1));
  ASSERT_THAT(eu.warnings, SizeIs(1));
  EXPECT_EQ(InEnglish(eu.warnings[0]),
            "the label region=\"r\" of the alert is left out: no scheduler here has such a label");
}

TEST(PopulationTest, RawPagesHaveNoneOfTheLabelsThatAScrapeAdds) {
  const Population page = Of(Asking("", Slow("job=\"kube-scheduler\"")), "scrape-pair");
  EXPECT_THAT(page.facts.targets, SizeIs(1));
  EXPECT_THAT(page.warnings, SizeIs(1));
}

}  // namespace
}  // namespace schedlens
