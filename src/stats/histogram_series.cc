#include "stats/histogram_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "contract/series.h"
#include "model/text.h"
#include "stats/not_finite.h"

namespace schedlens {
namespace {

/// The samples of one label set while it is being put together, ascending in time.
struct Parts {
  std::map<double, std::vector<Sample>> buckets;
  std::map<double, std::string> texts;  // of the bounds, as first seen
  std::vector<Sample> sums;
  std::vector<Sample> counts;
};

double Added(double a, double b) { return a + b; }
double Latest(double, double b) { return b; }

/// Adds samples to those of the same place; `join` makes one value of two at the same time. NaN is
/// no sample.
void AddSamples(const std::vector<Sample>& samples, double (*join)(double, double),
                std::vector<Sample>* to) {
  to->reserve(to->size() + samples.size());
  for (const Sample& sample : samples) {
    if (!std::isnan(sample.v)) to->push_back(sample);
  }
  const auto not_after = [](const Sample& a, const Sample& b) { return a.t >= b.t; };
  if (std::adjacent_find(to->begin(), to->end(), not_after) == to->end()) return;
  std::stable_sort(to->begin(), to->end(),
                   [](const Sample& a, const Sample& b) { return a.t < b.t; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < to->size(); ++i) {
    Sample& last = (*to)[kept];
    const Sample& next = (*to)[i];
    if (next.t == last.t) {
      last.v = join(last.v, next.v);
    } else {
      (*to)[++kept] = next;
    }
  }
  to->resize(kept + 1);
}

/// Reads the values of ascending samples at times that ascend from call to call.
class Cursor {
 public:
  explicit Cursor(const std::vector<Sample>& samples) : at_(samples.begin()), end_(samples.end()) {}

  double At(TimeMs t) {
    while (at_ != end_ && at_->t < t) ++at_;
    return at_ != end_ && at_->t == t ? at_->v : kNaN;
  }

 private:
  std::vector<Sample>::const_iterator at_, end_;
};

/// Leaves out the bounds that came or went with another release, unless that are all, and returns
/// when the first did. A scrape at either end of `times` that lacks buckets may just be torn.
std::optional<TimeMs> KeepCommonBounds(const std::vector<TimeMs>& times,
                                       std::map<double, std::vector<Sample>>* buckets) {
  if (times.size() < 4) return std::nullopt;
  const auto came = [&](const std::vector<Sample>& samples) {
    return !samples.empty() && samples.front().t > times[1];
  };
  const auto went = [&](const std::vector<Sample>& samples) {
    return !samples.empty() && samples.back().t < times[times.size() - 2];
  };
  std::optional<TimeMs> changed;
  std::size_t common = buckets->size();
  for (const auto& [bound, samples] : *buckets) {
    if (!came(samples) && !went(samples)) continue;
    const TimeMs at = came(samples)
                          ? samples.front().t
                          : *std::upper_bound(times.begin(), times.end(), samples.back().t);
    changed = std::min(at, changed.value_or(at));
    --common;
  }
  if (!changed || common == 0) return std::nullopt;
  std::erase_if(*buckets, [&](const auto& one) { return came(one.second) || went(one.second); });
  return changed;
}

HistogramSeries Assemble(const Labels& labels, Parts parts, std::string_view family,
                         std::vector<Message>* warnings) {
  HistogramSeries out;
  out.labels = labels;
  out.family = family;
  const std::string name = std::string(family) + labels.ToString();
  std::vector<TimeMs> times;  // at which some bucket has a sample
  for (const auto& [bound, samples] : parts.buckets) MergeTimes(samples, &times);
  if (const auto changed = KeepCommonBounds(times, &parts.buckets)) {
    warnings->push_back(
        Message("samples.bounds_changed", {{"series", name},
                                           {"at", arg::Time(*changed)},
                                           {"count", arg::Count(parts.buckets.size())}}));
  }
  std::vector<Cursor> cursors;
  for (const auto& [bound, samples] : parts.buckets) {
    out.bounds.push_back(bound);
    cursors.emplace_back(samples);
  }
  Cursor sums(parts.sums), counts(parts.counts);
  out.times.reserve(times.size());
  out.sums.reserve(times.size());
  out.counts.reserve(times.size());
  out.cumulative.reserve(times.size() * out.bounds.size());
  std::size_t torn = 0;
  for (const TimeMs t : times) {
    const std::size_t before = out.cumulative.size();
    for (Cursor& cursor : cursors) {
      const double v = cursor.At(t);
      if (!std::isnan(v)) out.cumulative.push_back(v);
    }
    if (out.cumulative.size() - before < cursors.size()) {
      out.cumulative.resize(before);
      ++torn;
      continue;
    }
    out.times.push_back(t);
    out.sums.push_back(sums.At(t));
    out.counts.push_back(counts.At(t));
  }
  if (torn > 0) {
    warnings->push_back(
        Message("samples.incomplete", {{"series", name}, {"count", arg::Count(torn)}}));
  }
  return out;
}

}  // namespace

bool WholeRow(std::span<const double> cumulative) {
  double upto = 0;
  for (const double count : cumulative) {
    if (!(count >= upto && count < kMostCounted)) return false;
    upto = count;
  }
  return true;
}

GroupedHistograms GroupHistograms(std::span<const Series> series, std::string_view family) {
  GroupedHistograms out;
  std::map<Labels, Parts> groups;
  const std::string bucket = fmt::format("{}_bucket", family);
  const std::string sum = fmt::format("{}_sum", family);
  const std::string count = fmt::format("{}_count", family);
  for (const Series& s : series) {
    const std::string_view name = s.labels.Get(kMetricName);
    if (name == bucket) {
      const std::string_view le = s.labels.Get("le");
      const auto bound = ParseNumber(le);
      if (!bound || std::isnan(*bound)) {
        out.warnings.push_back(Message("samples.no_bound", {{"series", s.labels.ToString()}}));
        continue;
      }
      const Labels child = s.labels.Without({std::string(kMetricName), "le"});
      Parts& parts = groups[child];
      const auto [text, fresh] = parts.texts.emplace(*bound, le);
      if (!fresh && text->second != le) {
        out.warnings.push_back(
            Message("samples.same_bound", {{"series", std::string(family) + child.ToString()},
                                           {"one", text->second},
                                           {"other", le}}));
      }
      AddSamples(s.samples, Added, &parts.buckets[*bound]);
    } else if (name == sum || name == count) {
      Parts& parts = groups[s.labels.Without(kMetricName)];
      AddSamples(s.samples, Latest, name == sum ? &parts.sums : &parts.counts);
    }
  }
  for (auto& [labels, parts] : groups) {
    if (!parts.buckets.empty()) {
      out.children.push_back(Assemble(labels, std::move(parts), family, &out.warnings));
    }
  }
  return out;
}

}  // namespace schedlens
