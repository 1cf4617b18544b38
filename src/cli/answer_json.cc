// The HTTP API's JSON, written as Prometheus writes it.

#include <fmt/format.h>

#include <string_view>

#include "cli/answer_output.h"
#include "model/text.h"

namespace schedlens {
namespace {

/// Go's encoding/json also escapes what HTML would read as markup.
void AppendString(std::string_view text, std::string* out) {
  *out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
          *out += fmt::format("\\u{:04x}", byte);
        } else {
          *out += c;
        }
    }
  }
  *out += '"';
}

void AppendTime(TimeMs t, std::string* out) {
  if (t < 0) *out += '-';
  const TimeMs size = t < 0 ? -t : t;
  *out += fmt::to_string(size / 1000);
  if (size % 1000 != 0) *out += fmt::format(".{:03}", size % 1000);
}

void AppendNumber(double value, std::string* out) {
  *out += '"';
  *out += FormatNumber(value);
  *out += '"';
}

void AppendSample(const Sample& sample, std::string* out) {
  *out += '[';
  AppendTime(sample.t, out);
  *out += ',';
  AppendNumber(sample.v, out);
  *out += ']';
}

void AppendHistogram(const NativeSample& sample, std::string* out) {
  *out += '[';
  AppendTime(sample.t, out);
  *out += ",{\"count\":";
  AppendNumber(sample.h.count, out);
  *out += ",\"sum\":";
  AppendNumber(sample.h.sum, out);
  if (!sample.h.buckets.empty()) *out += ",\"buckets\":[";
  bool first = true;
  for (const NativeBucket& bucket : sample.h.buckets) {
    if (!first) *out += ',';
    first = false;
    *out += fmt::format("[{},", bucket.boundaries);
    AppendNumber(bucket.lower, out);
    *out += ',';
    AppendNumber(bucket.upper, out);
    *out += ',';
    AppendNumber(bucket.count, out);
    *out += ']';
  }
  if (!sample.h.buckets.empty()) *out += ']';
  *out += "}]";
}

void AppendLabels(const Labels& labels, std::string* out) {
  *out += "{";
  bool first = true;
  for (const auto& [name, value] : labels) {
    if (!first) *out += ',';
    first = false;
    AppendString(name, out);
    *out += ':';
    AppendString(value, out);
  }
  *out += "}";
}

template <typename Item, typename Append>
void AppendList(const std::vector<Item>& items, const Append& append, std::string* out) {
  *out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) *out += ',';
    append(items[i], out);
  }
  *out += ']';
}

void AppendSeries(const Series& series, bool instant, std::string* out) {
  *out += "{\"metric\":";
  AppendLabels(series.labels, out);
  if (!series.samples.empty()) {
    *out += instant ? ",\"value\":" : ",\"values\":";
    if (instant) {
      AppendSample(series.samples.front(), out);
    } else {
      AppendList(series.samples, AppendSample, out);
    }
  }
  if (!series.histograms.empty()) {
    *out += instant ? ",\"histogram\":" : ",\"histograms\":";
    if (instant) {
      AppendHistogram(series.histograms.front(), out);
    } else {
      AppendList(series.histograms, AppendHistogram, out);
    }
  }
  *out += '}';
}

}  // namespace

std::string AnswerJson(const Answer& answer, TimeMs at) {
  static constexpr std::string_view kKinds[] = {"scalar", "string", "vector", "matrix"};
  std::string out =
      fmt::format("{{\"resultType\":\"{}\",\"result\":", kKinds[static_cast<int>(answer.kind)]);
  if (answer.kind == ValueKind::kString) {
    out += '[';
    AppendTime(at, &out);
    out += ',';
    AppendString(answer.text, &out);
    out += ']';
  } else if (answer.kind == ValueKind::kScalar) {
    const bool some = !answer.series.empty() && !answer.series.front().samples.empty();
    AppendSample(some ? answer.series.front().samples.front() : Sample{at, 0}, &out);
  } else {
    const bool instant = answer.kind == ValueKind::kVector;
    AppendList(
        answer.series,
        [instant](const Series& series, std::string* to) { AppendSeries(series, instant, to); },
        &out);
  }
  return out + '}';
}

}  // namespace schedlens
