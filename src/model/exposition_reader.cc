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

}  // namespace

void ExpositionReader::AddLines(std::string_view lines) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  while (at < end) {
    const auto left = static_cast<std::size_t>(end - at);
    const void* stop = std::memchr(at, '\n', left);
    const auto size =
        stop == nullptr ? left : static_cast<std::size_t>(static_cast<const char*>(stop) - at);
    AddAnyLine({at, size}, true);
    at = std::min(at + size + 1, end);
  }
  key_ = {};
}

void ExpositionReader::AddLine(std::string_view text, bool complete) {
  AddAnyLine(text, complete);
  key_ = {};
}

void ExpositionReader::AddAnyLine(std::string_view text, bool complete) {
  ++line_number_;
  while (text.ends_with('\r')) text.remove_suffix(1);
  const TextLine line{text, line_number_, name_};
  std::size_t start = 0;
  while (start < text.size() && (text[start] == ' ' || text[start] == '\t')) ++start;
  if (start == text.size()) return;
  if (ended_) FailAt(line, start, "nothing after the line `# EOF`");
  if (text[start] == '#') return AddHashLine(line, start);

  const Rest rest = ParseRest(line, FindKey(line, start));
  if (!complete) FailAt(line, text.size(), "a line end (is the file cut off?)");
  if (!rest.has_time && !default_time_) {
    FailAt(line, text.size(), "a timestamp (this file does not say when it was scraped)");
  }
  AddSample(rest);
}

void ExpositionReader::AddSample(const Rest& rest) {
  is_openmetrics_ = is_openmetrics_ || rest.time_is_decimal || rest.has_exemplar;
  NoteTime(rest.time_thousandths);
  if (passing_) {
    rest.has_time ? passed_.Add(rest.time_thousandths) : passed_.AddWithoutTime();
    return;
  }
  const TimeMs time = rest.has_time ? rest.time_thousandths : kNoTime;
  has_untimed_ = has_untimed_ || !rest.has_time;
  in_order_ = in_order_ && (samples_.empty() || samples_.back().t < time);
  samples_.push_back({time, rest.value});
}

/// A time that no clock shows in any unit tells nothing about the unit, nor does zero.
void ExpositionReader::NoteTime(std::int64_t thousandths) {
  const std::int64_t size = std::abs(thousandths);
  if (size <= kLatestTime) {
    can_be_seconds_ = can_be_seconds_ || size > 0;
  } else {
    std::size_t& first = size / 1000 <= kLatestTime ? first_late_ : first_later_;
    first = std::min(first, line_number_);
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
  in_order_ = false;
  series_[SeriesOf(std::move(labels))].histograms.push_back({t, *std::move(native)});
}

/// Where the key at the start of the text ends, if it is the last line's, or came after it the last
/// time; otherwise 0.
std::size_t ExpositionReader::FindExpected(std::string_view text) {
  if (!key_.empty() && StartsWithKey(text, key_)) return key_.size();
  if (last_ >= returned_.size()) return 0;
  const std::uint32_t next = returned_[last_].next;
  const std::string_view expected = returned_[next].text;
  if (expected.empty() || !StartsWithKey(text, expected)) return 0;
  SetLast(next, expected);
  return expected.size();
}

std::size_t ExpositionReader::FindKey(const TextLine& line, std::size_t start) {
  const std::size_t expected = FindExpected(line.text.substr(start));
  if (expected > 0) return start + expected;
  const std::size_t end = FindKeyEnd(line.text, start);
  const std::string_view key = line.text.substr(start, end - start);
  Labels labels = ParseKey(line, start, end);
  if (IsWanted(labels.Get(kMetricName))) {
    SetLast(std::move(labels), key);
  } else {
    PassOver(key);
  }
  return end;
}

bool ExpositionReader::IsWanted(std::string_view metric) {
  if (!wanted_) return true;
  if (metric != metric_) {
    metric_ = metric;
    metric_wanted_ = wanted_(metric);
    if (!metric_wanted_) result_.passed_over.metrics.emplace(metric);
  }
  return metric_wanted_;
}

void ExpositionReader::PassOver(std::string_view key) {
  passing_ = true;
  key_ = key;
}

void ExpositionReader::SetLast(Labels labels, std::string_view key) {
  const std::size_t before = series_.size();
  const std::uint32_t series = SeriesOf(std::move(labels));
  if (series != before && series != last_) {
    returned_.resize(before);
    returned_[last_].next = series;
    if (returned_[series].text.empty()) returned_[series].text = key;
  }
  SetLast(series, key);
}

void ExpositionReader::SetLast(std::uint32_t series, std::string_view key) {
  FlushSamples();
  last_ = series;
  passing_ = false;
  key_ = key;
}

void ExpositionReader::IndexLabels() {
  for (std::uint32_t i = 0; i < series_.size(); ++i) {
    by_labels_.Add(series_[i].labels.Hash(), i);
  }
  has_by_labels_ = true;
}

std::uint32_t ExpositionReader::SeriesOf(Labels labels) {
  std::deque<Series>& all = series_;
  const auto fresh = static_cast<std::uint32_t>(all.size());
  if (!has_by_labels_ && fresh > 0) {
    const auto order = labels <=> all.back().labels;
    if (order == 0) return fresh - 1;
    if (order < 0) IndexLabels();
  }
  if (has_by_labels_) {
    const std::size_t hash = labels.Hash();
    const std::uint32_t known =
        by_labels_.Find(hash, [&](std::uint32_t i) { return all[i].labels == labels; });
    if (known != HashIndex::kNone) return known;
    by_labels_.Add(hash, fresh);
  }
  all.push_back({std::move(labels), {}, {}});
  return fresh;
}

void ExpositionReader::FlushSamples() {
  if (samples_.empty()) return;
  std::vector<Sample>& all = series_[last_].samples;
  in_order_ = in_order_ && (all.empty() || all.back().t < samples_.front().t);
  all.insert(all.end(), samples_.begin(), samples_.end());
  samples_.clear();
}

}  // namespace schedlens
