#include "source/capture/scrape_pair.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "kube/metrics.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// A process's start is computed from clock ticks and boot time: it may move by a rounding.
constexpr double kSameStart = 1.0;

using ByLabels = std::map<Labels, const Series*>;

ByLabels Index(const Exposition& page) {
  ByLabels index;
  for (const Series& series : page.series) {
    if (series.samples.size() != 1) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("{} has {} samples in one page: a recording is read with --capture",
                              series.labels.ToString(), series.samples.size()));
    }
    index.emplace(series.labels, &series);
  }
  return index;
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

/// The starts on both pages, where both have one.
struct Starts {
  bool known = false;
  double before = 0;
  double after = 0;
};

Starts FindStarts(const ByLabels& before, const ByLabels& after) {
  for (const auto& [labels, series] : before) {
    if (labels.Get(kMetricName) != kube::NameOf(kube::Metric::kProcessStart)) continue;
    const auto later = after.find(labels);
    if (later == after.end()) continue;
    return {true, series->samples[0].v, later->second->samples[0].v};
  }
  return {};
}

[[noreturn]] void FailRestart(const std::string& what) {
  throw Error(ErrorKind::kFailed,
              fmt::format("the process restarted between the two pages (or they are of two "
                          "processes, or in the wrong order): {}: take both pages from one run",
                          what));
}

void CheckSameProcess(const ByLabels& before, const ByLabels& after,
                      const std::map<std::string, std::string>& types) {
  const Starts starts = FindStarts(before, after);
  if (starts.known && std::fabs(starts.before - starts.after) > kSameStart) {
    FailRestart(fmt::format("process_start_time_seconds went from {} to {}",
                            FormatNumber(starts.before), FormatNumber(starts.after)));
  }
  for (const auto& [labels, series] : before) {
    if (!IsMonotonic(std::string(labels.Get(kMetricName)), types)) continue;
    const auto later = after.find(labels);
    if (later == after.end()) {
      // A living process may forget a label set (a deleted node's); without a start time it is
      // as likely a new process.
      if (!starts.known) FailRestart(labels.ToString() + " is gone");
      continue;
    }
    const double was = series->samples[0].v;
    const double is = later->second->samples[0].v;
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

}  // namespace

std::vector<Series> JoinScrapes(const Exposition& before, const Exposition& after) {
  const ByLabels first = Index(before);
  const ByLabels second = Index(after);
  const TimeMs start = TimeOf(before);
  const TimeMs end = TimeOf(after);
  if (start >= end) {
    throw Error(ErrorKind::kFailed,
                fmt::format("the page of --scrape-before ({}) is not older than that of "
                            "--scrape-after ({})",
                            FormatTime(start), FormatTime(end)));
  }
  std::map<std::string, std::string> types = before.types;
  types.insert(after.types.begin(), after.types.end());
  CheckSameProcess(first, second, types);

  std::vector<Series> joined;
  joined.reserve(second.size());
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

}  // namespace schedlens
