// A capture by what its text is: expositions, and what other programs write: saved answers of the
// query API, promtool's dump of a TSDB, and VictoriaMetrics' export,
// `{"metric":{"__name__":"x","a":"b"},"values":[1,2],"timestamps":[1,2]}`.

#include <algorithm>
#include <array>
#include <iterator>

#include "base/file.h"
#include "promql/parser.h"
#include "source/capture/capture_source.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

using promql::Token;
using promql::TokenKind;

/// JSON objects one after the other, with or without line ends, or in one list: cut apart while
/// they arrive.
class ObjectsReader : public CaptureReader {
 public:
  explicit ObjectsReader(std::string name) : name_(std::move(name)) {}

  void Feed(std::string_view piece) final {
    for (std::size_t at = 0; at < piece.size();) {
      if (depth_ > 0) {
        at = Inside(piece, at);
        continue;
      }
      const bool begins = piece[at] == '{';
      at = Between(piece, at);
      if (begins) at = Inside(piece, at);
    }
    before_ += piece.size();
  }

  Exposition Finish() final {
    if (depth_ > 0) Fail(before_, "the last object has no end (is the file cut off?)");
    if (list_ == List::kOpen) Fail(before_, "the list has no end (is the file cut off?)");
    out_.series = collector_.Take();
    return std::move(out_);
  }

 protected:
  virtual void Piece(std::string_view piece) = 0;  ///< of an object, in order
  virtual void End() = 0;                          ///< the object is whole

  SeriesCollector collector_;
  Exposition out_;

 private:
  [[noreturn]] void Fail(std::size_t offset, std::string_view what) const {
    Raise(ErrorKind::kFailed, "reading {}: byte {}: {}", name_, offset, what);
  }

  /// What it throws has the file and the object's place put in front.
  template <typename Call>
  void Take(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      std::string what = error.what();
      std::ranges::replace(what, '\n', ' ');  // of a text that the file holds
      Raise(error.kind(), "reading {}: object {}, from byte {} on: {}", name_, number_, start_,
            what);
    }
  }

  /// Outside of objects; returns where the text goes on.
  std::size_t Between(std::string_view piece, std::size_t at) {
    const char c = piece[at];
    if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) return at + 1;
    const bool fits = c == '{'   ? list_ != List::kClosed
                      : c == '[' ? list_ == List::kNone && number_ == 0
                      : c == ',' ? list_ == List::kOpen && number_ > 0
                                 : c == ']' && list_ == List::kOpen;
    if (!fits) Fail(before_ + at, "expected a JSON object");
    if (c == '{') {
      ++number_;
      start_ = before_ + at;
      return at;
    }
    if (c != ',') list_ = c == '[' ? List::kOpen : List::kClosed;
    return at + 1;
  }

  /// From the brace of an object on; returns where it ends, or the piece does.
  std::size_t Inside(std::string_view piece, std::size_t at) {
    std::size_t i = at;
    for (; i < piece.size(); ++i) {
      const char c = piece[i];
      if (escaped_) {
        escaped_ = false;
      } else if (quoted_ && c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        quoted_ = !quoted_;
      } else if (quoted_) {
        continue;
      } else if (c == '{') {
        ++depth_;
      } else if (c == '}' && --depth_ == 0) {
        Take([&] { Piece(piece.substr(at, i + 1 - at)); });
        Take([&] { End(); });
        return i + 1;
      }
    }
    Take([&] { Piece(piece.substr(at)); });
    return i;
  }

  std::string name_;
  std::size_t before_ = 0;  ///< bytes before the piece at hand
  std::size_t number_ = 0;  ///< of the object, from 1
  std::size_t start_ = 0;   ///< where the object begins
  std::size_t depth_ = 0;   ///< open braces
  bool quoted_ = false, escaped_ = false;
  enum class List { kNone, kOpen, kClosed } list_ = List::kNone;
};

/// As much of an object as tells whether it is a whole answer or its `data` alone.
constexpr std::size_t kFirstKey = 64;

bool IsData(std::string_view head) {
  const std::size_t quote = head.find('"');
  return quote != std::string_view::npos && (head.substr(quote).starts_with("\"resultType\"") ||
                                             head.substr(quote).starts_with("\"result\""));
}

/// Answers of `/api/v1/query` and `/api/v1/query_range` as they came, or only their `data`: one, or
/// several one after the other or in a list. Scalars and strings are refused: they are no series.
class AnswerFileReader : public ObjectsReader {
 public:
  using ObjectsReader::ObjectsReader;

 private:
  void Piece(std::string_view piece) override {
    if (begun_) return answer_.Feed(piece);
    head_.append(piece);
    if (head_.size() >= kFirstKey) Begin();
  }

  void Begin() {
    begun_ = true;
    is_data_ = IsData(head_);
    if (is_data_) answer_.Feed("{\"status\":\"success\",\"data\":");
    answer_.Feed(head_);
    head_.clear();
  }

  void End() override {
    if (!begun_) Begin();
    if (is_data_) answer_.Feed("}");
    begun_ = false;
    ApiAnswer read = answer_.Finish();
    if (!read.success) {
      Raise(ErrorKind::kFailed, "an error of the server, no samples: {}: {}", read.error_type,
            read.error);
    }
    Answer& answer = read.answer;
    if (answer.kind != ValueKind::kVector && answer.kind != ValueKind::kMatrix) {
      throw Error(ErrorKind::kFailed,
                  "a scalar or a string, no series; save the answer to a range of series, such as "
                  "{job=\"kube-scheduler\"}[1h]");
    }
    AddNotes(answer, &out_.warnings);
    for (Series& series : answer.series) collector_.Add(std::move(series));
  }

  ApiAnswerReader answer_;
  bool begun_ = false, is_data_ = false;
  std::string head_;
};

[[noreturn]] void Refuse(const std::string& what) {
  Raise(ErrorKind::kFailed, "not an export of VictoriaMetrics: {}", what);
}

class ExportLine : public JsonEvents {
 public:
  void Open(bool object) override {
    ++depth_;
    if (depth_ == 1 || at_ == At::kSkip) return;
    if (depth_ > 2 || object != (at_ == At::kMetric)) Refuse("an unexpected list or object");
  }
  void Close() override { --depth_; }

  void Key(std::string_view name) override {
    if (depth_ == 2 && at_ == At::kMetric) label_ = name;
    if (depth_ != 1) return;
    at_ = name == "metric"       ? At::kMetric
          : name == "values"     ? At::kValues
          : name == "timestamps" ? At::kTimes
                                 : At::kSkip;
  }

  void String(std::string_view value) override {
    if (at_ == At::kMetric && depth_ == 2) {
      labels_.emplace_back(label_, value);
    } else {
      Value(value);
    }
  }
  void Number(std::string_view text) override { Value(text); }
  void Word(std::string_view word) override {
    if (at_ == At::kSkip) return;
    if (at_ != At::kValues || word != "null") Refuse(fmt::format("an unexpected {}", word));
    values_.push_back(StaleMarker());
  }

  /// The series; this is empty afterwards.
  Series Take() {
    if (labels_.empty()) Refuse("an object without metric");
    if (values_.size() != times_.size()) {
      Refuse(fmt::format("{} values and {} timestamps", values_.size(), times_.size()));
    }
    Series series{Labels(labels_), {}, {}};
    for (std::size_t i = 0; i < times_.size(); ++i) {
      series.samples.push_back({times_[i], values_[i]});
    }
    labels_.clear();
    values_.clear();
    times_.clear();
    at_ = At::kSkip;
    return series;
  }

 private:
  enum class At { kMetric, kValues, kTimes, kSkip };

  void Value(std::string_view text) {
    if (at_ == At::kSkip) return;
    if (depth_ != 2 || at_ == At::kMetric) Refuse("an unexpected value");
    if (at_ == At::kTimes) return Time(text);
    const auto number = ParseNumber(text);
    if (!number) Refuse(fmt::format("the value \"{}\"", text.substr(0, 40)));
    values_.push_back(*number);
  }

  void Time(std::string_view text) {
    const auto time = WholeNumber<TimeMs>(text);
    if (!time) Refuse(fmt::format("the timestamp \"{}\"", text.substr(0, 40)));
    times_.push_back(*time);
  }

  At at_ = At::kSkip;
  int depth_ = 0;
  std::string label_;
  std::vector<Labels::Pair> labels_;
  std::vector<double> values_;
  std::vector<TimeMs> times_;
};

class ExportReader : public ObjectsReader {
 public:
  using ObjectsReader::ObjectsReader;

 private:
  void Piece(std::string_view piece) override { stream_.Feed(piece); }
  void End() override {
    stream_.Finish();
    stream_.Reset();
    collector_.Add(line_.Take());
  }

  ExportLine line_;
  JsonStream stream_{line_};
};

/// Longer lines are no dump; the limit keeps binary junk from filling the memory.
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Where the label set that `line` begins with ends: behind its brace, npos without one.
std::size_t LabelsEnd(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[i] == '}') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// What `promtool tsdb dump` prints: `{__name__="x", a="b"} VALUE MILLISECONDS` a line. The dump
/// shows stale markers as NaN, so every NaN is taken for one.
class TsdbDumpReader : public CaptureReader {
 public:
  explicit TsdbDumpReader(std::string name) : name_(std::move(name)) {}

  void Feed(std::string_view piece) override {
    for (std::size_t end; (end = piece.find('\n')) != std::string_view::npos;) {
      if (rest_.empty()) {
        AddLine(piece.substr(0, end));
      } else {
        rest_.append(piece.substr(0, end));
        AddLine(rest_);
        rest_.clear();
      }
      piece.remove_prefix(end + 1);
    }
    rest_.append(piece);
    if (rest_.size() > kLongestLine) {
      ++number_;
      Fail(fmt::format("a line longer than {} MiB", kLongestLine >> 20));
    }
  }

  Exposition Finish() override {
    if (!rest_.empty()) {
      ++number_;
      Fail("expected a line end (is the file cut off?)");
    }
    Exposition out;
    out.series = collector_.Take();
    return out;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    Raise(ErrorKind::kFailed, "reading {}: line {} of a TSDB dump: {}", name_, number_, what);
  }

  void AddLine(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return;
    const std::size_t end = LabelsEnd(line);
    if (line.front() != '{' || end == std::string_view::npos) {
      Fail("expected a label set {...}, a value and a time");
    }
    // Lines of one series follow each other.
    if (line.substr(0, end) != key_) {
      labels_ = ReadLabels(line.substr(0, end));
      key_ = line.substr(0, end);
    }
    const std::string_view rest = line.substr(end);
    const std::size_t space = rest.rfind(' ');
    if (!rest.starts_with(' ') || space == 0) {
      Fail("expected a value and a time after the label set");
    }
    const TimeMs time = ReadMillis(rest.substr(space + 1));
    AddValue(rest.substr(1, space - 1), time);
  }

  void AddValue(std::string_view value, TimeMs time) {
    Series& series = collector_.Of(labels_);
    if (const auto number = ParseNumber(value)) {
      series.samples.push_back({time, std::isnan(*number) ? StaleMarker() : *number});
    } else if (auto native = ParseNativeText(value)) {
      series.histograms.push_back({time, *std::move(native)});
    } else {
      Fail(fmt::format("\"{}\" is not a value", value.substr(0, 40)));
    }
  }

  TimeMs ReadMillis(std::string_view text) const {
    const auto time = WholeNumber<TimeMs>(text);
    if (!time) Fail(fmt::format("\"{}\" is not a time in milliseconds", text.substr(0, 40)));
    return *time;
  }

  Labels ReadLabels(std::string_view text) const {
    std::vector<Token> tokens;
    try {
      tokens = promql::Lex(text);
    } catch (const Error& error) {
      Fail("a label set that cannot be read");
    }
    const auto symbol = [&](std::size_t i, std::string_view what) {
      return tokens[i].kind == TokenKind::kSymbol && tokens[i].text == what;
    };
    std::vector<Labels::Pair> pairs;
    std::size_t i = 1;
    while (i + 3 < tokens.size()) {
      const bool named =
          tokens[i].kind == TokenKind::kIdentifier || tokens[i].kind == TokenKind::kString;
      if (!named || !symbol(i + 1, "=") || tokens[i + 2].kind != TokenKind::kString) {
        Fail("expected name=\"value\" in the label set");
      }
      pairs.emplace_back(tokens[i].text, tokens[i + 2].text);
      i += 3;
      if (!symbol(i, ",")) break;
      ++i;
    }
    if (!symbol(i, "}")) Fail("expected `,` or `}` in the label set");
    return Labels(pairs);
  }

  std::string name_;
  std::size_t number_ = 0;
  std::string rest_;  ///< a line whose end is still to come
  std::string key_;
  Labels labels_;
  SeriesCollector collector_;
};

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
  if (text.starts_with('[')) return std::make_unique<AnswerFileReader>(name);
  const std::string_view key = FirstKey(text);
  if (key == "metric") return NewExportReader(name);
  if (IsAnswersKey(key)) return std::make_unique<AnswerFileReader>(name);
  // Exposition formats may have a name in braces, but not called __name__.
  if (text.starts_with("{__name__=\"")) return std::make_unique<TsdbDumpReader>(name);
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
  const std::string name = InputName(path);
  return ReadAll(OpenByteSource(path, name), name, default_time, wanted, whole_bytes);
}

Exposition ParseCapture(std::string_view bytes, const std::string& name, TimeMs default_time) {
  std::unique_ptr<ByteSource> source = NewResumedSource(std::string(bytes), nullptr);
  return Whole(ReadAll(std::move(source), name, default_time, {}, 0));
}

std::unique_ptr<CaptureReader> NewExportReader(std::string name) {
  return std::make_unique<ExportReader>(std::move(name));
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
