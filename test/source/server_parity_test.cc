// Answers of current servers, beside what is evaluated from the raw samples that they gave.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "promql/evaluate.h"
#include "schedlens/error.h"
#include "source/http/json_stream.h"
#include "support/recorded_answers.h"

namespace schedlens {
namespace {

using ByLabels = std::map<std::string, double>;

ByLabels ValuesOf(const Answer& answer) {
  ByLabels values;
  for (const Series& series : answer.series) {
    if (!series.samples.empty()) values[series.labels.ToString()] = series.samples.back().v;
  }
  return values;
}

struct Parity {
  std::size_t same = 0;
  std::set<std::string> unread;  ///< what our dialect does not read
};

/// Asks everything that a server answered at one time over its own raw samples.
Parity Compare(const std::string& name, const std::string& seconds, TimeMs at,
               const std::string& semantics, double tolerance) {
  const test::RecordedAnswers server(name);
  const auto answers = server.InstantAnswers(seconds);
  std::vector<Series> raw;
  for (const auto& [promql, body] : answers) {
    const Answer answer = ReadApiAnswer(body).answer;
    if (answer.kind != ValueKind::kMatrix) continue;
    raw.insert(raw.end(), answer.series.begin(), answer.series.end());
  }
  const promql::SeriesStore store(raw);
  promql::EvaluateOptions options;
  options.semantics = ParseSemantics(semantics);
  Parity parity;
  for (const auto& [promql, body] : answers) {
    const Answer theirs = ReadApiAnswer(body).answer;
    Answer ours;
    try {
      ours = promql::Evaluate(store, {promql, at, at, 0}, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << promql << ": " << error.what();
      parity.unread.insert(promql);
      continue;
    }
    EXPECT_EQ(ours.kind, theirs.kind) << promql;
    const ByLabels expected = ValuesOf(theirs);
    const ByLabels found = ValuesOf(ours);
    EXPECT_EQ(found.size(), expected.size()) << promql;
    for (const auto& [labels, value] : expected) {
      const auto own = found.find(labels);
      EXPECT_NE(own, found.end()) << promql << ": only the server has " << labels;
      if (own == found.end()) continue;
      const bool same =
          own->second == value || std::fabs(own->second - value) <= tolerance * std::fabs(value);
      EXPECT_TRUE(same) << promql << labels << ": " << own->second << " here, " << value;
      parity.same += same ? 1 : 0;
    }
  }
  return parity;
}

TEST(ServerParity, Prometheus314WithTypesAsLabels) {
  const Parity parity =
      Compare("prometheus-3.14-type-labels-early-names", "1795315032", 1795315032000, "3.14", 0);
  EXPECT_TRUE(parity.unread.empty()) << *parity.unread.begin();
  EXPECT_GE(parity.same, 50u);
}

TEST(ServerParity, VictoriaMetrics1150) {
  const Parity parity =
      Compare("victoriametrics-1.150", "1795223720.353", 1795223720353, "victoriametrics", 1e-9);
  const std::string e2e = "scheduler_e2e_scheduling_duration_seconds";
  const std::set<std::string> unread = {
      "1Ki", "histogram_quantile(\"0.99\", " + e2e + "_bucket)",
      "rate(" + e2e + "_count[5m]) keep_metric_names",
      "sum(rate(" + e2e + "_count[5m])) + fill(0) sum by (result) (rate(" + e2e + "_count[5m]))"};
  EXPECT_EQ(parity.unread, unread);
  EXPECT_GE(parity.same, 100u);
}

}  // namespace
}  // namespace schedlens
