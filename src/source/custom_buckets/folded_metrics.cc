#include "source/custom_buckets/folded_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "model/quote.h"
#include "schedlens/error.h"
#include "source/custom_buckets/classic_names.h"

namespace schedlens {
namespace {

/// How far an instant selector of the server looks back, and in how many steps a range is searched.
constexpr std::int64_t kLookback = 5 * 60 * 1000;
constexpr std::int64_t kSteps = 12;

/// The sums of histograms show their bounds; those of floats that the metric is there as such.
Query SumsOf(const std::vector<std::string>& names, const TimeRange& range) {
  const std::int64_t length = std::max<std::int64_t>(range.end - range.start, 0);
  const std::int64_t step = std::max(kLookback, (length + kSteps - 1) / kSteps);
  const std::string text = fmt::format("sum by (__name__, job) ({{__name__=~{}}})",
                                       QuotePromql(fmt::format("{}", fmt::join(names, "|"))));
  const std::int64_t steps = length / step;
  return {.promql = text,
          .start = range.end - steps * step,
          .end = range.end,
          .step_ms = steps == 0 ? 0 : step};
}

}  // namespace

void FoldedMetrics::Find(Source& server, const std::set<std::string>& names,
                         const TimeRange& range) {
  std::vector<std::string> fresh;
  std::set_difference(names.begin(), names.end(), asked_.begin(), asked_.end(),
                      std::back_inserter(fresh));
  if (fresh.empty()) return;
  asked_.insert(fresh.begin(), fresh.end());
  try {
    Learn(server.Ask(SumsOf(fresh, range)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;
  }
}

void FoldedMetrics::Learn(const Answer& answer) {
  LearnBounds(answer.series, &bounds_);
  const auto job = [](const Series& series) { return std::string(series.labels.Get("job")); };
  std::map<std::pair<std::string, std::string>, std::set<TimeMs>> classic;
  for (const Series& series : answer.series) {
    const std::string family = FamilyOfClassic(series.labels.Get(kMetricName));
    for (const Sample& sample : series.samples) classic[{family, job(series)}].insert(sample.t);
  }
  for (const Series& series : answer.series) {
    const std::string name(series.labels.Get(kMetricName));
    if (!bounds_.contains(name)) continue;
    const std::set<TimeMs>& both = classic[{name, job(series)}];
    const bool alone =
        std::any_of(series.histograms.begin(), series.histograms.end(),
                    [&](const NativeSample& sample) { return !both.contains(sample.t); });
    if (alone) found_.insert(name);
  }
}

std::vector<std::string> FoldedMetrics::MeantBy(const promql::Selector& selector) const {
  std::vector<std::string> meant;
  if (found_.empty() || NamesOfHistograms(selector).empty()) return meant;
  std::copy_if(found_.begin(), found_.end(), std::back_inserter(meant),
               [&](const std::string& metric) { return MeansClassic(selector, metric); });
  return meant;
}

}  // namespace schedlens
