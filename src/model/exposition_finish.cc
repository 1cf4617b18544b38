// What a text means as a whole: the unit of its times, their order.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/exposition_reader.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool SameValue(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || a == b;
}

void OrderNatives(std::vector<NativeSample>* samples) {
  std::stable_sort(samples->begin(), samples->end(),
                   [](const NativeSample& a, const NativeSample& b) { return a.t < b.t; });
  const auto same = [](const NativeSample& a, const NativeSample& b) { return a.t == b.t; };
  samples->erase(std::unique(samples->begin(), samples->end(), same), samples->end());
}

}  // namespace

void ExpositionReader::PassOverAllBut(MetricFilter wanted) {
  FlushSamples();
  wanted_ = std::move(wanted);
  const auto passed_over = [this](Series& series) {
    if (IsWanted(series.labels.Get(kMetricName))) return false;
    for (const Sample& sample : series.samples) {
      sample.t == kNoTime ? passed_.AddWithoutTime() : passed_.Add(sample.t);
    }
    series.samples = {};
    return series.histograms.empty();
  };
  std::erase_if(series_, passed_over);
  ForgetPlaces();
  last_ = 0;
  passing_ = false;
  key_ = {};
}

/// What was noted so far names series by their old places.
void ExpositionReader::ForgetPlaces() {
  returned_ = {};
  by_labels_ = {};
  has_by_labels_ = false;
}

bool ExpositionReader::TimesAreSeconds() const {
  return first_late_ == kNoLine || (can_be_seconds_ && (ended_ || is_openmetrics_));
}

void ExpositionReader::SetTimes(bool seconds) {
  for (Series& series : series_) {
    for (Sample& sample : series.samples) {
      if (sample.t == kNoTime) {
        sample.t = default_time_.value_or(0);
      } else if (!seconds) {
        sample.t /= 1000;
      }
    }
  }
}

/// One broken clock must not make the recording as long as thousands of years.
void ExpositionReader::DropLateSamples(bool seconds, std::size_t first_line) {
  std::size_t dropped = passed_.Late(seconds);
  const bool all_passed_over = dropped == passed_.samples();
  for (Series& series : series_) {
    dropped += std::erase_if(series.samples, [](const Sample& sample) {
      return sample.t > kLatestTime || sample.t < -kLatestTime;
    });
  }
  std::erase_if(series_, [](const Series& series) {
    return series.samples.empty() && series.histograms.empty();
  });
  if (series_.empty() && all_passed_over) {
    throw Error(
        ErrorKind::kFailed,
        fmt::format("reading {}: every time in it (first in line {}) is beyond the year 5138 in "
                    "milliseconds too: give Unix seconds or milliseconds",
                    name_, first_line));
  }
  result_.warnings.push_back(
      Message("file.late",
              {{"file", name_}, {"count", arg::Count(dropped)}, {"line", arg::Count(first_line)}}));
}

void ExpositionReader::OrderSamples() {
  std::size_t backwards = 0;
  std::size_t conflicts = 0;
  const Labels* first_backwards = nullptr;
  const Labels* first_conflict = nullptr;
  for (Series& series : series_) {
    OrderNatives(&series.histograms);
    std::vector<Sample>& samples = series.samples;
    const auto not_after = [](const Sample& a, const Sample& b) { return a.t >= b.t; };
    if (std::adjacent_find(samples.begin(), samples.end(), not_after) == samples.end()) continue;

    const std::size_t before = backwards;
    for (std::size_t i = 1; i < samples.size(); ++i) backwards += samples[i].t < samples[i - 1].t;
    if (backwards > before) {
      if (first_backwards == nullptr) first_backwards = &series.labels;
      std::stable_sort(samples.begin(), samples.end(),
                       [](const Sample& a, const Sample& b) { return a.t < b.t; });
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i > 0 && samples[i].t == samples[kept - 1].t) {
        if (SameValue(samples[i].v, samples[kept - 1].v)) continue;
        if (first_conflict == nullptr) first_conflict = &series.labels;
        ++conflicts;
        continue;
      }
      samples[kept++] = samples[i];
    }
    samples.resize(kept);
  }
  if (first_backwards != nullptr) {
    result_.warnings.push_back(
        Message("file.backwards", {{"file", name_},
                                   {"count", arg::Count(backwards)},
                                   {"series", first_backwards->ToString()}}));
  }
  if (first_conflict != nullptr) {
    result_.warnings.push_back(Message("file.conflicts", {{"file", name_},
                                                          {"count", arg::Count(conflicts)},
                                                          {"series", first_conflict->ToString()}}));
  }
}

LongExposition ExpositionReader::Finish() {
  if (line_number_ == 0) {
    throw Error(ErrorKind::kFailed, fmt::format("reading {}: the file is empty", name_));
  }
  FlushSamples();
  const bool seconds = TimesAreSeconds();
  if (!ended_ && is_openmetrics_) {
    result_.warnings.push_back(Message("file.no_end", {{"file", name_}}));
  }
  if (!seconds && (ended_ || is_openmetrics_)) {
    result_.warnings.push_back(Message("file.milliseconds", {{"file", name_}}));
  }
  if (!seconds || has_untimed_) SetTimes(seconds);
  const std::size_t first = seconds ? std::min(first_late_, first_later_) : first_later_;
  if (first != kNoLine) DropLateSamples(seconds, first);
  // What was in order may not be so any more: times cut to milliseconds, or filled in.
  if (!in_order_ || !seconds || has_untimed_) OrderSamples();
  result_.passed_over.samples = passed_.samples();
  result_.passed_over.extent = passed_.Extent(seconds, default_time_.value_or(0));
  ForgetPlaces();
  return {std::move(series_), std::move(result_)};
}

}  // namespace schedlens
