#pragma once

// Questions to a few series written by hand; answers as one readable line a series.

#include <string>
#include <vector>

#include "base/text.h"
#include "promql/evaluate.h"
#include "schedlens/error.h"

namespace schedlens::promql {

/// A series every 10 seconds from time zero: `stale` marks the end, `_` no sample.
inline Series Line(std::vector<Labels::Pair> labels, const std::vector<std::string>& values) {
  Series series;
  series.labels = Labels(std::move(labels));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "_") continue;
    const double v = values[i] == "stale" ? StaleMarker() : *ParseNumber(values[i]);
    series.samples.push_back({static_cast<TimeMs>(i) * 10'000, v});
  }
  return series;
}

/// `<10 15 (1,2]4 (2,4]6>`: count, sum and the buckets without their marks.
inline std::string Show(const NativeHistogram& histogram) {
  std::string out = "<" + FormatNumber(histogram.count) + " " + FormatNumber(histogram.sum);
  for (const NativeBucket& bucket : histogram.buckets) {
    out += " (" + FormatNumber(bucket.lower) + "," + FormatNumber(bucket.upper) + "]" +
           FormatNumber(bucket.count);
  }
  return out + ">";
}

/// `{a="b"} 1; {c="d"} 2`, of a range `{a="b"} 1@0 2@10`. Errors and annotations come as they are.
inline std::string Show(const Answer& answer, bool with_times) {
  std::string out;
  for (const Series& series : answer.series) {
    if (!out.empty()) out += "; ";
    out += series.labels.ToString();
    const auto time = [with_times](TimeMs t) {
      return with_times ? "@" + FormatNumber(static_cast<double>(t) / 1000) : std::string();
    };
    for (const Sample& sample : series.samples) {
      out += " " + FormatNumber(sample.v) + time(sample.t);
    }
    for (const NativeSample& sample : series.histograms) {
      out += " " + Show(sample.h) + time(sample.t);
    }
  }
  return out;
}

class Asker {
 public:
  explicit Asker(std::vector<Series> series) : store_(std::move(series)) {}

  Answer Full(const std::string& promql, const std::string& version, TimeMs start, TimeMs end,
              std::int64_t step) const {
    EvaluateOptions options;
    options.semantics = ParseSemantics(version);
    return Evaluate(store_, {promql, start, end, step}, options);
  }
  std::string At(TimeMs t, const std::string& promql, const std::string& version = "2.42") const {
    try {
      const Answer answer = Full(promql, version, t, t, 0);
      return Show(answer, answer.kind == ValueKind::kMatrix);
    } catch (const Error& error) {
      return std::string("error: ") + error.what();
    }
  }
  std::string Range(TimeMs start, TimeMs end, std::int64_t step, const std::string& promql,
                    const std::string& version = "2.42") const {
    try {
      return Show(Full(promql, version, start, end, step), true);
    } catch (const Error& error) {
      return std::string("error: ") + error.what();
    }
  }

 private:
  SeriesStore store_;
};

}  // namespace schedlens::promql
