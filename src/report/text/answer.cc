// Answers as tables for people: values aligned on the right, labels last because they are long.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/commands.h"

namespace schedlens {
namespace {

using Row = std::vector<std::string>;

/// All columns but the last padded to their widest cell, on the left.
std::string Align(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out += fmt::format("{:>{}}  ", row[i], widths[i]);
    }
    out += row.back() + '\n';
  }
  return out;
}

Row Summary(const Series& series) {
  double low = series.samples.front().v;
  double high = low;
  for (const Sample& sample : series.samples) {
    low = std::fmin(low, sample.v);
    high = std::fmax(high, sample.v);
  }
  return {fmt::to_string(series.samples.size()),
          FormatNumber(series.samples.front().v),
          FormatNumber(low),
          FormatNumber(high),
          FormatNumber(series.samples.back().v),
          series.labels.ToString()};
}

std::string VectorTable(const Answer& answer) {
  std::vector<Row> rows = {{"VALUE", "SERIES"}};
  for (const Series& series : answer.series) {
    if (!series.samples.empty()) {
      rows.push_back({FormatNumber(series.samples.front().v), series.labels.ToString()});
    } else if (!series.histograms.empty()) {
      const NativeHistogram& h = series.histograms.front().h;
      rows.push_back({fmt::format("count {} sum {}", FormatNumber(h.count), FormatNumber(h.sum)),
                      series.labels.ToString()});
    }
  }
  return Align(rows);
}

std::string MatrixTable(const Answer& answer) {
  std::vector<Row> rows = {{"SAMPLES", "FIRST", "LOWEST", "HIGHEST", "LAST", "SERIES"}};
  for (const Series& series : answer.series) {
    if (!series.samples.empty()) rows.push_back(Summary(series));
  }
  std::string out;
  if (!answer.series.empty() && !answer.series.front().samples.empty()) {
    TimeMs first = answer.series.front().samples.front().t;
    TimeMs last = first;
    for (const Series& series : answer.series) {
      if (series.samples.empty()) continue;
      first = std::min(first, series.samples.front().t);
      last = std::max(last, series.samples.back().t);
    }
    out = fmt::format("{} to {}\n", FormatTime(first), FormatTime(last));
  }
  return out + Align(rows);
}

}  // namespace

std::string AnswerTable(const Answer& answer) {
  switch (answer.kind) {
    case ValueKind::kString:
      return answer.text + '\n';
    case ValueKind::kScalar:
      return answer.series.empty() || answer.series.front().samples.empty()
                 ? std::string()
                 : PlainNumber(answer.series.front().samples.front().v) + '\n';
    case ValueKind::kVector:
      return answer.series.empty() ? std::string() : VectorTable(answer);
    case ValueKind::kMatrix:
      return answer.series.empty() ? std::string() : MatrixTable(answer);
  }
  return {};
}

}  // namespace schedlens
