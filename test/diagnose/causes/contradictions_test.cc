#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "diagnose/causes/findings.h"
#include "diagnose/incident.h"
#include "diagnose/pipeline/diagnose.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

/// What is done to a series of a recording; samples are changed in place.
using Change = std::function<void(Series*)>;

bool IsNamed(const Series& series, std::string_view end, std::string_view labels = "") {
  const std::string text = series.labels.ToString();
  return series.labels.Get("__name__").ends_with(end) && text.find(labels) != std::string::npos;
}

/// Phases as test/data/captures/README.md has them: 150 s healthy, then 360 s of the incident.
Diagnosis DiagnoseRecording(const std::string& name, const Change& change) {
  std::vector<Series> series =
      ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz",
                     std::nullopt)
          .series;
  TimeMs first = series.front().samples.front().t;
  for (Series& one : series) {
    if (!one.samples.empty()) first = std::min(first, one.samples.front().t);
    if (change) change(&one);
  }
  testing_support::StoreSource source(std::move(series));
  DiagnoseRequest request;
  request.window = TimeRange{first + 150'000, first + 510'000};
  request.baseline = TimeRange{first, first + 150'000};
  return Diagnose(source, QuerySet::Embedded(), request);
}

const Finding* FindContradiction(const Diagnosis& d) {
  const auto it = std::find_if(d.findings.begin(), d.findings.end(),
                               [](const Finding& f) { return f.id == "data.contradiction"; });
  return it == d.findings.end() ? nullptr : &*it;
}

std::vector<std::string> MessagesOf(const Finding& finding) {
  std::vector<std::string> ids;
  for (const Evidence& evidence : finding.evidence) ids.push_back(evidence.text.id);
  return ids;
}

/// Every share that a report may print.
void ExpectNoShareOverAll(const Message& text) {
  for (const Argument& argument : text.args) {
    if (argument.value.type == Value::Type::kShare) {
      EXPECT_LE(argument.value.number, 1) << text.id;
    }
    for (const Message& inner : argument.value.messages) ExpectNoShareOverAll(inner);
  }
}

void ExpectNoShareOverAll(const std::optional<Measured>& share, const std::string& of) {
  if (!share) return;
  for (const auto& end : {share->value, share->low, share->high}) {
    if (end) {
      EXPECT_LE(*end, 1) << of;
    }
  }
}

void ExpectNoShareOverAll(const Diagnosis& d) {
  ExpectNoShareOverAll(d.headline);
  for (const Finding& finding : d.findings) {
    ExpectNoShareOverAll(finding.share, finding.id);
    for (const Evidence& evidence : finding.evidence) ExpectNoShareOverAll(evidence.text);
  }
  for (const StageTime& stage : d.stages) {
    ExpectNoShareOverAll(stage.share, stage.id);
    ExpectNoShareOverAll(stage.tail_time_share, stage.id);
    if (stage.baseline_share) {
      EXPECT_LE(*stage.baseline_share, 1) << stage.id;
    }
  }
}

void Scale(double by, Series* series) {
  for (Sample& sample : series->samples) sample.v *= by;
}

struct Broken {
  const char* what;
  const char* message;
  Change change;
  friend std::ostream& operator<<(std::ostream& out, const Broken& b) { return out << b.what; }
};

const Broken kBroken[] = {
    {"e2e sums times 0.3", "contradiction.sum.low",
     [](Series* s) {
       if (IsNamed(*s, "e2e_scheduling_duration_seconds_sum")) Scale(0.3, s);
     }},
    {"e2e sums times 0.3: its stages", "contradiction.part",
     [](Series* s) {
       if (IsNamed(*s, "e2e_scheduling_duration_seconds_sum")) Scale(0.3, s);
     }},
    {"Bind's sums a tenth over", "contradiction.part",
     [](Series* s) {
       if (IsNamed(*s, "extension_point_duration_seconds_sum", "\"Bind\"")) Scale(1.1, s);
     }},
    {"one bucket of 1e300", "contradiction.count",
     [](Series* s) {
       if (IsNamed(*s, "e2e_scheduling_duration_seconds_bucket", "le=\"2.048\"")) {
         s->samples[s->samples.size() / 2].v = 1e300;
       }
     }},
    {"the last bucket 1e300", "contradiction.count",
     [](Series* s) {
       if (IsNamed(*s, "e2e_scheduling_duration_seconds_bucket", "le=\"+Inf\"")) {
         s->samples[s->samples.size() / 2].v = 1e300;
       }
     }},
    {"an infinite sum", "contradiction.infinite",
     [](Series* s) {
       if (IsNamed(*s, "scheduling_algorithm_duration_seconds_sum")) Scale(-HUGE_VAL, s);
     }},
    {"a negative sum", "contradiction.negative",
     [](Series* s) {
       if (IsNamed(*s, "scheduling_algorithm_duration_seconds_sum")) Scale(-1, s);
     }},
    {"a sum that falls", "contradiction.fell",
     [](Series* s) {
       if (!IsNamed(*s, "e2e_scheduling_duration_seconds_sum", "\"scheduled\"")) return;
       for (std::size_t i = s->samples.size() / 2; i < s->samples.size(); ++i) {
         s->samples[i].v -= 30;
       }
     }},
    {"a sum that hardly grows to one scrape", "contradiction.sum.low",
     [](Series* s) {
       if (!IsNamed(*s, "e2e_scheduling_duration_seconds_sum", "\"scheduled\"")) return;
       const std::size_t middle = s->samples.size() / 2;
       s->samples[middle].v = s->samples[middle - 1].v + 1e-3;
     }},
    {"a count that is not its +Inf bucket", "contradiction.two_counts",
     [](Series* s) {
       if (!IsNamed(*s, "e2e_scheduling_duration_seconds_count", "\"scheduled\"")) return;
       s->samples[s->samples.size() / 2].v *= 0.9;
     }},
    {"the client's sums in milliseconds", "contradiction.sum.high",
     [](Series* s) {
       if (IsNamed(*s, "rest_client_request_duration_seconds_sum")) Scale(1000, s);
     }},
    {"counts that do not conserve", "contradiction.counts",
     [](Series* s) {
       if (IsNamed(*s, "_sum") || !IsNamed(*s, "", "extension_point=\"Reserve\"")) return;
       for (Sample& sample : s->samples) sample.v = std::floor(0.9 * sample.v);
     }},
};

class BrokenRecording : public testing::TestWithParam<Broken> {};

TEST_P(BrokenRecording, IsCalledSoAndProvesNothing) {
  const Diagnosis d = DiagnoseRecording("apiserver-bind-slow-A", GetParam().change);
  const Finding* contradiction = FindContradiction(d);
  ASSERT_NE(contradiction, nullptr);
  EXPECT_THAT(MessagesOf(*contradiction), testing::Contains(GetParam().message));
  for (const Finding& finding : d.findings) {
    if (finding.id.starts_with("data.")) continue;
    EXPECT_NE(finding.confidence, Confidence::kCertain) << finding.id;
  }
  EXPECT_NE(d.verdict, Verdict::kNoIncident);
  ExpectNoShareOverAll(d);
}

INSTANTIATE_TEST_SUITE_P(Contradictions, BrokenRecording, testing::ValuesIn(kBroken));

class WholeRecording : public testing::TestWithParam<const char*> {};

TEST_P(WholeRecording, ContradictsNothing) {
  const Diagnosis d = DiagnoseRecording(GetParam(), nullptr);
  const Finding* contradiction = FindContradiction(d);
  if (contradiction != nullptr) {
    ADD_FAILURE() << testing::PrintToString(MessagesOf(*contradiction));
  }
  ExpectNoShareOverAll(d);
}

INSTANTIATE_TEST_SUITE_P(Contradictions, WholeRecording,
                         testing::Values("apiserver-bind-slow-1.26-A", "apiserver-bind-slow-A",
                                         "client-throttled-A", "extender-bind-partial-A",
                                         "extender-bind-slow-A", "extender-filter-slow-A",
                                         "filter-cpu-heavy-A", "healthy-A", "prebind-volume-slow-A",
                                         "quantile-inversion-A", "restart-and-two-replicas-A",
                                         "unschedulable-flood-A"));

TEST(FindContradictionsTest, UpTo118PartsOfAttemptsMayBeMoreThanTheirWhole) {
  // What the whole does not hold is as much less of it.
  const struct {
    const char* part;
    test::Attempt attempt;
  } cases[] = {{"extension points", {.filter = 0.06, .unmeasured = -0.05}},
               {"stages", {.bind = 0.06, .rest = -0.05}}};
  for (const auto& c : cases) {
    const test::Recorded recorded = test::Judge([&](int) { return c.attempt; });
    for (const int minor : {16, 17, 18, 19, 20, 26}) {
      Facts facts = recorded.facts;
      facts.answers["release"].push_back(
          {Labels({{"__name__", "kubernetes_build_info"}, {"minor", std::to_string(minor)}}),
           {{0, 1}},
           {}});
      std::vector<std::string> ids;
      for (const Message& one :
           FindContradictions(facts, recorded.histograms, recorded.c.now, std::nullopt)) {
        ids.push_back(one.id);
      }
      const std::vector<std::string> part = {"contradiction.part"};
      EXPECT_EQ(ids, minor <= 18 ? std::vector<std::string>() : part) << c.part << " 1." << minor;
    }
  }
}

}  // namespace
}  // namespace schedlens
