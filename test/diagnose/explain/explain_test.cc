// Real recordings against the exact quantiles of what their schedulers logged (test/data/README of
// the captures): the interval holds, it is narrow, and the estimate is close. Prints the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "diagnose/explain/quantile.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

using testing_support::Recording;
using testing_support::StoreSource;

struct Errors {
  std::vector<double> estimate, server, ratio;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double Largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// A scrape's timestamp is when it began, so an observation of its last millisecond may be counted
/// on the other side of the edge.
double EdgeSlack(double truth) { return 2e-3 * truth + 1e-4; }

void Check(const nlohmann::json& row, StoreSource& source, std::map<std::string, Errors>* errors) {
  const std::string metric = row.at("metric");
  for (const auto& [q, key] : std::vector<std::pair<double, std::string>>{
           {0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p999"}}) {
    QuantileRequest request;
    request.metric = metric;
    request.selector = row.at("selector");
    request.q = q;
    request.window = {std::llround(1000 * row.at("start").get<double>()),
                      std::llround(1000 * row.at("end").get<double>())};
    const QuantileReport report = ExplainQuantile(source, request);
    const QuantileExplanation& got = report.rows.front();
    const Interval& interval = got.proven.proof.interval;
    const double truth = row.at(key);
    const std::string where =
        row.at("recording").get<std::string>() + " " + metric + "{" + request.selector + "} " + key;
    EXPECT_LE(interval.low.value_or(0), truth + EdgeSlack(truth)) << where;
    EXPECT_GE(interval.high.value_or(HUGE_VAL), truth - EdgeSlack(truth)) << where;
    ASSERT_TRUE(got.estimate.value && got.shown) << where;
    const bool saturated = !got.proven.proof.bucket.high;
    const bool bind = !request.selector.empty() && request.selector[0] == 'e';
    const std::string kind = bind                       ? (saturated ? "Bind, saturated" : "Bind")
                             : request.selector.empty() ? metric.substr(10, 24)
                                                        : "e2e{scheduled}";
    Errors& e = (*errors)[kind + " " + key];
    e.estimate.push_back(std::abs(*got.estimate.value / truth - 1));
    e.server.push_back(std::abs(*got.shown / truth - 1));
    e.ratio.push_back(interval.high && interval.low ? *interval.high / *interval.low : HUGE_VAL);
  }
}

TEST(QuantileTruth, OnRealRecordings) {
  std::ifstream file(std::string(SCHEDLENS_TEST_DATA) + "/exact_quantiles.json");
  const nlohmann::json rows = nlohmann::json::parse(file);
  std::map<std::string, Errors> errors;
  std::string open;
  std::unique_ptr<StoreSource> source;
  for (const nlohmann::json& row : rows) {
    if (row.at("recording") != open) {
      open = row.at("recording");
      source = std::make_unique<StoreSource>(Recording(open));
    }
    Check(row, *source, &errors);
  }
  std::printf("%-32s %3s  %-17s %-17s %s\n", "quantile", "n", "estimate off by", "server off by",
              "proven high/low");
  for (const auto& [kind, e] : errors) {
    std::printf("%-32s %3zu  %5.1f %% (%5.1f %%)  %5.1f %% (%5.1f %%)  %.2f (%.2f)\n", kind.c_str(),
                e.estimate.size(), 100 * Median(e.estimate), 100 * Largest(e.estimate),
                100 * Median(e.server), 100 * Largest(e.server), Median(e.ratio), Largest(e.ratio));
  }
  EXPECT_LE(Median(errors["e2e{scheduled} p99"].ratio), 1.7);
  EXPECT_LE(Median(errors["Bind, saturated p99"].ratio), 2.1);
  EXPECT_LE(Median(errors["e2e{scheduled} p99"].estimate), 0.12);
  EXPECT_LE(Largest(errors["e2e{scheduled} p99"].estimate), 0.30);
}

}  // namespace
}  // namespace schedlens
