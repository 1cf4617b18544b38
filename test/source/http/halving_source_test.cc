#include <gtest/gtest.h>

#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kMinute = 60 * 1000;

/// Refuses what covers more than so many milliseconds, in a server's words.
class Limited final : public Source {
 public:
  Limited(std::int64_t longest, std::string words)
      : inner_(NewLocalSource(Samples(), {})), longest_(longest), words_(std::move(words)) {}

  static std::vector<Series> Samples() {
    Series a{Labels{{kMetricName, "x"}, {"a", "1"}}, {}, {}};
    Series b{Labels{{kMetricName, "x"}, {"a", "2"}}, {}, {}};
    for (int i = 0; i <= 240; ++i) {
      a.samples.push_back({i * 15'000, static_cast<double>(i)});
      if (i > 100) b.samples.push_back({i * 15'000, static_cast<double>(2 * i)});
    }
    return {a, b};
  }

  Answer Ask(const Query& query) override {
    ++asked;
    std::int64_t covered = query.end - query.start;
    const promql::ExprPtr tree = promql::Parse(query.promql);
    if (const auto* raw = tree->As<promql::Selector>()) covered += raw->range_ms;
    if (covered > longest_) throw Error(ErrorKind::kFailed, "query x: " + words_);
    return inner_->Ask(query);
  }
  SourceInfo Describe() override { return inner_->Describe(); }

  int asked = 0;

 private:
  std::unique_ptr<Source> inner_;
  std::int64_t longest_;
  std::string words_;
};

constexpr const char* kLimits[] = {
    "query processing would load too many samples into memory in query execution",
    "exceeded maximum resolution of 11,000 points per timeseries",
    "cannot select more than -search.maxSamplesPerQuery=1000000000 samples",
    "the query hit the max number of chunks limit (err-mimir-max-chunks-per-query)"};

const Query kRaw{"x[50m]", 60 * kMinute, 60 * kMinute, 0};
const Query kLine{"sum(rate(x[2m]))", 10 * kMinute, 60 * kMinute, 30'000};

void ExpectSame(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.series.size(), b.series.size());
  for (std::size_t i = 0; i < a.series.size(); ++i) {
    EXPECT_EQ(a.series[i].labels, b.series[i].labels);
    EXPECT_EQ(a.series[i].samples, b.series[i].samples);
  }
}

TEST(HalvingSource, PiecesMakeTheWholeAnswer) {
  const auto whole = NewLocalSource(Limited::Samples(), {});
  for (const char* words : kLimits) {
    for (const std::int64_t longest : {40 * kMinute, 7 * kMinute, 2 * kMinute}) {
      auto limited = std::make_unique<Limited>(longest, words);
      Limited* server = limited.get();
      const auto source = NewHalvingSource(std::move(limited));
      ExpectSame(source->Ask(kRaw), whole->Ask(kRaw));
      EXPECT_GT(server->asked, 2);
      ExpectSame(source->Ask(kLine), whole->Ask(kLine));
      const std::vector<Answer> both = source->AskAll({kRaw, kLine});
      ExpectSame(both[0], whole->Ask(kRaw));
      ExpectSame(both[1], whole->Ask(kLine));
      std::vector<Answer> each(3);
      source->AskEach({kRaw, {"x", kMinute, kMinute, 0}, kLine},
                      [&](std::size_t i, Answer answer) { each[i] = std::move(answer); });
      ExpectSame(each[0], whole->Ask(kRaw));
      EXPECT_EQ(each[1].series.size(), 1u);
      ExpectSame(each[2], whole->Ask(kLine));
    }
  }
}

TEST(HalvingSource, WithinTheLimitNothingElseIsAsked) {
  auto limited = std::make_unique<Limited>(60 * kMinute, kLimits[0]);
  Limited* server = limited.get();
  const auto source = NewHalvingSource(std::move(limited));
  source->AskAll({kRaw, kLine});
  EXPECT_EQ(server->asked, 2);
}

TEST(HalvingSource, OtherRefusalsAndTheSmallestPieceStand) {
  const auto asks = [](const std::string& words, const Query& query, std::int64_t longest) {
    auto limited = std::make_unique<Limited>(longest, words);
    Limited* server = limited.get();
    const auto source = NewHalvingSource(std::move(limited));
    EXPECT_THROW(source->Ask(query), Error);
    return server->asked;
  };
  EXPECT_EQ(asks("1:3: parse error", kRaw, 0), 1);
  EXPECT_EQ(asks(kLimits[0], {"sum(x)", 0, 0, 0}, -1), 1);
  EXPECT_LE(asks(kLimits[0], kRaw, 0), 8);
  EXPECT_LE(asks(kLimits[0], kLine, 0), 9);
}

}  // namespace
}  // namespace schedlens
