#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/quantile.h"
#include "kube/metrics.h"
#include "kube/words.h"
#include "promql/matcher.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using kube::Metric;

/// The counters as they stand at the last scrape at or before `at`: one cell since process start.
ScrapeIncreases SinceStart(const HistogramSeries& series, TimeMs at) {
  ScrapeIncreases out;
  out.labels = series.labels;
  out.family = series.family;
  out.target = series.target;
  out.bounds = series.bounds;
  const auto it = std::ranges::upper_bound(series.times, at);
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

/// The children of a family that `want` accepts; none of a family without buckets.
std::vector<ScrapeIncreases> Cut(const StoreView& store, const FamilyWindow& asked,
                                 std::string_view family, const auto& want) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramFacts* histogram : store.histograms) {
    for (const HistogramSeries& child : histogram->children) {
      if (child.family != family || !want(child.labels)) continue;
      ScrapeIncreases cells = asked.lifetime
                                  ? SinceStart(child, asked.window.end)
                                  : IncreasesIn(child, store.targets[child.target], asked.window);
      if (asked.inside) cells = CellsInside(cells, asked.window);
      if (cells.cells() > 0) out.push_back(std::move(cells));
    }
  }
  return out;
}

/// How far before the window its first scrape may be: Prometheus's own lookback.
constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

/// The part of a selector that names processes: `result="error"` fits no other family.
std::string ProcessSelector(const std::string& selector) {
  std::optional<std::vector<promql::Matcher>> matchers = promql::ParseMatchers(selector);
  if (!matchers) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--selector: {} is not a list of matchers such as job=\"scheduler\"",
                            selector));
  }
  const std::vector<std::string>& names = MeasurementLabels();
  std::erase_if(*matchers, [&](const promql::Matcher& m) {
    return std::ranges::find(names, m.name) != names.end();
  });
  promql::Selector kept;
  kept.matchers = std::move(*matchers);
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

/// How many scrapes have a `_count` that is not what the buckets hold.
double CountsThatDiffer(const HistogramSeries& series) {
  double differ = 0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const auto row = series.Row(i);
    differ += !std::isnan(series.counts[i]) && series.counts[i] != row.back() ? 1 : 0;
  }
  return differ;
}

Argument NameOf(const std::string& family, const Labels& labels) {
  return {"series", family + labels.ToString()};
}

}  // namespace

const std::vector<AttemptClock>& AttemptClocks() {
  static const std::vector<Labels::Pair> bind = {
      {"extension_point", std::string(ToString(kube::ExtensionPoint::kBind))},
      {"status", std::string(ToString(kube::StatusCode::kSuccess))}};
  static const std::vector<Labels::Pair> scheduled = {
      {"result", std::string(ToString(kube::AttemptResult::kScheduled))}};
  static const std::vector<AttemptClock> all = {
      {"extension_point{Bind}", NameOf(Metric::kExtensionPoint), bind, 0, true},
      {"binding_duration", NameOf(Metric::kBinding), {}, 1, true},
      {"scheduling_algorithm_duration", NameOf(Metric::kAlgorithm), {}, 1, false},
      {"e2e_scheduling_duration", NameOf(Metric::kE2e), scheduled, 2, true},
      {"scheduling_attempt_duration", NameOf(Metric::kAttempt), scheduled, 2, true},
      {"pod_scheduling_duration", NameOf(Metric::kPodDuration), {}, 3, true},
      {"pod_scheduling_sli_duration", NameOf(Metric::kPodSli), {}, 3, true},
  };
  return all;
}

const AttemptClock* ClockOf(std::string_view family, const Labels& labels) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family != family) continue;
    const bool fits = std::ranges::all_of(clock.labels, [&](const auto& want) {
      return !labels.Has(want.first) || labels.Get(want.first) == want.second;
    });
    if (fits) return &clock;
  }
  return nullptr;
}

std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock) {
  std::vector<const AttemptClock*> linked;
  for (const AttemptClock& other : AttemptClocks()) {
    if (other.reach == clock.reach) continue;
    const AttemptClock& longer = other.reach > clock.reach ? other : clock;
    const AttemptClock& shorter = other.reach > clock.reach ? clock : other;
    // Bind and algorithm are parts of one attempt, but neither contains the other.
    if (longer.on_chain && (shorter.on_chain || longer.reach >= 2)) linked.push_back(&other);
  }
  return linked;
}

std::vector<const AttemptClock*> LinkedToFamily(std::string_view family) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family == family) return LinkedTo(clock);
  }
  return {};
}

LinkedHistograms LinkHistograms(std::vector<ScrapeIncreases> children,
                                std::span<const std::vector<ScrapeIncreases>* const> others) {
  LinkedHistograms out;
  // One LinkedProcess for the bound attempts of each process, and one without links for the rest.
  std::map<std::pair<std::size_t, const AttemptClock*>, LinkedProcess> grouped;
  for (const ScrapeIncreases& child : children) {
    grouped[{child.target, ClockOf(child.family, child.labels)}].children.push_back(child);
  }
  for (auto& [key, process] : grouped) {
    const auto [target, clock] = key;
    const auto linked = clock == nullptr ? std::vector<const AttemptClock*>() : LinkedTo(*clock);
    for (const AttemptClock* other : linked) {
      Link link{std::string(other->name), other->reach > clock->reach, {}};
      for (const std::vector<ScrapeIncreases>* histogram : others) {
        for (const ScrapeIncreases& child : *histogram) {
          if (child.target == target && ClockOf(child.family, child.labels) == other) {
            link.children.push_back(child);
          }
        }
      }
      if (!link.children.empty()) process.links.push_back(std::move(link));
    }
    out.processes.push_back(std::move(process));
  }
  out.children = std::move(children);
  return out;
}

LinkedHistograms CutFamily(const StoreView& store, const FamilyWindow& asked) {
  auto children = Cut(store, asked, asked.family,
                      [&](const Labels& labels) { return promql::Accept(asked.matchers, labels); });
  std::vector<ScrapeIncreases> others;
  for (const AttemptClock* clock : LinkedToFamily(asked.family)) {
    auto linked = Cut(store, asked, clock->family, [&](const Labels& labels) {
      return ClockOf(clock->family, labels) == clock;
    });
    std::move(linked.begin(), linked.end(), std::back_inserter(others));
  }
  const std::vector<ScrapeIncreases>* const all[] = {&others};
  return LinkHistograms(std::move(children), all);
}

std::vector<HistogramGroup> GroupBy(const LinkedHistograms& all, promql::Grouping grouping,
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

std::string JoinMatchers(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

StoreView FetchedHistograms::View() const {
  StoreView view{targets, {}};
  for (const HistogramFacts& histogram : histograms) view.histograms.push_back(&histogram);
  return view;
}

FetchedHistograms FetchHistograms(Source& source, const HistogramRequest& request) {
  FetchedHistograms out;
  const std::int64_t length =
      request.lifetime ? kLookbackMs : request.window.end - request.window.start + kLookbackMs;
  const std::string window = FormatDuration(length);
  const std::string process_selector = ProcessSelector(request.selector);
  out.queries.push_back(FamilyQuery(request.family, request.selector, window));
  out.queries.push_back(
      fmt::format("{}{{{}}}[{}]", NameOf(Metric::kProcessStart), process_selector, window));
  for (const AttemptClock* clock : LinkedToFamily(request.family)) {
    out.queries.push_back(
        FamilyQuery(clock->family, JoinMatchers(MatchersOf(*clock), process_selector), window));
  }
  std::vector<Query> questions;
  for (const std::string& text : out.queries) {
    questions.push_back({text, request.window.end, request.window.end, 0});
  }
  const std::vector<Answer> answers = source.AskAll(questions);

  std::vector<const Series*> own;
  for (const Series& series : answers[0].series) own.push_back(&series);
  out.targets = TargetsOf(own);
  for (const Answer& answer : answers) AddToTargets(answer.series, &out.targets);
  AddNotes(answers[0], &out.warnings);
  out.histograms.push_back(GroupByTarget(answers[0].series, out.targets));
  const std::vector<Message>& oddities = out.histograms[0].warnings;
  out.warnings.insert(out.warnings.end(), oddities.begin(), oddities.end());
  for (const HistogramSeries& child : out.histograms[0].children) {
    if (const double differ = CountsThatDiffer(child); differ > 0) {
      out.warnings.push_back(Message("samples.count_differs", {NameOf(child.family, child.labels),
                                                               {"count", arg::Count(differ)}}));
    }
  }
  for (std::size_t i = 2; i < answers.size(); ++i) {
    out.histograms.push_back(GroupByTarget(answers[i].series, out.targets));
  }
  return out;
}

Message WhyNothing(Source& source, const HistogramRequest& request) {
  std::vector<promql::Matcher> matchers =
      promql::ParseMatchers(request.selector).value_or(std::vector<promql::Matcher>());
  matchers.insert(matchers.begin(),
                  {promql::MatchOp::kEqual, std::string(kMetricName), request.family + "_bucket"});
  return WhyEmpty(source, matchers, request.window);
}

std::vector<Message> OdditiesOf(const std::vector<ScrapeIncreases>& children) {
  std::vector<Message> lines;
  for (const ScrapeIncreases& child : children) {
    const Argument series = NameOf(child.family, child.labels);
    if (child.left_out > 0) {
      lines.push_back(
          Message(child.torn ? "samples.torn" : "samples.repaired",
                  {series, {"count", arg::Count(static_cast<double>(child.left_out))}}));
    }
    const auto resets = std::ranges::count(child.reset, true);
    if (resets > 0) {
      lines.push_back(
          Message("samples.resets", {series, {"count", arg::Count(static_cast<double>(resets))}}));
    }
  }
  return lines;
}

}  // namespace schedlens
