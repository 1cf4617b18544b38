// The text form of `quantile`.

#include "report/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "messages/catalog.h"
#include "model/text.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 100;
constexpr double kBarWidth = 40;

std::string Line(std::string_view label, const std::string& value) {
  return fmt::format("  {:<18} {}\n", label, value);
}

std::string ShownText(const QuantileExplanation& row) {
  if (!row.shown) return "nothing (NaN)";
  if (!std::isfinite(*row.shown)) return FormatNumber(*row.shown);
  const bool top = !row.proven.proof.bucket.high && !row.proven.basis.empty();
  return FourDigits(*row.shown) +
         (top ? "  (the highest finite bound: it means \"more than\")" : "");
}

std::string Neighbour(const BucketCount& bucket, double widest, bool here) {
  const double share = bucket.count / widest;
  const auto bar =
      static_cast<std::size_t>(share > 0 && share <= 1 ? std::ceil(kBarWidth * share) : 0);
  const std::string range =
      std::isfinite(bucket.high)
          ? fmt::format("{:.4g} .. {:.4g} s", std::max(bucket.low, 0.0), bucket.high)
          : fmt::format("over {:.4g} s", std::max(bucket.low, 0.0));
  return fmt::format("  {} {:>22} {:>9.6g} {}\n", here ? ">" : " ", range, bucket.count,
                     std::string(bar, '#'));
}

/// The bucket of the rank, two on either side, and where in it the rank is.
std::string Drawing(const QuantileExplanation& row) {
  const auto& buckets = row.buckets;
  if (row.proven.basis.empty()) return "";
  const double edge = row.proven.proof.bucket.high.value_or(HUGE_VAL);
  const auto it = std::find_if(buckets.begin(), buckets.end(),
                               [&](const BucketCount& b) { return b.high == edge; });
  if (it == buckets.end()) return "";
  const auto here = it - buckets.begin();
  const auto size = static_cast<std::ptrdiff_t>(buckets.size());
  const auto first = std::max<std::ptrdiff_t>(0, here - 2);
  const auto last = std::min(size - 1, here + 2);
  double widest = 1e-300;
  for (auto b = first; b <= last; ++b) widest = std::max(widest, buckets[std::size_t(b)].count);
  std::string out = "\n";
  for (auto b = first; b <= last; ++b) {
    out += Neighbour(buckets[std::size_t(b)], widest, b == here);
  }
  const double in_bucket = row.proven.rank - row.proven.proof.below;
  out += fmt::format(
      "\n  Rank {:.10g} of {:.10g}: number {:.10g} of the {:.10g} in the bucket "
      "marked >.\n",
      row.proven.rank, row.proven.observations, in_bucket, row.proven.proof.in_bucket);
  return out;
}

std::string VerdictText(const ThresholdExplanation& threshold) {
  std::string verdict = "no data";
  if (threshold.verdict.decided) {
    switch (*threshold.verdict.decided) {
      case Decided::kAbove:
        verdict = "truly above";
        break;
      case Decided::kBelow:
        verdict = "truly not above";
        break;
      case Decided::kUndecidable:
        verdict = "undecidable from this data";
        break;
    }
  }
  std::string out = Line(
      fmt::format("{} {} s", threshold.comparison, FormatNumber(threshold.threshold)), verdict);
  for (const std::string& note : InEnglish(threshold.notes)) {
    out += Paragraph(note, kWidth, std::string(21, ' '), std::string(21, ' '));
  }
  return out;
}

std::string RowText(const QuantileExplanation& row) {
  std::string out = fmt::format("{}{}, p{:g}, {:.10g} observations\n\n", row.metric,
                                row.labels.empty() ? "" : row.labels.ToString(), row.q * 100,
                                row.proven.observations);
  out += Line("a server shows", ShownText(row));
  if (!row.proven.basis.empty()) {
    out += Line("the truth is in", Between(row.proven.proof.interval) + "  (proven)");
    out += Paragraph("by " + ToString(row.proven.basis), kWidth, std::string(21, ' '),
                     std::string(21, ' '));
    out += Line("best estimate", row.estimate.value ? FourDigits(*row.estimate.value)
                                                    : "none: the open bucket has no upper bound");
    const Interval& sampling = row.sampling;
    if (sampling.low || sampling.high) {
      out += Line("if repeated",
                  Between(sampling) + "  (95 %, sampling, attempts taken as independent)");
    }
  }
  if (row.proven.basis.empty()) out += Line("the truth is", "not proven (see why below)");
  if (row.threshold) out += VerdictText(*row.threshold);
  out += Drawing(row);
  const auto list = [&out](const char* title, const std::vector<std::string>& lines) {
    if (!lines.empty()) out += fmt::format("\n  {}\n", title);
    for (const std::string& line : lines) out += Paragraph(line, kWidth, "  - ", "    ");
  };
  list("Why", InEnglish(row.reasons));
  list("What would narrow it", row.proven.narrower);
  return out;
}

}  // namespace

std::string FourDigits(double value) { return fmt::format("{:.4g} s", value); }

std::string Between(const Interval& interval) {
  if (interval.low && interval.high) {
    return fmt::format("{:.4g} .. {:.4g} s", *interval.low, *interval.high);
  }
  if (interval.low) return "more than " + FourDigits(*interval.low);
  if (interval.high) return "at most " + FourDigits(*interval.high);
  return "unknown";
}

std::string QuantileText(const QuantileReport& report, const std::vector<ServerValue>& servers) {
  std::string out;
  for (const QuantileExplanation& row : report.rows) {
    if (!out.empty()) out += "\n";
    out += RowText(row);
  }
  out += fmt::format("\n  Window {} .. {} (increases between the scrapes at its edges)\n",
                     FormatTime(report.seen.start), FormatTime(report.seen.end));
  if (!servers.empty()) out += "\n  What each server would show with its own rate()\n";
  for (const ServerValue& server : servers) {
    out += fmt::format("    {:<16} {}\n", server.semantics,
                       server.value ? FormatNumber(*server.value) : "nothing");
  }
  for (const std::string& warning : InEnglish(report.warnings)) {
    out += Paragraph("note: " + warning, kWidth, "  ", "    ");
  }
  return out;
}

}  // namespace schedlens
