#include "source/capture/capture_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "kube/metrics.h"
#include "promql/evaluate.h"
#include "source/capture/recording.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

/// A process's start is computed from clock ticks and boot time: it may move by a rounding.
constexpr double kSameStart = 1.0;

using ByLabels = std::map<Labels, const Series*>;

ByLabels Index(const Exposition& page) {
  ByLabels index;
  for (const Series& series : page.series) {
    if (series.samples.size() != 1) {
      Raise(ErrorKind::kFailed, "{} has {} samples in one page: a recording is read with --capture",
            series.labels.ToString(), series.samples.size());
    }
    index.emplace(series.labels, &series);
  }
  return index;
}

/// A page may have lost its `# TYPE` lines: what has buckets is a histogram.
template <class All>
void AddTypesByName(const All& series, std::map<std::string, std::string>* types) {
  for (const Series& one : series) {
    const std::string_view name = one.labels.Get(kMetricName);
    if (name.ends_with("_bucket")) types->try_emplace(FamilyOf(name), "histogram");
  }
}

/// Whether a series only ever grows while its process lives. Without `# TYPE` the name decides.
bool IsMonotonic(const std::string& name, const std::map<std::string, std::string>& types) {
  const auto is = [&](std::string_view suffix, std::string_view type) {
    if (!name.ends_with(suffix)) return false;
    const auto family = types.find(name.substr(0, name.size() - suffix.size()));
    return family == types.end() ? !types.contains(name) : family->second == type;
  };
  return is("_total", "counter") || is("_bucket", "histogram") || is("_count", "histogram") ||
         is("_count", "summary");
}

/// Sums grow too, but a negative observation may shrink them: they start at 0, and may decrease.
bool StartsAtZero(const std::string& name, const std::map<std::string, std::string>& types) {
  if (IsMonotonic(name, types)) return true;
  if (!name.ends_with("_sum")) return false;
  const auto family = types.find(name.substr(0, name.size() - 4));
  return family != types.end() && (family->second == "histogram" || family->second == "summary");
}

std::optional<std::pair<double, double>> FindStarts(const ByLabels& before, const ByLabels& after) {
  for (const auto& [labels, series] : before) {
    if (labels.Get(kMetricName) != kube::NameOf(kube::Metric::kProcessStart)) continue;
    const auto later = after.find(labels);
    if (later == after.end()) continue;
    return std::pair(series->samples[0].v, later->second->samples[0].v);
  }
  return std::nullopt;
}

[[noreturn]] void FailRestart(const std::string& what) {
  Raise(ErrorKind::kFailed,
        "the process restarted between the two pages (or they are of two processes, or in the "
        "wrong order): {}: take both pages from one run",
        what);
}

void CheckSameProcess(const ByLabels& before, const ByLabels& after,
                      const std::map<std::string, std::string>& types) {
  const auto starts = FindStarts(before, after);
  if (starts && std::fabs(starts->first - starts->second) > kSameStart) {
    FailRestart(fmt::format("process_start_time_seconds went from {} to {}",
                            FormatNumber(starts->first), FormatNumber(starts->second)));
  }
  for (const auto& [labels, series] : before) {
    if (!IsMonotonic(std::string(labels.Get(kMetricName)), types)) continue;
    const auto later = after.find(labels);
    if (later == after.end()) {
      // A living process may forget a label set (a deleted node's); without a start time it is
      // as likely a new process.
      if (!starts) FailRestart(labels.ToString() + " is gone");
      continue;
    }
    const double was = series->samples[0].v, is = later->second->samples[0].v;
    if (is < was) {
      FailRestart(fmt::format("{} went from {} down to {}", labels.ToString(), FormatNumber(was),
                              FormatNumber(is)));
    }
  }
}

TimeMs TimeOf(const Exposition& page) {
  if (page.series.empty()) throw Error(ErrorKind::kFailed, "a scraped page has no samples");
  return page.series.front().samples.front().t;
}

/// Which file it is, its size, and when it was written; nothing for what is no regular file.
using FileState = std::optional<std::tuple<dev_t, ino_t, off_t, time_t, long>>;

FileState StateOf(const std::string& path) {
  struct stat found = {};
  if (path == "-" || stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return std::tuple(found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                    found.st_mtim.tv_nsec);
}

std::optional<TimeRange> Join(std::optional<TimeRange> a, const std::optional<TimeRange>& b) {
  if (!a || !b) return a ? a : b;
  return TimeRange{std::min(a->start, b->start), std::max(a->end, b->end)};
}

/// When a page was scraped; nothing for what is no single page.
std::optional<TimeMs> TimeOfPage(const std::deque<Series>& series) {
  std::map<TimeMs, std::size_t> times;
  for (const Series& one : series) {
    if (one.samples.size() != 1 || !one.histograms.empty()) return std::nullopt;
    ++times[one.samples[0].t];
  }
  for (const auto& [time, count] : times) {
    if (2 * count > series.size()) return time;
  }
  return std::nullopt;
}

/// See CaptureToOpen::since_start.
void CountSinceStart(std::deque<Series>* series, std::map<std::string, std::string> types,
                     SourceInfo* info) {
  const std::optional<TimeMs> end = TimeOfPage(*series);
  if (!end) return;
  const auto others =
      std::erase_if(*series, [&](const Series& one) { return one.samples[0].t != *end; });
  TimeMs start = *end;
  const Series* process = nullptr;
  AddTypesByName(*series, &types);
  for (const Series& one : *series) {
    const std::string_view name = one.labels.Get(kMetricName);
    if (name != kube::NameOf(kube::Metric::kProcessStart)) continue;
    const TimeMs began = TimeOfSeconds(one.samples[0].v).value_or(start);
    if (began >= start) continue;
    start = began;
    process = &one;
  }
  if (process == nullptr) {
    Raise(ErrorKind::kInsufficientData,
          "--window lifetime of {}: cannot tell when its counters began; give the complete "
          "/metrics page, in a file that still has the time it was saved",
          info->name);
  }
  for (Series& one : *series) {
    const bool counter = StartsAtZero(std::string(one.labels.Get(kMetricName)), types);
    if (!counter && &one != process) continue;
    one.samples.insert(one.samples.begin(), {start, counter ? 0 : one.samples[0].v});
  }
  info->kind = "scrape-pair";
  if (others > 0)
    info->warnings.push_back(Message("pages.other_times", {{"count", arg::Count(others)}}));
  info->warnings.push_back(Message("source.since_start", {{"start", arg::Time(start)}}));
}

class CaptureSource : public Source {
 public:
  explicit CaptureSource(CaptureToOpen capture)
      : capture_(std::move(capture)), asked_(capture_.questions), state_(StateOf(capture_.path)) {
    MetricFilter wanted;
    // A page is small, and would be another one if it were read again.
    if (!capture_.questions.empty() && !capture_.since_start) {
      wanted = [this](std::string_view metric) { return asked_.Wants(metric); };
    }
    auto [series, read] = ReadCapture(capture_.path, capture_.default_time, wanted,
                                      state_ ? 0 : capture_.whole_bytes);
    if (series.empty() && read.passed_over.samples == 0) {
      Raise(ErrorKind::kInsufficientData,
            "reading {}: it holds no samples; give a /metrics page or a recording",
            InputName(capture_.path));
    }
    info_.kind = "capture";
    info_.name = capture_.path;
    if (capture_.semantics) {
      info_.semantics = *capture_.semantics;
    } else if (const auto recorded = SemanticsOf(read.comments)) {
      info_.semantics = *recorded;
    }
    for (const std::string& comment : read.comments) {
      if (!comment.starts_with(kRulesWord)) continue;
      info_.rules = comment.substr(kRulesWord.size());
      break;
    }
    info_.warnings = std::move(read.warnings);
    if (capture_.since_start) CountSinceStart(&series, std::move(read.types), &info_);
    options_.semantics = info_.semantics;
    passed_over_ = std::move(read.passed_over.metrics);
    has_natives_ =
        std::ranges::any_of(series, [](const Series& one) { return !one.histograms.empty(); });
    store_ = std::make_shared<const promql::SeriesStore>(std::move(series));
    info_.extent = Join(store_->Extent(), read.passed_over.extent);
  }

  /// Known from the first reading: natives are kept whatever is asked.
  bool has_natives() const { return has_natives_; }
  Answer Ask(const Query& query) override {
    return promql::Evaluate(*StoreFor(query.promql), query, options_);
  }
  SourceInfo Describe() override { return info_; }

 private:
  using Store = std::shared_ptr<const promql::SeriesStore>;

  Store StoreFor(const std::string& promql) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (passed_over_.empty()) return store_;
    const AskedMetrics asked({promql});
    if (asked.IsWithin(asked_)) return store_;
    const auto missing = std::ranges::find_if(
        passed_over_, [&](const std::string& name) { return asked.Wants(name); });
    if (missing != passed_over_.end()) ReadWhole(*missing);
    return store_;
  }

  void ReadWhole(const std::string& metric) {
    if (!state_) {
      Raise(ErrorKind::kFailed,
            "asking {} for {}: it was passed over, as it cannot be read twice; save it as a file "
            "and give that",
            InputName(capture_.path), metric);
    }
    if (StateOf(capture_.path) != state_) {
      Raise(ErrorKind::kFailed,
            "reading {} for {}: it has changed since it was first read; try again when nothing "
            "writes to it",
            capture_.path, metric);
    }
    store_ = std::make_shared<const promql::SeriesStore>(
        ReadCapture(capture_.path, capture_.default_time).series);
    passed_over_.clear();
  }

  const CaptureToOpen capture_;
  const AskedMetrics asked_;
  const FileState state_;
  SourceInfo info_;
  promql::EvaluateOptions options_;
  bool has_natives_ = false;
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

std::vector<Series> JoinScrapes(const Exposition& before, const Exposition& after) {
  const ByLabels first = Index(before);
  const ByLabels second = Index(after);
  const TimeMs start = TimeOf(before), end = TimeOf(after);
  if (start >= end) {
    Raise(ErrorKind::kFailed,
          "the page of --scrape-before ({}) is not older than that of --scrape-after ({})",
          FormatTime(start), FormatTime(end));
  }
  std::map<std::string, std::string> types = before.types;
  types.insert(after.types.begin(), after.types.end());
  for (const Exposition* page : {&before, &after}) AddTypesByName(page->series, &types);
  CheckSameProcess(first, second, types);

  std::vector<Series> joined;
  for (const Series& series : after.series) {
    Series out{.labels = series.labels, .samples = {}, .histograms = {}};
    const auto earlier = first.find(series.labels);
    if (earlier != first.end()) {
      out.samples.push_back({start, earlier->second->samples[0].v});
    } else if (StartsAtZero(std::string(series.labels.Get(kMetricName)), types)) {
      out.samples.push_back({start, 0});
    }
    out.samples.push_back({end, series.samples[0].v});
    joined.push_back(std::move(out));
  }
  for (const Series& series : before.series) {
    if (!second.contains(series.labels)) joined.push_back(series);
  }
  return joined;
}

std::unique_ptr<Source> OpenCaptureSource(CaptureToOpen capture) {
  auto source = std::make_unique<CaptureSource>(std::move(capture));
  if (source->has_natives()) return NewUnfoldingSource(std::move(source));
  return source;
}

std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info) {
  return std::make_unique<LocalSource>(std::move(series), std::move(info));
}

}  // namespace schedlens
