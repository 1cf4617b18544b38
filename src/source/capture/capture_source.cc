#include "source/capture/capture_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "promql/evaluate.h"
#include "schedlens/error.h"
#include "source/capture/capture_file.h"
#include "source/capture/recording.h"

namespace schedlens {
namespace {

/// Tells one state of a file from another.
struct FileState {
  bool regular = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t written_s = 0;
  std::int64_t written_ns = 0;
  bool operator==(const FileState&) const = default;
};

FileState StateOf(const std::string& path) {
  struct stat found = {};
  if (path == "-" || stat(path.c_str(), &found) != 0) return {};
  return {S_ISREG(found.st_mode), found.st_dev,         found.st_ino,
          found.st_size,          found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

std::optional<TimeRange> Join(std::optional<TimeRange> a, const std::optional<TimeRange>& b) {
  if (!a || !b) return a ? a : b;
  return TimeRange{std::min(a->start, b->start), std::max(a->end, b->end)};
}

class CaptureSource : public Source {
 public:
  explicit CaptureSource(CaptureToOpen capture)
      : capture_(std::move(capture)), asked_(capture_.questions), state_(StateOf(capture_.path)) {
    MetricFilter wanted;
    if (!capture_.questions.empty()) {
      wanted = [this](std::string_view metric) { return asked_.Wants(metric); };
    }
    auto [series, read] = ReadCapture(capture_.path, capture_.default_time, wanted,
                                      state_.regular ? 0 : capture_.whole_bytes);
    if (series.empty() && read.passed_over.samples == 0) {
      throw Error(ErrorKind::kInsufficientData,
                  fmt::format("reading {}: it holds no samples; give a /metrics page or a "
                              "recording",
                              capture_.path));
    }
    info_.kind = "capture";
    info_.name = capture_.path;
    if (capture_.semantics) {
      info_.semantics = *capture_.semantics;
    } else if (const auto recorded = SemanticsOf(read.comments)) {
      info_.semantics = *recorded;
    }
    info_.warnings = std::move(read.warnings);
    options_.semantics = info_.semantics;
    passed_over_ = std::move(read.passed_over.metrics);
    Keep(std::move(series));
    info_.extent = Join(store_->Extent(), read.passed_over.extent);
  }

  Answer Ask(const Query& query) override {
    return promql::Evaluate(*StoreFor(query.promql), query, options_);
  }
  SourceInfo Describe() override { return info_; }

 private:
  using Store = std::shared_ptr<const promql::SeriesStore>;

  void Keep(std::deque<Series> series) {
    store_ = std::make_shared<const promql::SeriesStore>(std::move(series));
  }

  Store StoreFor(const std::string& promql) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (passed_over_.empty()) return store_;
    const AskedMetrics asked({promql});
    if (asked.IsWithin(asked_)) return store_;
    const auto missing = std::find_if(passed_over_.begin(), passed_over_.end(),
                                      [&](const std::string& name) { return asked.Wants(name); });
    if (missing != passed_over_.end()) ReadWhole(*missing);
    return store_;
  }

  void ReadWhole(const std::string& metric) {
    if (!state_.regular) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("asking {} for {}: it was passed over, as it cannot be read twice; "
                              "save it as a file and give that",
                              capture_.path == "-" ? "standard input" : capture_.path, metric));
    }
    if (StateOf(capture_.path) != state_) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("reading {} for {}: it has changed since it was first read; try "
                              "again when nothing writes to it",
                              capture_.path, metric));
    }
    Keep(ReadCapture(capture_.path, capture_.default_time).series);
    passed_over_.clear();
  }

  const CaptureToOpen capture_;
  const AskedMetrics asked_;
  const FileState state_;
  SourceInfo info_;
  promql::EvaluateOptions options_;
  std::mutex mutex_;  // guards what follows
  Store store_;
  std::set<std::string, std::less<>> passed_over_;
};

class LocalSource : public Source {
 public:
  LocalSource(std::vector<Series> series, SourceInfo info)
      : store_(std::move(series)), info_(std::move(info)) {
    options_.semantics = info_.semantics;
    info_.extent = store_.Extent();
  }

  Answer Ask(const Query& query) override { return promql::Evaluate(store_, query, options_); }
  SourceInfo Describe() override { return info_; }

 private:
  promql::SeriesStore store_;
  SourceInfo info_;
  promql::EvaluateOptions options_;
};

}  // namespace

std::unique_ptr<Source> OpenCaptureSource(CaptureToOpen capture) {
  return std::make_unique<CaptureSource>(std::move(capture));
}

std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info) {
  return std::make_unique<LocalSource>(std::move(series), std::move(info));
}

}  // namespace schedlens
