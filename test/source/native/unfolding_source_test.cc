#include "source/native/unfolding_source.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/capture/capture_source.h"
#include "source/native/folded.h"

namespace schedlens {
namespace {

/// A server over samples in memory that keeps a list of what it was asked.
class Listed final : public Source {
 public:
  Listed(std::vector<Series> series, std::vector<std::string>* asked)
      : source_(NewLocalSource(std::move(series), {})), asked_(asked) {}
  Answer Ask(const Query& query) override {
    asked_->push_back(query.promql);
    if (query.promql.starts_with("sum by (__name__") && refuses_) {
      throw Error(ErrorKind::kFailed, "refused");
    }
    return source_->Ask(query);
  }
  SourceInfo Describe() override { return source_->Describe(); }
  void RefuseSums() { refuses_ = true; }

 private:
  std::unique_ptr<Source> source_;
  std::vector<std::string>* asked_;
  bool refuses_ = false;
};

/// Two histograms of two processes and a gauge, a sample every five seconds for two minutes.
std::vector<Series> Classic() {
  std::vector<Series> all;
  for (const std::string name : {"x_seconds", "y_seconds"}) {
    for (const std::string job : {"a", "b"}) {
      const auto add = [&](const std::string& suffix, const std::string& le, double rate) {
        Series series{Labels{{kMetricName, name + suffix}, {"job", job}, {"le", le}}, {}, {}};
        for (int i = 0; i <= 24; ++i) series.samples.push_back({i * 5000, rate * (i + 1)});
        all.push_back(std::move(series));
      };
      const double factor = job == "a" ? 1 : 3;
      add("_bucket", "0.1", 2 * factor);
      add("_bucket", "1.0", 6 * factor);
      add("_bucket", "4.0", 7 * factor);
      add("_bucket", "+Inf", 8 * factor);
      add("_count", "", 8 * factor);
      add("_sum", "", 0.37 * factor);
    }
  }
  Series gauge{Labels{{kMetricName, "pods"}, {"job", "a"}}, {{0, 1}, {120000, 2}}, {}};
  all.push_back(gauge);
  return all;
}

Query At(const std::string& promql, TimeMs at = 120000) { return {promql, at, at, 0}; }

void ExpectSame(const Answer& a, const Answer& b, const std::string& what) {
  ASSERT_EQ(a.series.size(), b.series.size()) << what;
  for (std::size_t i = 0; i < a.series.size(); ++i) {
    EXPECT_EQ(a.series[i].labels, b.series[i].labels) << what;
    EXPECT_EQ(a.series[i].samples, b.series[i].samples) << what;
    EXPECT_TRUE(a.series[i].histograms.empty()) << what;
  }
}

constexpr const char* kQuestions[] = {
    R"x({__name__=~"x_seconds_(bucket|sum|count)"}[2m])x",
    R"x({__name__=~"x_seconds_(sum|count)", job="a"}[2m])x",
    R"x(x_seconds_bucket{le="1.0"}[2m])x",
    R"x(x_seconds_count)x",
    R"x(sum by (job) (rate(x_seconds_count[1m])))x",
    R"x(count by (__name__, job) (last_over_time({__name__=~".*(x|y)_seconds_count"}[2m])))x",
    R"x(histogram_quantile(0.9, sum by (le) (rate(x_seconds_bucket{job="b"}[1m]))) > 0.1)x",
    R"x(sum(rate(x_seconds_sum[1m])) / sum(rate(y_seconds_count[1m])) + on () group_left () pods)x",
    R"x(max_over_time(sum(rate(x_seconds_count[30s]))[1m:10s]))x",
};

TEST(UnfoldingSource, AnswersAsAServerWithClassicHistogramsDoes) {
  const auto classic = NewLocalSource(Classic(), {});
  std::vector<std::string> asked;
  for (const char* text : kQuestions) {
    const auto folded =
        NewUnfoldingSource(std::make_unique<Listed>(test::Folded(Classic()), &asked));
    ExpectSame(folded->Ask(At(text)), classic->Ask(At(text)), text);
  }
  const auto folded = NewUnfoldingSource(std::make_unique<Listed>(test::Folded(Classic()), &asked));
  const Query line{"histogram_quantile(0.5, sum by (le) (rate(y_seconds_bucket[30s])))", 30000,
                   120000, 15000};
  ExpectSame(folded->Ask(line), classic->Ask(line), line.promql);
}

TEST(UnfoldingSource, SeveralQuestionsAtOnceInBothWays) {
  const auto classic = NewLocalSource(Classic(), {});
  std::vector<std::string> asked;
  std::vector<Query> queries;
  for (const char* text : kQuestions) queries.push_back(At(text));
  const auto all = NewUnfoldingSource(std::make_unique<Listed>(test::Folded(Classic()), &asked));
  const std::vector<Answer> answers = all->AskAll(queries);
  const auto each = NewUnfoldingSource(std::make_unique<Listed>(test::Folded(Classic()), &asked));
  std::size_t taken = 0;
  each->AskEach(queries, [&](std::size_t i, const Answer& answer) {
    ExpectSame(answer, classic->Ask(queries[i]), queries[i].promql);
    ++taken;
  });
  EXPECT_EQ(taken, queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ExpectSame(answers[i], classic->Ask(queries[i]), queries[i].promql);
  }
}

TEST(UnfoldingSource, NamesThatAreNotSpelledOutAreUnfoldedOnceSomethingWas) {
  std::vector<std::string> asked;
  const auto folded = NewUnfoldingSource(std::make_unique<Listed>(test::Folded(Classic()), &asked));
  folded->Ask(At("x_seconds_count"));
  const Query names = At(R"x(count by (__name__) ({__name__=~".+"}))x");
  ExpectSame(folded->Ask(names), NewLocalSource(Classic(), {})->Ask(names), names.promql);
}

TEST(UnfoldingSource, WhatIsKeptInBothFormsIsReadInItsClassicForm) {
  std::vector<Series> both = Classic();
  for (Series& series : test::Folded(Classic())) {
    if (!series.histograms.empty()) both.push_back(std::move(series));
  }
  const auto classic = NewLocalSource(Classic(), {});
  for (const char* text : kQuestions) {
    std::vector<std::string> asked;
    const auto source = NewUnfoldingSource(std::make_unique<Listed>(both, &asked));
    ExpectSame(source->Ask(At(text)), classic->Ask(At(text)), text);
  }
}

TEST(UnfoldingSource, AServerWithClassicHistogramsIsAskedNothingElse) {
  std::vector<std::string> asked;
  const auto source = NewUnfoldingSource(std::make_unique<Listed>(Classic(), &asked));
  source->Ask(At(R"x({__name__=~"x_seconds_(bucket|sum|count)"}[2m])x"));
  source->Ask(At("sum(rate(x_seconds_count[1m]))"));
  source->Ask(At("pods"));
  EXPECT_EQ(asked.size(), 3u);
  // Whether what is missing is there in native form is asked once for each name.
  source->Ask(At("z_seconds_count[2m]"));
  EXPECT_EQ(asked.size(), 5u);
  EXPECT_EQ(asked.back(),
            R"x(sum by (__name__, job) ({__name__=~"z_seconds(_bucket|_sum|_count)?"}))x");
  source->Ask(At("z_seconds_count[2m]"));
  EXPECT_EQ(asked.size(), 6u);
  // The native form itself, and what is outside our dialect, is the server's business.
  source->Ask(At("x_seconds"));
  EXPECT_EQ(asked.size(), 7u);
}

// A recording keeps them, so that rules over the histogram itself find them there.
TEST(UnfoldingSource, ExponentialHistogramsStayBesideTheirClassicForm) {
  Series native{Labels{{kMetricName, "x_seconds"}, {"job", "a"}}, {}, {}};
  for (TimeMs t = 0; t <= 120'000; t += 15'000) {
    const double n = static_cast<double>(t) / 15'000;
    native.histograms.push_back({t, {3 * n, n, {{1, 2, 2 * n, 0}, {2, 4, n, 0}}}});
  }
  std::vector<std::string> asked;
  const auto source = NewUnfoldingSource(std::make_unique<Listed>(std::vector{native}, &asked));
  EXPECT_TRUE(source->Describe().warnings.empty());
  const Answer buckets = source->Ask(At(R"x(x_seconds_bucket{le="2.0"}[2m])x"));
  ASSERT_EQ(buckets.series.size(), 1U);
  EXPECT_EQ(buckets.series.front().samples.back().v, 16);
  ASSERT_EQ(source->Describe().warnings.size(), 1U);
  EXPECT_EQ(source->Describe().warnings.front(),
            Message("source.native_only", {{"metrics", std::vector{Verbatim("x_seconds")}}}));
  std::set<std::string> names;
  for (const Series& one : source->Ask(At(R"x({__name__=~"x_.+"}[2m])x")).series) {
    names.emplace(one.labels.Get(kMetricName));
    EXPECT_EQ(one.histograms.empty(), one.labels.Get(kMetricName) != "x_seconds");
  }
  EXPECT_EQ(names, (std::set<std::string>{"x_seconds", "x_seconds_bucket", "x_seconds_count",
                                          "x_seconds_sum"}));
  // So do those that any other expression asks for.
  const Answer both = source->Ask(At(R"x(count by (__name__) ({__name__=~"x_seconds(_sum)?"}))x"));
  ASSERT_EQ(both.series.size(), 2U);
  EXPECT_EQ(both.series.front().labels.Get(kMetricName), "x_seconds");
}

TEST(UnfoldingSource, SeriesOfSeveralResolutionsAreAddedUpByTheBoundsOfAll) {
  const auto native = [](const char* job, const std::vector<NativeBucket>& buckets) {
    Series series{Labels{{kMetricName, "x_seconds"}, {"job", job}}, {}, {}};
    for (TimeMs t = 0; t <= 120'000; t += 15'000) series.histograms.push_back({t, {4, 9, buckets}});
    return series;
  };
  const std::vector<Series> all = {native("coarse", {{1, 4, 4, 0}}),
                                   native("fine", {{1, 2, 3, 0}, {2, 4, 1, 0}})};
  std::vector<std::string> asked;
  const auto source = NewUnfoldingSource(std::make_unique<Listed>(all, &asked));
  const auto bounds = [&](const std::string& promql) {
    std::map<std::string, double> values;
    for (const Series& one : source->Ask(At(promql)).series) {
      values.emplace(one.labels.Get("le"), one.samples.back().v);
    }
    return values;
  };
  using Values = std::map<std::string, double>;
  const Values together = {{"1.0", 0}, {"4.0", 8}, {"+Inf", 8}};
  EXPECT_EQ(bounds("sum by (le) (x_seconds_bucket)"), together);
  const Values one = {{"1.0", 0}, {"2.0", 3}, {"4.0", 4}, {"+Inf", 4}};
  EXPECT_EQ(bounds("sum by (le) (x_seconds_bucket{job=\"fine\"})"), one);
  // Also where it is read beside them.
  EXPECT_EQ(bounds("sum by (le) (x_seconds_bucket) + 0 * "
                   "sum by (le) (x_seconds_bucket{job=\"fine\"})"),
            together);
  EXPECT_EQ(source->Ask(At("x_seconds_bucket[2m]")).series.size(), 7U);  // raw: all there is
}

TEST(UnfoldingSource, AServerThatRefusesTheSearchHasNone) {
  std::vector<std::string> asked;
  auto server = std::make_unique<Listed>(test::Folded(Classic()), &asked);
  server->RefuseSums();
  const auto source = NewUnfoldingSource(std::move(server));
  EXPECT_TRUE(source->Ask(At("x_seconds_count[2m]")).series.empty());
}

}  // namespace
}  // namespace schedlens
