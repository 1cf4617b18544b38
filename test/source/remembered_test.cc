#include "source/remembered.h"

#include <gtest/gtest.h>

#include "source/capture/local_source.h"

namespace schedlens {
namespace {

/// Samples in memory that notes what it is asked.
class Noting : public Source {
 public:
  Noting(SourceInfo info, std::vector<std::string>* asked) : asked_(asked) {
    std::vector<Series> series;
    for (const char* name : {"h_bucket", "h_sum", "other"}) {
      for (const char* job : {"a", "b"}) {
        Series one{
            .labels = Labels({{"__name__", name}, {"job", job}}), .samples = {}, .histograms = {}};
        for (TimeMs t = 0; t <= 600'000; t += 5000) {
          one.samples.push_back({t, static_cast<double>(t) + (job[0] == 'a' ? 0.5 : 0.25)});
        }
        series.push_back(std::move(one));
      }
    }
    local_ = NewLocalSource(std::move(series), std::move(info));
  }
  Answer Ask(const Query& query) override {
    asked_->push_back(query.promql);
    Answer answer = local_->Ask(query);
    if (query.promql.find("other") != std::string::npos) answer.warnings.emplace_back("half of it");
    return answer;
  }
  SourceInfo Describe() override { return local_->Describe(); }

 private:
  std::unique_ptr<Source> local_;
  std::vector<std::string>* asked_;
};

constexpr const char* kWide = "{__name__=~\"h_(bucket|sum)\",job=~\"a|b\"}[5m]";

Query At(std::string promql, TimeMs at = 400'000) {
  return {.promql = std::move(promql), .start = at, .end = at, .step_ms = 0};
}

struct Remembered : testing::Test {
  std::unique_ptr<Source> Open(SourceInfo info = {}, std::size_t most = 1000) {
    return Remembering(std::make_unique<Noting>(std::move(info), &asked), most);
  }
  std::vector<std::string> asked;
};

TEST_F(Remembered, APartOfWhatWasAskedIsTheServersAnswer) {
  for (const char* semantics : {"2.42", "3.5", "victoriametrics"}) {
    SourceInfo info;
    info.semantics = ParseSemantics(semantics);
    const auto source = Open(info);
    const auto alone = Open(info);
    EXPECT_EQ(source->Ask(At(kWide)).series.size(), 4u);
    asked.clear();
    for (const Query& part :
         {At(kWide), At("{__name__=~\"h_(bucket|sum)\",job=~\"a|b\",job!=\"a\"}[2m]", 350'000),
          At("h_sum{job=\"b\"}[3m]"), At("(h_bucket{job=\"a\",x=~\"|y\"}[1m])", 200'000)}) {
      const Answer recalled = source->Ask(part);
      EXPECT_TRUE(asked.empty()) << part.promql;
      const Answer answered = alone->Ask(part);
      ASSERT_EQ(recalled.series.size(), answered.series.size()) << part.promql;
      EXPECT_EQ(recalled.kind, answered.kind);
      EXPECT_FALSE(answered.series.empty()) << part.promql;
      for (std::size_t i = 0; i < answered.series.size(); ++i) {
        EXPECT_EQ(recalled.series[i].labels, answered.series[i].labels);
        EXPECT_EQ(recalled.series[i].samples, answered.series[i].samples);
      }
      asked.clear();
    }
  }
}

TEST_F(Remembered, WhatIsWiderOrNoRangeSelectorIsAsked) {
  for (const Query& query :
       {At("{__name__=~\"h_(bucket|sum)\"}[1m]"), At("h_sum[1m]"), At("h_sum{job=\"c\"}[1m]"),
        At("h_sum{job=~\"a\"}[1m]"), At("h_sum{job=\"a\"}[6m]"),
        At("h_sum{job=\"a\"}[1m]", 410'000), At("h_sum{job=\"a\"}[1m] offset 1m"),
        At("h_sum{job=\"a\"}[1m] @ 300"), At("h_sum{job=\"a\"}"), At("rate(h_sum{job=\"a\"}[1m])"),
        Query{"h_sum{job=\"a\"}", 200'000, 300'000, 1000}}) {
    const auto source = Open();
    source->Ask(At(kWide));
    asked.clear();
    source->Ask(query);
    EXPECT_EQ(asked, std::vector<std::string>{query.promql});
  }
}

TEST_F(Remembered, OnlyTheUnknownOfSeveralIsAskedAndTheOrderStays) {
  const auto source = Open();
  source->Ask(At(kWide));
  asked.clear();
  const auto answers = source->AskAll(
      {At("h_sum{job=\"a\"}[1m]"), At("other{job=\"b\"}[1m]"), At("h_bucket{job=\"b\"}[1m]")});
  EXPECT_EQ(asked, std::vector<std::string>{"other{job=\"b\"}[1m]"});
  ASSERT_EQ(answers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(answers[i].series.size(), 1u);
  EXPECT_EQ(answers[0].series[0].labels.Get("__name__"), "h_sum");
  EXPECT_EQ(answers[1].series[0].labels.Get("__name__"), "other");
  EXPECT_EQ(answers[2].series[0].labels.Get("__name__"), "h_bucket");
}

TEST_F(Remembered, NothingIsKeptThatIsNotSureOrTooMuch) {
  const auto twice = [&](const std::unique_ptr<Source>& source, const std::string& promql) {
    asked.clear();
    source->Ask(At(promql));
    source->Ask(At(promql));
    return asked.size();
  };
  EXPECT_EQ(twice(Open(), "h_sum[1m]"), 1u);
  EXPECT_EQ(twice(Open(), "other[1m]"), 2u);  // its warnings are to be said each time
  EXPECT_EQ(twice(Open({}, 10), "h_sum[1m]"), 2u);
  SourceInfo unknown;
  unknown.exact = false;
  EXPECT_EQ(twice(Open(unknown), "h_sum[1m]"), 2u);
}

}  // namespace
}  // namespace schedlens
