#include "diagnose/explain/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/why_empty.h"
#include "diagnose/explain/linked_histograms.h"
#include "kube/metrics.h"
#include "promql/matcher.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// How far before the window its first scrape may be: Prometheus's own lookback.
constexpr std::int64_t kLookbackMs = 5 * 60 * 1000;

std::string JoinMatchers(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

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
    return std::find(names.begin(), names.end(), m.name) != names.end();
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
      fmt::format("{}{{{}}}[{}]", NameOf(kube::Metric::kProcessStart), process_selector, window));
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
    const auto resets = std::count(child.reset.begin(), child.reset.end(), true);
    if (resets > 0) {
      lines.push_back(
          Message("samples.resets", {series, {"count", arg::Count(static_cast<double>(resets))}}));
    }
  }
  return lines;
}

}  // namespace schedlens
