// When an alert fired, as the samples of ALERTS tell it.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/alert/alert.h"
#include "model/quote.h"
#include "model/text.h"

namespace schedlens {
namespace {

/// The firings of one series of ALERTS.
void SplitAtGaps(const Series& series, TimeMs range_end, std::vector<Firing>& firings) {
  if (series.samples.empty()) return;
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    gaps.push_back(series.samples[i].t - series.samples[i - 1].t);
  }
  constexpr TimeMs kDefaultInterval = 60'000;  // one evaluation, when a single sample is there
  TimeMs usual = kDefaultInterval;
  if (!gaps.empty()) {
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<long>(gaps.size() / 2), gaps.end());
    usual = gaps[gaps.size() / 2];
  }
  TimeMs start = series.samples.front().t;
  TimeMs last = start;
  const auto close = [&](TimeMs next) {
    if (next - last <= 3 * usual) return false;
    firings.push_back({series.labels, start, last});
    return true;
  };
  for (const Sample& sample : series.samples) {
    if (close(sample.t)) start = sample.t;
    last = sample.t;
  }
  if (!close(range_end)) firings.push_back({series.labels, start, std::nullopt});
}

}  // namespace

std::vector<Firing> FindFirings(Source& source, const std::string& name, TimeRange range,
                                const std::string& state) {
  const std::string promql =
      fmt::format("ALERTS{{alertname={},alertstate=\"{}\"}}[{}]", QuotePromql(name), state,
                  FormatDuration(range.end - range.start));
  const Answer answer =
      source.Ask({.promql = promql, .start = range.end, .end = range.end, .step_ms = 0});
  std::vector<Firing> firings;
  for (const Series& series : answer.series) SplitAtGaps(series, range.end, firings);
  std::stable_sort(firings.begin(), firings.end(),
                   [](const Firing& a, const Firing& b) { return a.start < b.start; });
  return firings;
}

Message WhyNotFired(Source& source, const ResolvedAlert& alert, TimeRange range) {
  if (alert.name.empty() || !FindFirings(source, alert.name, range).empty()) return {};
  const std::vector<Firing> pending = FindFirings(source, alert.name, range, "pending");
  if (pending.empty() && !alert.firings.empty()) {
    return Message("alert.not_kept",
                   {{"alert", alert.name}, {"at", arg::Time(alert.firings.back().start)}});
  }
  if (pending.empty()) {
    return Message("alert.not_fired", {{"alert", alert.name}, {"from", arg::Time(range.start)}});
  }
  const Firing& last = pending.back();
  const Argument wait{"wait", FormatDuration(alert.for_ms)};
  if (!last.end) {
    return Message("alert.pending",
                   {{"alert", alert.name}, {"since", arg::Time(last.start)}, wait});
  }
  return Message(
      "alert.was_pending",
      {{"alert", alert.name}, {"from", arg::Time(last.start)}, {"to", arg::Time(*last.end)}, wait});
}

}  // namespace schedlens
