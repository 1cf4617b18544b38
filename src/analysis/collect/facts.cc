#include "analysis/collect/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "contract/notes.h"
#include "model/sample_times.h"
#include "model/text.h"

namespace schedlens {
namespace {

const std::vector<std::string> kTargetLabels = {"cluster", "job", "instance", "pod"};

/// The questions whose metrics only a kube-scheduler exposes; they tell who the schedulers are.
constexpr std::string_view kOwnQuestions[] = {"attempt", "algorithm"};

/// Instant questions about the state at the end, not raw samples.
constexpr std::string_view kInstantQuestions[] = {"release"};

/// The questions with the longest answers. They are asked first: what begins last ends last.
constexpr std::string_view kLongest[] = {"extension_point", "plugin_execution", "rest_request",
                                         "pod_scheduling"};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string EscapeRegex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += "\\\\";
    if (c == '"') out += '\\';
    out += c;
  }
  return out;
}

/// `job=~"a|b"` of the targets seen so far; empty when none of them has a job.
std::string SelectorOf(const std::set<Labels>& targets) {
  std::set<std::string> jobs;
  for (const Labels& id : targets) {
    if (!id.Has("job")) return "";
    jobs.insert(EscapeRegex(id.Get("job")));
  }
  return jobs.empty() ? "" : fmt::format("job=~\"{}\"", fmt::join(jobs, "|"));
}

/// One wording of one question, and what it was answered.
struct Asked {
  std::string question;
  Query query;
  Answer answer;
};

std::vector<Asked> AskQuestions(Source& source, const std::vector<const Question*>& questions,
                                const std::string& selector, const TimeRange& range) {
  std::vector<Asked> asked;
  const std::string window = FormatDuration(range.end - range.start);
  for (const Question* question : questions) {
    for (const std::string& statement : question->statements) {
      const std::string query = Substitute(statement, selector, window);
      asked.push_back({question->name, {query, range.end, range.end, 0}, {}});
    }
  }
  std::vector<Asked*> order;
  for (Asked& one : asked) order.push_back(&one);
  std::stable_partition(order.begin(), order.end(),
                        [](const Asked* one) { return IsOneOf(one->question, kLongest); });
  std::vector<Query> queries;
  for (const Asked* one : order) queries.push_back(one->query);
  std::vector<Answer> answers = source.AskAll(queries);
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->answer = std::move(answers[i]);
  return asked;
}

void Keep(std::vector<Asked> asked, Facts* facts) {
  std::map<std::string, std::set<Labels>> answered;  // question -> targets with an earlier wording
  for (std::size_t i = 0; i < asked.size();) {
    const std::string question = asked[i].question;
    std::set<Labels>& done = answered[question];
    for (; i < asked.size() && asked[i].question == question; ++i) {
      Answer& answer = asked[i].answer;
      facts->queries.push_back(
          {question, asked[i].query.promql, asked[i].query.end, answer.series.size()});
      AddNotes(answer, &facts->warnings);
      std::set<Labels> here;
      for (Series& series : answer.series) {
        const Labels id = TargetId(series.labels);
        if (done.contains(id)) continue;
        here.insert(id);
        facts->answers[question].push_back(std::move(series));
      }
      done.insert(here.begin(), here.end());
    }
  }
}

/// Process starts that fall after the target's first scrape.
std::vector<TimeMs> Restarts(const Series& starts, TimeMs first_scrape) {
  std::set<TimeMs> times;
  for (const Sample& sample : starts.samples) {
    if (!std::isfinite(sample.v)) continue;
    const auto t = static_cast<TimeMs>(std::llround(sample.v * 1000));
    if (t > first_scrape) times.insert(t);
  }
  return {times.begin(), times.end()};
}

std::vector<Target> FindTargets(const Facts& facts) {
  std::map<Labels, std::vector<TimeMs>> scrapes;
  for (const std::string_view question : kOwnQuestions) {
    for (const Series& series : facts.Of(question)) scrapes[TargetId(series.labels)];
  }
  for (const auto& [question, answer] : facts.answers) {
    if (IsOneOf(question, kInstantQuestions)) continue;
    for (const Series& series : answer) {
      const auto it = scrapes.find(TargetId(series.labels));
      if (it != scrapes.end()) MergeTimes(series.samples, &it->second);
    }
  }
  std::vector<Target> targets;
  for (auto& [id, times] : scrapes) {
    if (times.empty()) continue;
    Target target{id, std::move(times), {}};
    for (const Series& series : facts.Of("process")) {
      if (series.labels.Get(kMetricName) == "process_start_time_seconds" &&
          TargetId(series.labels) == id) {
        target.restarts = Restarts(series, target.scrapes.front());
      }
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

const Target* FindTarget(const Facts& facts, const Labels& labels) {
  const Labels id = TargetId(labels);
  const auto it = std::find_if(facts.targets.begin(), facts.targets.end(),
                               [&](const Target& target) { return target.id == id; });
  return it == facts.targets.end() ? nullptr : &*it;
}

/// A counter as a histogram of one bucket: births, resets and window edges are treated alike.
HistogramSeries AsHistogram(const Series& series) {
  HistogramSeries out;
  out.labels = series.labels;
  out.bounds = {INFINITY};
  for (const Sample& sample : series.samples) {
    if (std::isnan(sample.v)) continue;
    out.times.push_back(sample.t);
    out.cumulative.push_back(sample.v);
    out.sums.push_back(sample.v);
    out.counts.push_back(sample.v);
  }
  return out;
}

/// Children of a family that has no buckets, only `_sum` and `_count`: all of their observations
/// are in the one bucket that ends at +Inf. Sums still add up.
std::vector<HistogramSeries> WithoutBuckets(const std::vector<Series>& answer,
                                            const std::string& family) {
  const std::string sum = family + "_sum", count = family + "_count";
  std::map<Labels, std::map<TimeMs, double>> sums;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != sum) continue;
    auto& values = sums[series.labels.Without(kMetricName)];
    for (const Sample& sample : series.samples) values[sample.t] = sample.v;
  }
  std::vector<HistogramSeries> out;
  for (const Series& series : answer) {
    if (series.labels.Get(kMetricName) != count) continue;
    HistogramSeries child = AsHistogram(series);
    child.labels = series.labels.Without(kMetricName);
    const auto& values = sums[child.labels];
    for (std::size_t i = 0; i < child.times.size(); ++i) {
      const auto at = values.find(child.times[i]);
      child.sums[i] = at == values.end() ? NAN : at->second;
    }
    out.push_back(std::move(child));
  }
  return out;
}

}  // namespace

const std::vector<Series>& Facts::Of(std::string_view question) const {
  static const std::vector<Series> kNone;
  const auto it = answers.find(std::string(question));
  return it == answers.end() ? kNone : it->second;
}

Labels TargetId(const Labels& labels) { return labels.Only(kTargetLabels); }

Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range) {
  Facts facts;
  facts.fetched = range;
  facts.selector = selector;
  std::vector<const Question*> own, rest;
  for (const Question& question : queries.questions()) {
    if (question.name == "alert") continue;
    (IsOneOf(question.name, kOwnQuestions) ? own : rest).push_back(&question);
  }
  Keep(AskQuestions(source, own, selector, range), &facts);
  if (selector.empty()) {
    std::set<Labels> targets;
    for (const Question* question : own) {
      for (const Series& series : facts.Of(question->name)) targets.insert(TargetId(series.labels));
    }
    facts.selector = SelectorOf(targets);
  }
  if (facts.Has("attempt") || facts.Has("algorithm")) {
    Keep(AskQuestions(source, rest, facts.selector, range), &facts);
  }
  facts.targets = FindTargets(facts);
  return facts;
}

TimeRange ScrapedRange(const Facts& facts) {
  TimeRange range{facts.fetched.end, facts.fetched.start};
  for (const Target& target : facts.targets) {
    range.start = std::min(range.start, target.scrapes.front());
    range.end = std::max(range.end, target.scrapes.back());
  }
  return range;
}

HistogramFacts HistogramOf(const Facts& facts, std::string_view question,
                           std::vector<std::string>* warnings) {
  HistogramFacts out;
  std::set<std::string> families;
  for (const Series& series : facts.Of(question)) {
    std::string_view name = series.labels.Get(kMetricName);
    for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
      if (name.ends_with(suffix)) {
        name.remove_suffix(suffix.size());
        break;
      }
    }
    if (families.insert(std::string(name)).second && out.family.empty()) out.family = name;
  }
  for (const std::string& family : families) {
    auto children = GroupHistograms(facts.Of(question), family, warnings);
    if (children.empty()) children = WithoutBuckets(facts.Of(question), family);
    std::move(children.begin(), children.end(), std::back_inserter(out.children));
  }
  return out;
}

std::vector<ScrapeIncreases> CellsOf(const HistogramFacts& histogram, const Facts& facts,
                                     const TimeRange& window) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramSeries& child : histogram.children) {
    const Target* target = FindTarget(facts, child.labels);
    if (target == nullptr) continue;
    ScrapeIncreases cells =
        IncreasesBetweenScrapes(child, target->scrapes, window, target->restarts);
    if (cells.cells() > 0) out.push_back(std::move(cells));
  }
  return out;
}

std::vector<CounterIncrease> IncreasesOf(const Facts& facts, std::string_view question,
                                         const TimeRange& window) {
  std::vector<CounterIncrease> out;
  for (const Series& series : facts.Of(question)) {
    const Target* target = FindTarget(facts, series.labels);
    if (target == nullptr) continue;
    const ScrapeIncreases cells =
        IncreasesBetweenScrapes(AsHistogram(series), target->scrapes, window, target->restarts);
    out.push_back({series.labels, TotalSum(cells)});
  }
  return out;
}

}  // namespace schedlens
