// VictoriaMetrics' export: `{"metric":{"__name__":"x","a":"b"},"values":[1,2],"timestamps":[1,2]}`.

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "model/text.h"
#include "schedlens/error.h"
#include "source/capture/capture_reader.h"
#include "source/capture/json_documents.h"
#include "source/capture/series_collector.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

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

std::unique_ptr<CaptureReader> NewExportReader(std::string name) {
  return std::make_unique<ExportReader>(std::move(name));
}

}  // namespace schedlens
