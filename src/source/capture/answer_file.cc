// Saved answers of the query API.

#include <fmt/format.h>

#include <utility>

#include "contract/source.h"
#include "schedlens/error.h"
#include "source/capture/capture_reader.h"
#include "source/capture/json_documents.h"
#include "source/capture/series_collector.h"
#include "source/http/api_answer.h"

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

}  // namespace

std::unique_ptr<CaptureReader> NewAnswerFileReader(std::string name) {
  return std::make_unique<AnswerFileReader>(std::move(name));
}

}  // namespace schedlens
