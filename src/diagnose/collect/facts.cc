#include "diagnose/collect/facts.h"

#include "kube/metrics.h"

namespace schedlens {
namespace {

const std::vector<std::string>& NameOfTarget() {
  static const std::vector<std::string> names = {"cluster", "job", "instance", "pod"};
  return names;
}

/// Equal where the labels of NameOfTarget are.
std::string NameKey(const Labels& labels) {
  std::string key;
  for (const std::string& name : NameOfTarget()) key.append(labels.Get(name)).push_back('\0');
  return key;
}

/// Better is larger: how many labels of the process the series has, then how few it lacks.
using Fit = std::pair<std::size_t, std::ptrdiff_t>;

/// Nothing when the two, of one name, are of different processes.
std::optional<Fit> FitOf(const Labels& process, const Labels& series) {
  std::size_t common = 0;
  for (const auto& [name, value] : process) {
    const std::string_view other = series.Get(name);
    if (other == value) {
      ++common;
    } else if (!other.empty()) {
      return std::nullopt;
    }
  }
  return Fit{common,
             static_cast<std::ptrdiff_t>(common) - static_cast<std::ptrdiff_t>(process.size())};
}

std::optional<Fit> FitOf(const Target& target, const Labels& series) {
  if (target.processes.empty()) return FitOf(target.id, series);
  std::optional<Fit> best;
  for (const Labels& process : target.processes) {
    best = std::max(best, FitOf(process, series));
  }
  return best;
}

using ScrapesOfProcess = std::pair<Labels, std::vector<TimeMs>>;

/// Processes of one name: a new target for each that ran at the same time as another.
std::vector<Target> TargetsOfName(const Labels& name, std::vector<ScrapesOfProcess> processes) {
  std::ranges::stable_sort(
      processes, [](const auto& a, const auto& b) { return a.second.front() < b.second.front(); });
  std::vector<Target> targets;
  for (auto& [labels, scrapes] : processes) {
    const TimeMs first = scrapes.front();
    const auto before = std::ranges::find_if(
        targets, [&](const Target& target) { return target.scrapes.back() < first; });
    if (before == targets.end()) {
      targets.push_back({name, std::move(scrapes), {}, {labels}});
    } else {
      before->scrapes.insert(before->scrapes.end(), scrapes.begin(), scrapes.end());
      before->processes.push_back(labels);
    }
  }
  for (Target& target : targets) {
    if (targets.size() > 1) target.id = target.processes.front();
  }
  return targets;
}

/// Asked with the alert, and the samples of `attempt` for whoever evaluates the set by itself.
constexpr std::string_view kAskedElsewhere[] = {"alert", "e2e"};

/// The questions of what only a kube-scheduler exposes (kube::kOwnCounts); they tell who the
/// schedulers are.
constexpr std::string_view kOwnQuestions[] = {"attempt", "algorithm"};

/// Instant questions about the state at the end, not raw samples.
constexpr std::string_view kInstantQuestions[] = {"release"};

/// The questions with the longest answers. They are asked first: what begins last ends last.
constexpr std::string_view kLongest[] = {"extension_point", "plugin_execution", "rest_request",
                                         "pod_scheduling"};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// What finds the targets seen so far.
std::string SelectorOf(const std::vector<Target>& targets) {
  std::vector<Labels> schedulers;
  for (const Target& target : targets) schedulers.push_back(target.id);
  return kube::JobMatcher(schedulers);
}

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

/// Until the targets are known, those of the scheduler's own metrics are told by their process.
Labels TargetOrProcess(const Facts& facts, const TargetIndex& index, const Labels& labels) {
  if (facts.targets.empty()) return ProcessOf(labels);
  const auto target = index.Find(labels);
  return target ? facts.targets[*target].id : NameLabels(labels);
}

void Keep(std::vector<Asked> asked, Facts* facts) {
  const TargetIndex index(facts->targets);
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
        const Labels id = TargetOrProcess(*facts, index, series.labels);
        if (done.contains(id)) {
          facts->superseded.push_back(std::move(series));
          continue;
        }
        here.insert(id);
        facts->answers[question].push_back(std::move(series));
      }
      done.insert(here.begin(), here.end());
    }
  }
}

/// The series whose metrics only a kube-scheduler exposes.
std::vector<const Series*> OwnSeries(const Facts& facts) {
  std::vector<const Series*> own;
  for (const std::string_view question : kOwnQuestions) {
    for (const Series& series : facts.Of(question)) own.push_back(&series);
  }
  return own;
}

/// A scrape reads its counters some time after its timestamp.
constexpr TimeMs kReadingMs = 500;
/// Values that a count must have had for two processes not to agree by chance.
constexpr std::size_t kLeastValues = 4;

/// A count's samples, by what it counts.
using Counts = std::map<Labels, std::vector<Sample>>;

/// Of each target the counts of attempts; restarts of a process follow each other in one list.
std::vector<Counts> CountsOfTargets(const Facts& facts) {
  const TargetIndex index(facts.targets);
  std::vector<Counts> all(facts.targets.size());
  for (const std::string_view question : kOwnQuestions) {
    for (const Series& series : facts.Of(question)) {
      if (!CountsAll(series.labels)) continue;
      const auto target = index.Find(series.labels);
      if (!target) continue;
      std::vector<Sample>& samples = all[*target][series.labels.Only(MeasurementLabels())];
      samples.insert(samples.end(), series.samples.begin(), series.samples.end());
    }
  }
  for (Counts& counts : all) {
    for (auto& [what, samples] : counts) {
      std::ranges::stable_sort(samples, {}, &Sample::t);
    }
  }
  return all;
}

/// Whether every sample lies between the other's samples before and after it. Around a restart of
/// the other nothing is said.
bool LieBetween(const std::vector<Sample>& samples, const std::vector<Sample>& other) {
  for (const Sample& sample : samples) {
    const auto after = std::ranges::lower_bound(other, sample.t + kReadingMs, {}, &Sample::t);
    const auto until = std::ranges::upper_bound(other, sample.t - kReadingMs, {}, &Sample::t);
    const bool has_before = until != other.begin(), has_after = after != other.end();
    if (has_before && has_after && after->v < std::prev(until)->v) continue;
    if (has_before && sample.v < std::prev(until)->v) return false;
    if (has_after && sample.v > after->v) return false;
  }
  return true;
}

/// How many values the samples have within the range.
std::size_t DifferentValues(const std::vector<Sample>& samples, const TimeRange& range) {
  std::set<double> values;
  for (const Sample& sample : samples) {
    if (sample.t >= range.start && sample.t <= range.end) values.insert(sample.v);
  }
  return values.size();
}

/// How many values both had while both were scraped: 0 when one follows the other.
std::size_t ValuesOfBoth(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  if (a.empty() || b.empty()) return 0;
  const TimeRange both{std::max(a.front().t, b.front().t), std::min(a.back().t, b.back().t)};
  return std::min(DifferentValues(a, both), DifferentValues(b, both));
}

/// How many values the counts had that both have, if these agree; nothing where they do not.
std::optional<std::size_t> Agreeing(const Counts& a, const Counts& b) {
  std::size_t values = 0;
  for (const auto& [what, samples] : a) {
    const auto other = b.find(what);
    if (other == b.end()) continue;
    if (!LieBetween(samples, other->second) || !LieBetween(other->second, samples)) {
      return std::nullopt;
    }
    values = std::max(values, ValuesOfBoth(samples, other->second));
  }
  return values;
}

struct Name {
  explicit Name(const Labels& id)
      : cluster(id.Get("cluster")),
        pod(id.Get("pod")),
        job(id.Get("job")),
        instance(id.Get("instance")) {}
  std::string_view cluster, pod, job, instance;
};

/// A process has one cluster and one pod, and within a job one instance.
bool NamedApart(const Name& a, const Name& b) {
  const auto differ = [](std::string_view one, std::string_view other) {
    return !one.empty() && !other.empty() && one != other;
  };
  return differ(a.cluster, b.cluster) || differ(a.pod, b.pod) ||
         (!differ(a.job, b.job) && differ(a.instance, b.instance));
}

bool IsSameProcess(const Target& a, const Target& b, const Counts& of_a, const Counts& of_b) {
  std::vector<TimeMs> common;
  std::set_intersection(a.starts.begin(), a.starts.end(), b.starts.begin(), b.starts.end(),
                        std::back_inserter(common));
  const bool known = !a.starts.empty() && !b.starts.empty();
  if (known && common.empty()) return false;
  const auto values = Agreeing(of_a, of_b);
  return values && *values >= (known ? 1 : kLeastValues);
}

struct Duplicate {
  std::size_t dropped = 0, kept = 0;
};

/// Ascending by `dropped`.
std::vector<Duplicate> FindDuplicates(const Facts& facts) {
  const std::vector<Target>& targets = facts.targets;
  if (targets.size() < 2) return {};
  const std::vector<Counts> counts = CountsOfTargets(facts);
  std::vector<std::size_t> order(targets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return targets[a].scrapes.size() > targets[b].scrapes.size();
  });
  std::vector<Name> names;
  for (const Target& target : targets) names.emplace_back(target.id);
  std::vector<std::size_t> kept;
  std::vector<Duplicate> found;
  for (const std::size_t i : order) {
    const auto same = std::ranges::find_if(kept, [&](std::size_t k) {
      return !NamedApart(names[k], names[i]) &&
             IsSameProcess(targets[k], targets[i], counts[k], counts[i]);
    });
    if (same == kept.end()) {
      kept.push_back(i);
    } else {
      found.push_back({i, *same});
    }
  }
  std::ranges::sort(found, {}, &Duplicate::dropped);
  return found;
}

}  // namespace

std::vector<TimeMs> Target::restarts() const {
  if (scrapes.empty()) return starts;
  return {std::ranges::upper_bound(starts, scrapes.front()), starts.end()};
}

const std::vector<std::string>& MeasurementLabels() {
  static const std::vector<std::string> names = {
      "__name__", "le",     "quantile", "result",    "profile",  "extension_point",
      "status",   "plugin", "attempts", "verb",      "url",      "call_type",
      "queue",    "event",  "work",     "operation", "__type__", "__unit__"};
  return names;
}

Labels ProcessOf(const Labels& labels) { return labels.Without(MeasurementLabels()); }

Labels NameLabels(const Labels& labels) { return labels.Only(NameOfTarget()); }

bool CountsAll(const Labels& labels) {
  const std::string_view name = labels.Get(kMetricName);
  return name.ends_with("_count") || (name.ends_with("_bucket") && labels.Get("le") == "+Inf");
}

std::vector<Target> TargetsOf(std::span<const Series* const> own) {
  std::map<Labels, std::vector<TimeMs>> scrapes;
  for (const Series* series : own) {
    MergeTimes(series->samples, &scrapes[ProcessOf(series->labels)]);
  }
  std::map<Labels, std::vector<ScrapesOfProcess>> names;
  for (auto& [process, times] : scrapes) {
    if (!times.empty()) names[NameLabels(process)].emplace_back(process, std::move(times));
  }
  std::vector<Target> targets;
  for (auto& [name, processes] : names) {
    for (Target& target : TargetsOfName(name, std::move(processes))) {
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

TargetIndex::TargetIndex(std::span<const Target> targets) : targets_(targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) by_name_[NameKey(targets[i].id)].push_back(i);
}

std::optional<std::size_t> TargetIndex::Find(const Labels& labels) const {
  const auto named = by_name_.find(NameKey(labels));
  if (named == by_name_.end()) return std::nullopt;
  std::optional<std::size_t> found;
  std::optional<Fit> best;
  for (const std::size_t i : named->second) {
    const auto fit = FitOf(targets_[i], labels);
    if (!fit || fit < best) continue;
    found = fit == best ? std::nullopt : std::optional(i);
    best = fit;
  }
  return found;
}

void AddToTargets(std::span<const Series> all, std::vector<Target>* targets) {
  const TargetIndex index(*targets);
  for (const Series& series : all) {
    const auto at = index.Find(series.labels);
    if (!at) continue;
    Target& target = (*targets)[*at];
    MergeTimes(series.samples, &target.scrapes);
    if (series.labels.Get(kMetricName) != NameOf(kube::Metric::kProcessStart)) continue;
    for (const Sample& sample : series.samples) {
      const auto start = TimeOfSeconds(sample.v);
      if (!start) continue;
      const auto place = std::ranges::lower_bound(target.starts, *start);
      if (place == target.starts.end() || *place != *start) target.starts.insert(place, *start);
    }
  }
}

const std::vector<Series>& AnsweredQuestions::Of(std::string_view question) const {
  static const std::vector<Series> kNone;
  const auto it = answers.find(std::string(question));
  return it == answers.end() ? kNone : it->second;
}

Facts Collect(Source& source, const QuerySet& queries, const std::string& selector,
              const TimeRange& range) {
  Facts facts;
  facts.fetched = range;
  facts.selector = facts.given_selector = selector;
  std::vector<const Question*> own, rest;
  for (const Question& question : queries.questions()) {
    if (IsOneOf(question.name, kAskedElsewhere) || !IsOfSchedulers(question)) continue;
    (IsOneOf(question.name, kOwnQuestions) ? own : rest).push_back(&question);
  }
  Keep(AskQuestions(source, own, selector, range), &facts);
  facts.targets = TargetsOf(OwnSeries(facts));
  if (selector.empty()) facts.selector = SelectorOf(facts.targets);
  if (facts.Has("attempt") || facts.Has("algorithm")) {
    Keep(AskQuestions(source, rest, facts.selector, range), &facts);
  }
  for (const auto& [question, answer] : facts.answers) {
    if (IsOneOf(question, kInstantQuestions)) continue;
    AddToTargets(answer, &facts.targets);
  }
  DropDuplicates(&facts);
  return facts;
}

TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes) {
  std::vector<TimeMs> gaps;
  for (std::size_t i = 1; i < scrapes.size(); ++i) gaps.push_back(scrapes[i] - scrapes[i - 1]);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

TimeMs SampleInterval(const Series& series) {
  std::vector<TimeMs> times;
  for (const Sample& sample : series.samples) times.push_back(sample.t);
  return ScrapeInterval(times);
}

TimeRange ScrapedRange(const Facts& facts) {
  TimeRange range{facts.fetched.end, facts.fetched.start};
  for (const Target& target : facts.targets) {
    range.start = std::min(range.start, target.scrapes.front());
    range.end = std::max(range.end, target.scrapes.back());
  }
  return range;
}

TimeRange WatchedRange(const Facts& facts) {
  TimeRange range = ScrapedRange(facts);
  if (facts.silence) range.end = facts.silence->until;
  return range;
}

void DropDuplicates(Facts* facts) {
  const std::vector<Duplicate> duplicates = FindDuplicates(*facts);
  if (duplicates.empty()) return;
  std::set<std::size_t> dropped;
  for (const Duplicate& one : duplicates) {
    dropped.insert(one.dropped);
    facts->warnings.push_back(
        Message("target.duplicate", {{"dropped", facts->targets[one.dropped].id.ToString()},
                                     {"kept", facts->targets[one.kept].id.ToString()}}));
  }
  const TargetIndex index(facts->targets);
  const auto is_dropped = [&](const Series& series) {
    const auto target = index.Find(series.labels);
    return target && dropped.contains(*target);
  };
  for (auto& [question, series] : facts->answers) std::erase_if(series, is_dropped);
  std::erase_if(facts->superseded, is_dropped);
  std::vector<Target> left;
  for (std::size_t i = 0; i < facts->targets.size(); ++i) {
    if (!dropped.contains(i)) left.push_back(std::move(facts->targets[i]));
  }
  facts->targets = std::move(left);
}

}  // namespace schedlens
