// The HTTP API's JSON, written as Prometheus writes it.

#include <fmt/format.h>

#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "report/commands.h"

namespace schedlens {
namespace {

std::string ApiTime(TimeMs t) {
  const TimeMs size = t < 0 ? -t : t;
  std::string out = t < 0 ? "-" : "";
  out += fmt::to_string(size / 1000);
  if (size % 1000 != 0) out += fmt::format(".{:03}", size % 1000);
  return out;
}

void WriteSample(JsonText& json, const Sample& sample) {
  json.LiteralElement(ApiTime(sample.t));
  json.Element(FormatNumber(sample.v));
}

void WriteBucket(JsonText& json, const NativeBucket& bucket) {
  json.Element(bucket.boundaries);
  json.Element(FormatNumber(bucket.lower));
  json.Element(FormatNumber(bucket.upper));
  json.Element(FormatNumber(bucket.count));
}

void WriteHistogram(JsonText& json, const NativeSample& sample) {
  json.LiteralElement(ApiTime(sample.t));
  json.ObjectElement([&] {
    json("count", FormatNumber(sample.h.count));
    json("sum", FormatNumber(sample.h.sum));
    if (sample.h.buckets.empty()) return;
    json.Array("buckets", [&] {
      for (const NativeBucket& bucket : sample.h.buckets) {
        json.ArrayElement([&] { WriteBucket(json, bucket); });
      }
    });
  });
}

/// One point as `one`, of a range all of them as `many`.
template <typename Point, typename Write>
void WritePoints(JsonText& json, const char* one, const char* many, bool instant,
                 const std::vector<Point>& points, const Write& write) {
  if (points.empty()) return;
  if (instant) {
    json.Array(one, [&] { write(json, points.front()); });
    return;
  }
  json.Array(many, [&] {
    for (const Point& point : points) json.ArrayElement([&] { write(json, point); });
  });
}

void WriteSeries(JsonText& json, const Series& series, bool instant) {
  json.Object("metric", [&] {
    for (const auto& [name, value] : series.labels) json(name, value);
  });
  WritePoints(json, "value", "values", instant, series.samples, WriteSample);
  WritePoints(json, "histogram", "histograms", instant, series.histograms, WriteHistogram);
}

void WriteResult(JsonText& json, const Answer& answer, TimeMs at) {
  if (answer.kind == ValueKind::kString) {
    json.LiteralElement(ApiTime(at));
    json.Element(answer.text);
  } else if (answer.kind == ValueKind::kScalar) {
    const bool some = !answer.series.empty() && !answer.series.front().samples.empty();
    const Sample scalar = some ? answer.series.front().samples.front() : Sample{at, 0};
    json.LiteralElement(ApiTime(scalar.t));
    json.Element(PlainNumber(scalar.v));  // of scalars alone without exponent
  } else {
    const bool instant = answer.kind == ValueKind::kVector;
    for (const Series& series : answer.series) {
      json.ObjectElement([&] { WriteSeries(json, series, instant); });
    }
  }
}

}  // namespace

std::string AnswerJson(const Answer& answer, TimeMs at) {
  static constexpr const char* kKinds[] = {"scalar", "string", "vector", "matrix"};
  return JsonText::Document(JsonStyle::kLine, [&](JsonText& json) {
    json("resultType", kKinds[static_cast<int>(answer.kind)]);
    json.Array("result", [&] { WriteResult(json, answer, at); });
  });
}

}  // namespace schedlens
