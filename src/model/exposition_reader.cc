// Lines into series.

#include "model/exposition_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "model/exposition_header.h"
#include "model/exposition_scan.h"
#include "model/native_text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// Stands for "no timestamp" until the end of the file.
constexpr TimeMs kNoTime = INT64_MIN;

/// Unix time in seconds reaches 1e11 in the year 5138; in milliseconds it passed 1e11 in 1973.
constexpr std::int64_t kLargestSeconds = 100'000'000'000;
/// The end of the year 9999 in milliseconds.
constexpr std::int64_t kLatest = 253'402'300'799'999;

bool SameValue(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || a == b;
}

bool StartsWithKey(std::string_view text, std::string_view key) {
  return text.size() > key.size() && text[key.size()] == ' ' &&
         std::memcmp(text.data(), key.data(), key.size()) == 0;
}

/// The counter `x_total` belongs to the family `x` in OpenMetrics, to itself in Prometheus text.
std::string FamilyName(const Metadata& metadata) {
  constexpr std::string_view kTotal = "_total";
  std::string family = metadata.family;
  if (metadata.text == "counter" && family.size() > kTotal.size() && family.ends_with(kTotal)) {
    family.resize(family.size() - kTotal.size());
  }
  return family;
}

void OrderNatives(std::vector<NativeSample>* samples) {
  std::stable_sort(samples->begin(), samples->end(),
                   [](const NativeSample& a, const NativeSample& b) { return a.t < b.t; });
  const auto same = [](const NativeSample& a, const NativeSample& b) { return a.t == b.t; };
  samples->erase(std::unique(samples->begin(), samples->end(), same), samples->end());
}

}  // namespace

void ExpositionReader::AddLine(std::string_view text, bool complete) {
  ++line_number_;
  while (text.ends_with('\r')) text.remove_suffix(1);
  const TextLine line{text, line_number_, name_};
  std::size_t start = 0;
  while (start < text.size() && (text[start] == ' ' || text[start] == '\t')) ++start;
  if (start == text.size()) return;
  if (ended_) FailAt(line, start, "nothing after the line `# EOF`");
  if (text[start] == '#') return AddHashLine(line, start);

  const std::uint32_t spelling = FindSpelling(line, start);
  const Rest rest = ParseRest(line, start + spellings_[spelling].text.size());
  if (!complete) FailAt(line, text.size(), "a line end (is the file cut off?)");
  is_openmetrics_ = is_openmetrics_ || rest.time_is_decimal || rest.has_exemplar;
  if (!rest.has_time && !default_time_) {
    FailAt(line, text.size(), "a timestamp (this file does not say when it was scraped)");
  }
  NoteTime(rest.time_thousandths);
  samples_.push_back({rest.has_time ? rest.time_thousandths : kNoTime, rest.value});
}

/// A time that no clock shows in any unit tells nothing about the unit.
void ExpositionReader::NoteTime(std::int64_t thousandths) {
  if (thousandths == kNoTime) return;
  const std::int64_t size = std::abs(thousandths);
  if (size > kLatest && first_late_ == 0) first_late_ = line_number_;
  if (size / 1000 > kLatest) {
    if (first_later_ == 0) first_later_ = line_number_;
  } else {
    largest_time_ = std::max(largest_time_, size);
  }
}

void ExpositionReader::AddHashLine(const TextLine& line, std::size_t position) {
  Metadata metadata = ParseHashLine(line, position);
  switch (metadata.kind) {
    case HashLine::kEof:
      ended_ = true;
      break;
    case HashLine::kType:
      // Repeated in files that hold one scrape after the other; the first one stays.
      result_.types.emplace(FamilyName(metadata), metadata.text);
      break;
    case HashLine::kUnit:
      is_openmetrics_ = true;
      break;
    case HashLine::kHelp:
      if (metadata.family == kNativeFamily) AddNative(metadata.text);
      if (metadata.family != kCommentFamily) break;
      for (std::string& comment : CommentsOf(metadata.text)) KeepComment(std::move(comment));
      break;
    case HashLine::kComment:
      KeepComment(std::move(metadata.text));
      break;
  }
}

void ExpositionReader::KeepComment(std::string comment) {
  comment_bytes_ += comment.size() + sizeof comment;
  if (comment_bytes_ <= kMostComments) result_.comments.push_back(std::move(comment));
}

/// `SERIES MILLISECONDS HISTOGRAM`, escaped as help texts are.
void ExpositionReader::AddNative(std::string_view help) {
  const std::string text = CommentsOf(help).front();
  const TextLine line{text, line_number_, name_};
  const std::size_t key = FindKeyEnd(text, 0);
  Labels labels = ParseKey(line, 0, key);
  const std::size_t start = SkipBlanks(text, key);
  const std::size_t end = TokenEnd(text, start);
  TimeMs t = 0;
  const auto [stop, error] = std::from_chars(text.data() + start, text.data() + end, t);
  if (error != std::errc() || stop != text.data() + end) {
    FailAt(line, start, "a time in milliseconds");
  }
  const std::size_t histogram = SkipBlanks(text, end);
  auto native = ParseNativeText(std::string_view(text).substr(histogram));
  if (!native) FailAt(line, histogram, "a native histogram");
  result_.series[SeriesOf(std::move(labels))].histograms.push_back({t, *std::move(native)});
}

std::uint32_t ExpositionReader::FindSpelling(const TextLine& line, std::size_t start) {
  const std::string_view rest = line.text.substr(start);
  if (!spellings_.empty()) {
    const Spelling& last = spellings_[last_];
    if (StartsWithKey(rest, last.text)) return last_;
    FlushSamples();
    if (StartsWithKey(rest, spellings_[last.next].text)) return last_ = last.next;
  }
  const std::size_t end = FindKeyEnd(line.text, start);
  const std::string_view text = line.text.substr(start, end - start);
  const std::size_t hash = std::hash<std::string_view>()(text);
  std::uint32_t found =
      by_text_.Find(hash, [&](std::uint32_t i) { return spellings_[i].text == text; });
  if (found == HashIndex::kNone) {
    found = AddSpelling(line, start, end);
    by_text_.Add(hash, found);
  }
  spellings_[last_].next = found;
  return last_ = found;
}

std::uint32_t ExpositionReader::AddSpelling(const TextLine& line, std::size_t start,
                                            std::size_t end) {
  const std::uint32_t series = SeriesOf(ParseKey(line, start, end));
  const auto index = static_cast<std::uint32_t>(spellings_.size());
  spellings_.push_back({std::string(line.text.substr(start, end - start)), series, 0});
  return index;
}

std::uint32_t ExpositionReader::SeriesOf(Labels labels) {
  const std::size_t hash = labels.Hash();
  const std::uint32_t known =
      by_labels_.Find(hash, [&](std::uint32_t i) { return result_.series[i].labels == labels; });
  if (known != HashIndex::kNone) return known;
  const auto index = static_cast<std::uint32_t>(result_.series.size());
  by_labels_.Add(hash, index);
  result_.series.push_back({std::move(labels), {}, {}});
  return index;
}

void ExpositionReader::FlushSamples() {
  std::vector<Sample>& all = result_.series[spellings_[last_].series].samples;
  all.insert(all.end(), samples_.begin(), samples_.end());
  samples_.clear();
}

bool ExpositionReader::TimesAreSeconds() const {
  return ended_ || is_openmetrics_ || largest_time_ / 1000 < kLargestSeconds;
}

void ExpositionReader::SetTimes(bool seconds) {
  for (Series& series : result_.series) {
    for (Sample& sample : series.samples) {
      if (sample.t == kNoTime) {
        sample.t = default_time_.value_or(0);
      } else if (!seconds) {
        sample.t /= 1000;
      }
    }
  }
}

/// One broken clock must not make the recording as long as ten thousand years.
bool ExpositionReader::DropLateSamples(std::size_t first_line) {
  const auto late = [](const Sample& sample) { return std::abs(sample.t) > kLatest; };
  const auto all_late = [&](const Series& series) {
    return std::all_of(series.samples.begin(), series.samples.end(), late);
  };
  if (std::all_of(result_.series.begin(), result_.series.end(), all_late)) {
    return false;
  }
  std::size_t dropped = 0;
  for (Series& series : result_.series) dropped += std::erase_if(series.samples, late);
  std::erase_if(result_.series, [](const Series& series) {
    return series.samples.empty() && series.histograms.empty();
  });
  result_.warnings.push_back(
      Message("file.late",
              {{"file", name_}, {"count", arg::Count(dropped)}, {"line", arg::Count(first_line)}}));
  return true;
}

void ExpositionReader::OrderSamples() {
  std::size_t backwards = 0;
  std::size_t conflicts = 0;
  const Labels* first_backwards = nullptr;
  const Labels* first_conflict = nullptr;
  for (Series& series : result_.series) {
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

Exposition ExpositionReader::Finish() {
  if (line_number_ == 0) {
    throw Error(ErrorKind::kFailed, fmt::format("reading {}: the file is empty", name_));
  }
  if (!spellings_.empty()) FlushSamples();
  const bool seconds = TimesAreSeconds();
  if (!ended_ && is_openmetrics_) {
    result_.warnings.push_back(Message("file.no_end", {{"file", name_}}));
  }
  SetTimes(seconds);
  const std::size_t late_line = seconds ? first_late_ : first_later_;
  const bool dropped = late_line > 0 && DropLateSamples(late_line);
  if (!dropped && seconds && largest_time_ / 1000 >= kLargestSeconds) {
    result_.warnings.push_back(Message("file.milliseconds", {{"file", name_}}));
  }
  OrderSamples();
  return std::move(result_);
}

}  // namespace schedlens
