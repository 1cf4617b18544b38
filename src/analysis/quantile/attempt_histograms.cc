#include "analysis/quantile/attempt_histograms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/collect/targets.h"
#include "analysis/quantile/attempt_links.h"
#include "contract/notes.h"
#include "kube/metrics.h"
#include "model/sample_times.h"
#include "model/text.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// How far before the window its first scrape may be: Prometheus's own lookback.
constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

/// What one process exposed, whatever the family: when it was scraped, and when it started.
struct ProcessTimes {
  std::vector<TimeMs> scrapes;  ///< ascending
  std::set<TimeMs> starts;
};
using Processes = std::map<Labels, ProcessTimes>;

std::string JoinMatchers(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

/// The part of a selector that names processes: `result="error"` fits no other family.
std::string ProcessSelector(const std::string& selector) {
  if (selector.empty()) return "";
  const promql::ExprPtr expr = promql::Parse(fmt::format("x{{{}}}", selector));
  const auto* parsed = promql::WithoutParens(*expr).As<promql::Selector>();
  if (parsed == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--selector: {} is not a list of matchers such as job=\"scheduler\"",
                            selector));
  }
  promql::Selector kept = *parsed;
  const auto& names = MeasurementLabels();
  kept.matchers.erase(std::remove_if(kept.matchers.begin(), kept.matchers.end(),
                                     [&](const promql::Matcher& m) {
                                       return std::find(names.begin(), names.end(), m.name) !=
                                              names.end();
                                     }),
                      kept.matchers.end());
  return promql::MatchersToString(kept);
}

std::string FamilyQuery(std::string_view family, const std::string& matchers,
                        const std::string& window) {
  const std::string name = fmt::format("__name__=~\"{}_(bucket|sum|count)\"", family);
  return fmt::format("{{{}}}[{}]", JoinMatchers(name, matchers), window);
}

std::string MatchersOf(const AttemptClock& clock) {
  std::string text;
  for (const auto& [name, value] : clock.labels) {
    // A release without the label must still match.
    text = JoinMatchers(text, fmt::format("{}=~\"{}|\"", name, value));
  }
  return text;
}

void NoteProcesses(const std::vector<Series>& series, Processes* processes) {
  for (const Series& s : series) {
    ProcessTimes& times = (*processes)[ProcessOf(s.labels)];
    const bool start = s.labels.Get(kMetricName) == NameOf(kube::Metric::kProcessStart);
    MergeTimes(s.samples, &times.scrapes);
    if (!start) continue;
    for (const Sample& sample : s.samples) {
      if (std::isfinite(sample.v))
        times.starts.insert(static_cast<TimeMs>(std::llround(sample.v * 1000)));
    }
  }
}

/// The counters as they stand at the last scrape at or before `at`: one cell since process start.
ScrapeIncreases SinceStart(const HistogramSeries& series, TimeMs at) {
  ScrapeIncreases out;
  out.labels = series.labels;
  out.bounds = series.bounds;
  const auto it = std::upper_bound(series.times.begin(), series.times.end(), at);
  if (it == series.times.begin()) return out;
  const auto row = static_cast<std::size_t>(it - series.times.begin()) - 1;
  double below = 0;
  for (const double count : series.Row(row)) {
    const double upto = std::isfinite(count) ? std::max(below, count) : below;
    out.buckets.push_back(upto - below);
    below = upto;
  }
  out.edges = {series.times[row] - 1, series.times[row]};
  out.sums = {series.sums[row]};
  out.reset = {false};
  out.torn = !WholeRow(series.Row(row));
  if (out.torn) {
    out.left_out = 1;
    out.raw_upto.assign(series.Row(row).begin(), series.Row(row).end());
  }
  out.count_at = {0, below};
  out.sum_at = {0, series.sums[row]};
  return out;
}

void WarnAboutCounts(const HistogramSeries& series, const std::string& family,
                     std::vector<Message>* warnings) {
  std::size_t other_count = 0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const auto row = series.Row(i);
    other_count += !std::isnan(series.counts[i]) && series.counts[i] != row.back() ? 1 : 0;
  }
  if (other_count > 0) {
    warnings->push_back(Message(
        "samples.count_differs",
        {{"series", family + series.labels.ToString()}, {"count", arg::Count(other_count)}}));
  }
}

std::vector<ScrapeIncreases> CellsOf(const Answer& answer, const std::string& family,
                                     const HistogramRequest& request, const Processes& processes,
                                     std::vector<Message>* warnings) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramSeries& series : GroupHistograms(answer.series, family, warnings)) {
    if (warnings != nullptr) WarnAboutCounts(series, family, warnings);
    if (request.lifetime) {
      out.push_back(SinceStart(series, request.window.end));
    } else {
      const ProcessTimes& times = processes.at(ProcessOf(series.labels));
      const std::vector<TimeMs> starts(times.starts.begin(), times.starts.end());
      out.push_back(IncreasesBetweenScrapes(series, times.scrapes, request.window, starts));
    }
    if (out.back().cells() == 0) out.pop_back();
  }
  return out;
}

void WarnAboutCells(const std::vector<ScrapeIncreases>& children, const HistogramRequest& request,
                    AttemptHistograms* out) {
  for (const ScrapeIncreases& child : children) {
    out->torn_scrapes += child.left_out;
    if (child.left_out > 0) {
      out->warnings.push_back(Message(child.torn ? "samples.torn" : "samples.repaired",
                                      {{"series", request.family + child.labels.ToString()},
                                       {"count", arg::Count(child.left_out)}}));
    }
    const auto resets = std::count(child.reset.begin(), child.reset.end(), true);
    if (resets > 0) {
      out->warnings.push_back(
          Message("samples.resets", {{"series", request.family + child.labels.ToString()},
                                     {"count", arg::Count(static_cast<double>(resets))}}));
    }
    if (out->seen == TimeRange{}) out->seen = {child.edges.front(), child.edges.back()};
    out->seen.start = std::min(out->seen.start, child.edges.front());
    out->seen.end = std::max(out->seen.end, child.edges.back());
  }
}

}  // namespace

AttemptHistograms FetchAttemptHistograms(Source& source, const HistogramRequest& request) {
  AttemptHistograms out;
  out.family = request.family;
  const std::int64_t length =
      request.lifetime ? kLookbackMs : request.window.end - request.window.start + kLookbackMs;
  const std::string window = FormatDuration(length);
  const std::string process_selector = ProcessSelector(request.selector);

  // Every clock of the family may be asked for, so the links of each are.
  std::vector<const AttemptClock*> linked;
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family == request.family) linked = LinkedTo(clock);
  }
  out.queries.push_back(FamilyQuery(request.family, request.selector, window));
  out.queries.push_back(
      fmt::format("{}{{{}}}[{}]", NameOf(kube::Metric::kProcessStart), process_selector, window));
  for (const AttemptClock* clock : linked) {
    out.queries.push_back(
        FamilyQuery(clock->family, JoinMatchers(MatchersOf(*clock), process_selector), window));
  }
  std::vector<Query> questions;
  for (const std::string& text : out.queries) {
    questions.push_back({text, request.window.end, request.window.end, 0});
  }
  const std::vector<Answer> answers = source.AskAll(questions);

  Processes processes;
  for (const Answer& answer : answers) NoteProcesses(answer.series, &processes);
  AddNotes(answers[0], &out.warnings);
  out.children = CellsOf(answers[0], request.family, request, processes, &out.warnings);
  WarnAboutCells(out.children, request, &out);

  std::vector<std::vector<ScrapeIncreases>> others;
  for (std::size_t i = 0; i < linked.size(); ++i) {
    others.push_back(
        CellsOf(answers[i + 2], std::string(linked[i]->family), request, processes, nullptr));
  }
  // One LinkedProcess for the bound attempts of each process, and one without links for the rest.
  std::map<std::pair<Labels, const AttemptClock*>, LinkedProcess> grouped;
  for (const ScrapeIncreases& child : out.children) {
    const AttemptClock* clock = ClockOf(request.family, child.labels);
    grouped[{ProcessOf(child.labels), clock}].children.push_back(child);
  }
  for (auto& [key, process] : grouped) {
    for (std::size_t i = 0; key.second != nullptr && i < linked.size(); ++i) {
      Link link{std::string(linked[i]->name), linked[i]->reach > key.second->reach, {}};
      for (const ScrapeIncreases& child : others[i]) {
        if (ProcessOf(child.labels) == key.first &&
            ClockOf(linked[i]->family, child.labels) == linked[i]) {
          link.children.push_back(child);
        }
      }
      if (!link.children.empty()) process.links.push_back(std::move(link));
    }
    out.processes.push_back(std::move(process));
  }
  return out;
}

std::vector<HistogramGroup> GroupBy(const AttemptHistograms& all, promql::Grouping grouping,
                                    const std::vector<std::string>& labels) {
  const auto key = [&](const Labels& child) {
    if (grouping == promql::Grouping::kBy) return child.Only(labels).Without("le");
    if (grouping == promql::Grouping::kWithout) return child.Without(labels);
    return Labels();
  };
  std::map<Labels, HistogramGroup> groups;
  for (const LinkedProcess& process : all.processes) {
    std::map<Labels, LinkedProcess> parts;
    for (const ScrapeIncreases& child : process.children) {
      parts[key(child.labels)].children.push_back(child);
    }
    for (auto& [part_key, part] : parts) {
      part.links = process.links;
      HistogramGroup& group = groups[part_key];
      group.labels = part_key;
      group.children.insert(group.children.end(), part.children.begin(), part.children.end());
      group.processes.push_back(std::move(part));
    }
  }
  std::vector<HistogramGroup> out;
  for (auto& [labels_of, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace schedlens
