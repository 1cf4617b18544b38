#include "analysis/neighbours/request_seconds.h"

#include <map>
#include <string>

#include "kube/metrics.h"

namespace schedlens {

using kube::Neighbour;

Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted) {
  return MeterOf(facts, question, SumOf(Neighbour::kApiserverRequestDuration), wanted);
}

Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted) {
  Meter meter(facts);
  std::map<Labels, bool> has_sli;
  const std::string sli = SumOf(Neighbour::kApiserverRequestSliDuration);
  const std::string slo = SumOf(Neighbour::kApiserverRequestSloDuration);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") == sli) has_sli[ProcessLabels(series.labels)] = true;
  }
  for (const Series& series : facts.Of(question)) {
    if (wanted && !wanted(series.labels)) continue;
    const auto name = series.labels.Get("__name__");
    if (name == sli || (name == slo && !has_sli[ProcessLabels(series.labels)])) meter.Add(series);
  }
  return meter;
}

}  // namespace schedlens
