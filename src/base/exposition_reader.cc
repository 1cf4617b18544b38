// Lines into series; and what a text means as a whole: the unit of its times, their order.

#include "base/exposition_reader.h"

#include <bit>
#include <cstring>

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

bool SameValue(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || a == b;
}

/// The comments in the help text of kCommentFamily: `\n` separates them, `\\` is a backslash.
std::vector<std::string> CommentsOf(std::string_view help) {
  std::vector<std::string> comments;
  std::string comment;
  for (std::size_t i = 0; i < help.size(); ++i) {
    if (help[i] != '\\' || i + 1 == help.size()) {
      comment.push_back(help[i]);
    } else if (help[++i] == 'n') {
      comments.push_back(std::move(comment));
      comment.clear();
    } else {
      if (help[i] != '\\') comment.push_back('\\');
      comment.push_back(help[i]);
    }
  }
  comments.push_back(std::move(comment));
  return comments;
}

}  // namespace

std::optional<TimeRange> PassedOverTimes::Extent(bool seconds, TimeMs default_time) const {
  Span all = usual_;
  if (!seconds) {
    all.first = std::min(all.first, late_.first) / 1000;
    all.last = std::max(all.last, late_.last) / 1000;
    all.samples += late_.samples;
  }
  if (without_time_ > 0) all.Add(default_time);
  if (all.samples == 0) return std::nullopt;
  return TimeRange{all.first, all.last};
}

std::size_t ExpositionReader::AddLines(std::string_view text, bool last) {
  std::size_t taken = 0;
  for (std::size_t end = 0; (end = text.find('\n', taken)) != text.npos; taken = end + 1) {
    AddLine(text.substr(taken, end - taken), true);
  }
  if (last && taken < text.size()) AddLine(text.substr(taken), false);
  key_ = {};
  return taken;
}

void ExpositionReader::AddLine(std::string_view text, bool complete) {
  ++line_number_;
  while (text.ends_with('\r')) text.remove_suffix(1);
  const TextLine line{text, line_number_, name_};
  const std::size_t start = SkipBlanks(text, 0);
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
  if (metadata.kind == HashLine::kEof) ended_ = true;
  if (metadata.kind == HashLine::kUnit) is_openmetrics_ = true;
  // Repeated in files that hold one scrape after the other; the first one stays.
  if (metadata.kind == HashLine::kType) result_.types.emplace(FamilyName(metadata), metadata.text);
  if (metadata.kind == HashLine::kComment) KeepComment(std::move(metadata.text));
  if (metadata.kind != HashLine::kHelp) return;
  if (metadata.family == kNativeFamily) AddNative(metadata.text);
  if (metadata.family != kCommentFamily) return;
  for (std::string& comment : CommentsOf(metadata.text)) KeepComment(std::move(comment));
}

void ExpositionReader::KeepComment(std::string comment) {
  comment_bytes_ += comment.size() + sizeof comment;
  if (comment_bytes_ <= kMostComments) result_.comments.push_back(std::move(comment));
}

/// `SERIES MILLISECONDS HISTOGRAM`, escaped as help texts are.
void ExpositionReader::AddNative(std::string_view help) {
  const std::string text = CommentsOf(help).front();
  const TextLine line{text, line_number_, name_};
  std::size_t start = 0;
  Labels labels = ParseKey(line, &start);
  start = SkipBlanks(text, start);
  const std::size_t end = TokenEnd(text, start);
  const auto t = WholeNumber<TimeMs>(line.text.substr(start, end - start));
  if (!t) FailAt(line, start, "a time in milliseconds");
  const std::size_t histogram = SkipBlanks(text, end);
  auto native = ParseNativeText(std::string_view(text).substr(histogram));
  if (!native) FailAt(line, histogram, "a native histogram");
  in_order_ = false;
  series_[SeriesOf(std::move(labels))].histograms.push_back({*t, *std::move(native)});
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
  std::size_t end = start;
  Labels labels = ParseKey(line, &end);
  const std::string_view key = line.text.substr(start, end - start);
  if (IsWanted(labels.Get(kMetricName))) {
    SetLast(std::move(labels), key);
  } else {
    passing_ = true;
    key_ = key;
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

std::uint32_t ExpositionReader::SeriesOf(Labels labels) {
  std::deque<Series>& all = series_;
  const auto fresh = static_cast<std::uint32_t>(all.size());
  if (!has_by_labels_ && fresh > 0) {
    const auto order = labels <=> all.back().labels;
    if (order == 0) return fresh - 1;
    has_by_labels_ = order < 0;
    for (std::uint32_t i = 0; has_by_labels_ && i < fresh; ++i) {
      by_labels_.Add(all[i].labels.Hash(), i);
    }
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
    Raise(ErrorKind::kFailed,
          "reading {}: every time in it (first in line {}) is beyond the year 5138 in milliseconds "
          "too: give Unix seconds or milliseconds",
          name_, first_line);
  }
  result_.warnings.push_back(
      Message("file.late",
              {{"file", name_}, {"count", arg::Count(dropped)}, {"line", arg::Count(first_line)}}));
}

void ExpositionReader::OrderSamples() {
  std::size_t backwards = 0, conflicts = 0;
  const Labels* first_backwards = nullptr;
  const Labels* first_conflict = nullptr;
  for (Series& series : series_) {
    OrderByTime(&series.histograms);
    std::vector<Sample>& samples = series.samples;
    const auto not_after = [](const Sample& a, const Sample& b) { return a.t >= b.t; };
    if (std::ranges::adjacent_find(samples, not_after) == samples.end()) continue;

    const std::size_t before = backwards;
    for (std::size_t i = 1; i < samples.size(); ++i) backwards += samples[i].t < samples[i - 1].t;
    if (backwards > before) {
      if (first_backwards == nullptr) first_backwards = &series.labels;
      std::ranges::stable_sort(samples, {}, &Sample::t);
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
  if (line_number_ == 0) Raise(ErrorKind::kFailed, "reading {}: the file is empty", name_);
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
