#include "source/capture/json_captures.h"

// Saved answers of the query API.
// VictoriaMetrics' export: `{"metric":{"__name__":"x","a":"b"},"values":[1,2],"timestamps":[1,2]}`.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "schedlens/error.h"
#include "source/capture/capture_file.h"
#include "source/http/api_answer.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

/// As much of an object as tells whether it is a whole answer or its `data` alone.
constexpr std::size_t kFirstKey = 64;

/// Whether the object's first key is that of `data`.
bool IsData(std::string_view head) {
  const std::size_t quote = head.find('"');
  return quote != std::string_view::npos && (head.substr(quote).starts_with("\"resultType\"") ||
                                             head.substr(quote).starts_with("\"result\""));
}

class AnswerFileReader : public CaptureReader, private JsonObjects {
 public:
  explicit AnswerFileReader(std::string name) : documents_(std::move(name), *this) {}

  void Feed(std::string_view piece) override { documents_.Feed(piece); }

  Exposition Finish() override {
    documents_.Finish();
    out_.series = collector_.Take();
    return std::move(out_);
  }

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
      throw Error(ErrorKind::kFailed, fmt::format("an error of the server, no samples: {}: {}",
                                                  read.error_type, read.error));
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

  JsonDocuments documents_;
  ApiAnswerReader answer_;
  bool begun_ = false;
  bool is_data_ = false;
  std::string head_;
  SeriesCollector collector_;
  Exposition out_;
};

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(ErrorKind::kFailed, "not an export of VictoriaMetrics: " + what);
}

/// One object's labels, values and times.
class ExportLine : public JsonEvents {
 public:
  void StartObject() override { Open(true); }
  void StartArray() override { Open(false); }
  void EndObject() override { --depth_; }
  void EndArray() override { --depth_; }

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

  void Open(bool object) {
    ++depth_;
    if (depth_ == 1 || at_ == At::kSkip) return;
    if (depth_ > 2 || object != (at_ == At::kMetric)) Refuse("an unexpected list or object");
  }

  void Value(std::string_view text) {
    if (at_ == At::kSkip) return;
    if (depth_ != 2 || at_ == At::kMetric) Refuse("an unexpected value");
    if (at_ == At::kTimes) return Time(text);
    const auto number = ParseNumber(text);
    if (!number) Refuse(fmt::format("the value \"{}\"", text.substr(0, 40)));
    values_.push_back(*number);
  }

  void Time(std::string_view text) {
    TimeMs time = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, time);
    if (error != std::errc() || stop != end) {
      Refuse(fmt::format("the timestamp \"{}\"", text.substr(0, 40)));
    }
    times_.push_back(time);
  }

  At at_ = At::kSkip;
  int depth_ = 0;
  std::string label_;
  std::vector<Labels::Pair> labels_;
  std::vector<double> values_;
  std::vector<TimeMs> times_;
};

class ExportReader : public CaptureReader, private JsonObjects {
 public:
  explicit ExportReader(std::string name) : documents_(std::move(name), *this), stream_(line_) {}

  void Feed(std::string_view piece) override { documents_.Feed(piece); }

  Exposition Finish() override {
    documents_.Finish();
    Exposition out;
    out.series = collector_.Take();
    return out;
  }

 private:
  void Piece(std::string_view piece) override { stream_.Feed(piece); }
  void End() override {
    stream_.Finish();
    stream_.Reset();
    collector_.Add(line_.Take());
  }

  JsonDocuments documents_;
  ExportLine line_;
  JsonStream stream_;
  SeriesCollector collector_;
};

}  // namespace

std::unique_ptr<CaptureReader> NewAnswerFileReader(std::string name) {
  return std::make_unique<AnswerFileReader>(std::move(name));
}

std::unique_ptr<CaptureReader> NewExportReader(std::string name) {
  return std::make_unique<ExportReader>(std::move(name));
}

void JsonDocuments::Fail(std::size_t offset, std::string_view what) const {
  throw Error(ErrorKind::kFailed, fmt::format("reading {}: byte {}: {}", name_, offset, what));
}

template <typename Call>
void JsonDocuments::Take(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');  // of a text that the file holds
    throw Error(error.kind(), fmt::format("reading {}: object {}, from byte {} on: {}", name_,
                                          number_, start_, what));
  }
}

/// Outside of objects; returns where the text goes on.
std::size_t JsonDocuments::Between(std::string_view piece, std::size_t at) {
  switch (piece[at]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return at + 1;
    case '{':
      if (list_ == List::kClosed) break;
      ++number_;
      start_ = before_ + at;
      return at;
    case '[':
      if (list_ != List::kNone || number_ > 0) break;
      list_ = List::kOpen;
      return at + 1;
    case ',':
      if (list_ != List::kOpen || number_ == 0) break;
      return at + 1;
    case ']':
      if (list_ != List::kOpen) break;
      list_ = List::kClosed;
      return at + 1;
    default:
      break;
  }
  Fail(before_ + at, "expected a JSON object");
}

/// From the brace of an object on; returns where it ends, or the piece does.
std::size_t JsonDocuments::Inside(std::string_view piece, std::size_t at) {
  std::size_t i = at;
  for (; i < piece.size(); ++i) {
    const char c = piece[i];
    if (quoted_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        quoted_ = false;
      }
    } else if (c == '"') {
      quoted_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      Take([&] { taker_.Piece(piece.substr(at, i + 1 - at)); });
      Take([&] { taker_.End(); });
      return i + 1;
    }
  }
  Take([&] { taker_.Piece(piece.substr(at)); });
  return i;
}

void JsonDocuments::Feed(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    const bool begins = depth_ == 0 && piece[at] != '{';
    if (begins) {
      at = Between(piece, at);
      continue;
    }
    if (depth_ == 0) Between(piece, at);
    at = Inside(piece, at);
  }
  before_ += piece.size();
}

void JsonDocuments::Finish() {
  if (depth_ > 0) Fail(before_, "the last object has no end (is the file cut off?)");
  if (list_ == List::kOpen) Fail(before_, "the list has no end (is the file cut off?)");
}

}  // namespace schedlens
