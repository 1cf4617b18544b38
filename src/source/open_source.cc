#include "source/open_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "source/capture/capture_source.h"
#include "source/http/prometheus_source.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

constexpr const char* kWays =
    "--prometheus URL, --service NAMESPACE/NAME:PORT, --capture FILE, --scrape-before FILE with "
    "--scrape-after FILE, or "
    "--scenario NAME";

/// Two pages without any times stand this far apart.
constexpr TimeMs kNominalWindow = 5 * 60 * 1000;

/// When the file was last written, to the millisecond; now for standard input and pipes.
TimeMs FileTime(const std::string& path) {
  struct stat found = {};
  if (path != "-" && stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) {
    return TimeMs{found.st_mtim.tv_sec} * 1000 + found.st_mtim.tv_nsec / 1'000'000;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::unique_ptr<Source> OpenPair(const SourceOptions& options) {
  if (options.scrape_before.empty() || options.scrape_after.empty()) {
    throw Error(ErrorKind::kUsage, "give both --scrape-before and --scrape-after");
  }
  SourceInfo info;
  info.kind = "scrape-pair";
  info.name = fmt::format("{} and {}", options.scrape_before, options.scrape_after);
  info.semantics = options.semantics.value_or(info.semantics);
  const TimeMs end = FileTime(options.scrape_after);
  TimeMs start = FileTime(options.scrape_before);
  if (start >= end) {
    start = end - kNominalWindow;
    info.warnings.emplace_back("pages.no_times");
  }
  const Exposition before = ReadExposition(options.scrape_before, start);
  const Exposition after = ReadExposition(options.scrape_after, end);
  for (const Exposition* page : {&before, &after}) {
    info.warnings.insert(info.warnings.end(), page->warnings.begin(), page->warnings.end());
  }
  return NewLocalSource(JoinScrapes(before, after), std::move(info));
}

}  // namespace

std::unique_ptr<Source> OpenSource(const SourceOptions& options, const ScenarioFactory& scenario) {
  const int ways = int{!options.prometheus.empty()} + int{!options.capture.empty()} +
                   int{!options.scrape_before.empty() || !options.scrape_after.empty()} +
                   int{!options.scenario.empty()};
  if (ways == 0) Raise(ErrorKind::kUsage, "no source: give {}", kWays);
  if (ways > 1) Raise(ErrorKind::kUsage, "several sources: give one of {}", kWays);
  if (options.since_start && options.capture.empty() && options.scenario.empty()) {
    throw Error(ErrorKind::kUsage,
                "--window lifetime is for one /metrics page (--capture FILE): give a duration, or "
                "--start and --end");
  }
  if (!options.prometheus.empty())
    return NewUnfoldingSource(NewHalvingSource(NewPrometheusSource(options)));
  if (!options.capture.empty()) {
    return OpenCaptureSource({.path = options.capture,
                              .default_time = FileTime(options.capture),
                              .semantics = options.semantics,
                              .questions = options.questions,
                              .since_start = options.since_start});
  }
  if (!options.scenario.empty()) {
    if (!scenario) throw Error(ErrorKind::kUsage, "this command does not take --scenario");
    return scenario(options);
  }
  return OpenPair(options);
}

}  // namespace schedlens
