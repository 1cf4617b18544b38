#include <algorithm>
#include <array>
#include <iterator>

#include "base/file.h"
#include "base/text.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

/// What tells the format apart is in the first few bytes; a block is read at once.
constexpr std::size_t kBlock = std::size_t{256} << 10;

/// The first key of a JSON object; empty for what is none. OpenMetrics too has braces with a quoted
/// name behind them, but no colon.
std::string_view FirstKey(std::string_view text) {
  if (!text.starts_with('{')) return {};
  text = Trimmed(text.substr(1));
  if (!text.starts_with('"')) return {};
  const std::size_t end = text.find('"', 1);
  if (end == std::string_view::npos || !Trimmed(text.substr(end + 1)).starts_with(':')) {
    return {};
  }
  return text.substr(1, end - 1);
}

/// Of an answer of the query API, or of its data alone; other JSON is none, and told so by the
/// exposition's reader.
bool IsAnswersKey(std::string_view key) {
  constexpr std::array<std::string_view, 9> kKeys = {"status", "data",       "isPartial",
                                                     "infos",  "warnings",   "error",
                                                     "result", "resultType", "errorType"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

/// The reader of a text; null for the exposition formats.
std::unique_ptr<CaptureReader> ReaderOf(std::string_view head, const std::string& name) {
  const std::string_view text = Trimmed(head);
  if (text.starts_with('[')) return NewAnswerFileReader(name);
  const std::string_view key = FirstKey(text);
  if (key == "metric") return NewExportReader(name);
  if (IsAnswersKey(key)) return NewAnswerFileReader(name);
  // Exposition formats may have a name in braces, but not called __name__.
  if (text.starts_with("{__name__=\"")) return NewTsdbDumpReader(name);
  return nullptr;
}

/// The text formats leave late samples out, or throw; of the others each is a wrong unit. `samples`
/// are in order.
template <typename T>
void CheckTimes(const std::vector<T>& samples, const Series& series, const std::string& name) {
  if (samples.empty() || (samples.back().t <= kLatestTime && samples.front().t >= -kLatestTime)) {
    return;
  }
  Raise(ErrorKind::kFailed,
        "reading {}: {} has times beyond the year 5138: this format has Unix seconds in answers of "
        "the query API, and milliseconds elsewhere",
        name, series.labels.ToString());
}

LongExposition ReadAll(std::unique_ptr<ByteSource> source, const std::string& name,
                       TimeMs default_time, const MetricFilter& wanted, std::size_t whole_bytes) {
  std::string ahead = ReadAhead(*source, kBlock);
  const std::unique_ptr<CaptureReader> reader = ReaderOf(ahead, name);
  source = NewResumedSource(std::move(ahead), std::move(source));
  if (reader == nullptr) {
    return ReadLongExposition(*source, name, default_time, wanted, whole_bytes);
  }
  std::vector<char> block(kBlock);
  while (const std::size_t n = source->Read(block.data(), block.size())) {
    reader->Feed({block.data(), n});
  }
  Exposition read = reader->Finish();
  for (const Series& one : read.series) {
    CheckTimes(one.samples, one, name);
    CheckTimes(one.histograms, one, name);
  }
  std::deque<Series> series(std::move_iterator(read.series.begin()),
                            std::move_iterator(read.series.end()));
  read.series = {};
  return {std::move(series), std::move(read)};
}

}  // namespace

LongExposition ReadCapture(const std::string& path, TimeMs default_time, const MetricFilter& wanted,
                           std::size_t whole_bytes) {
  const std::string name = path == "-" ? "standard input" : path;
  return ReadAll(OpenByteSource(path, name), name, default_time, wanted, whole_bytes);
}

Exposition ParseCapture(std::string_view bytes, const std::string& name, TimeMs default_time) {
  std::unique_ptr<ByteSource> source = NewResumedSource(std::string(bytes), nullptr);
  return Whole(ReadAll(std::move(source), name, default_time, {}, 0));
}

bool IsJsonCapture(std::string_view head) {
  const std::string_view text = Trimmed(head), key = FirstKey(text);
  // A saved diagnosis has warnings too.
  return text.starts_with('[') || key == "metric" || (key != "warnings" && IsAnswersKey(key));
}

Series& SeriesCollector::Of(const Labels& labels) {
  const std::size_t hash = labels.Hash();
  std::uint32_t found =
      by_labels_.Find(hash, [&](std::uint32_t i) { return series_[i].labels == labels; });
  if (found == HashIndex::kNone) {
    found = static_cast<std::uint32_t>(series_.size());
    by_labels_.Add(hash, found);
    series_.push_back({labels, {}, {}});
  }
  return series_[found];
}

void SeriesCollector::Add(Series series) {
  Series& held = Of(series.labels);
  held.samples.insert(held.samples.end(), series.samples.begin(), series.samples.end());
  std::ranges::move(series.histograms, std::back_inserter(held.histograms));
}

std::vector<Series> SeriesCollector::Take() {
  for (Series& series : series_) {
    OrderByTime(&series.samples);
    OrderByTime(&series.histograms);
  }
  std::erase_if(series_, [](const Series& series) {
    return series.samples.empty() && series.histograms.empty();
  });
  by_labels_ = {};
  return std::exchange(series_, {});
}

}  // namespace schedlens
