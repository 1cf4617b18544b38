#include "diagnose/collect/missing.h"

#include "base/suggestion.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::MetricRow;
using promql::Matcher;
using promql::MatchOp;

/// Jobs or names to name of those that are there.
constexpr std::size_t kMostElsewhere = 6;

/// Where the names that match the pattern under the selector are; empty without any.
std::optional<RelabelledMetrics> Look(Source& source, const std::string& selector,
                                      const TimeRange& range) {
  RelabelledMetrics found;
  const std::string statement = fmt::format(
      "count by (__name__, job) (last_over_time({{__name__=~\".*{}\", $selector}}[$window]))",
      kube::kOwnCounts);
  found.promql =
      Substitute(statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  const Answer answer = source.Ask({found.promql, range.end, range.end, 0});
  std::set<std::string> jobs, names;
  for (const Series& series : answer.series) {
    const std::string_view name = series.labels.Get(kMetricName);
    if (name.starts_with(kube::kOwnPrefix)) {
      jobs.emplace(series.labels.Get("job"));
    } else if (!name.empty()) {
      names.emplace(name);
    }
  }
  if (!jobs.empty()) {
    found.text = Message("elsewhere.labels",
                         {{"jobs", FirstNames({jobs.begin(), jobs.end()}, kMostElsewhere)}});
    found.fix = Message("elsewhere.labels.fix", {{"job", *jobs.begin()}});
    return found;
  }
  if (names.empty()) return std::nullopt;
  found.text = Message("elsewhere.names",
                       {{"names", FirstNames({names.begin(), names.end()}, kMostElsewhere)}});
  found.fix = Message("elsewhere.names.fix");
  return found;
}

/// The one metric whose absence counts: every scheduler up to 1.19 exports it from its first
/// moment. So does 1.20 the binding duration, but where that is absent, 1.20 with a relabelling
/// that drops it is as likely as 1.21, and the two measure a bind differently.
constexpr kube::Metric kAlwaysThere = kube::Metric::kPredicateEvaluation;

int Minor(std::string_view text) {
  int minor = 0;
  std::from_chars(text.data(), text.data() + text.size(), minor);
  return minor;
}

struct Need {
  std::string_view question;
  Metric metric;                     ///< the family that answers it, by its newest name
  bool optional = false;             ///< absent from a healthy scheduler too
  std::optional<Metric> older = {};  ///< older name of the family, asked for too
  bool cornerstone = false;          ///< the split of the time rests on it, on all of its parts
};

constexpr Need kNeeds[] = {
    {.question = "attempt", .metric = Metric::kAttempt, .older = Metric::kE2e, .cornerstone = true},
    {.question = "algorithm", .metric = Metric::kAlgorithm, .cornerstone = true},
    {.question = "extension_point", .metric = Metric::kExtensionPoint, .cornerstone = true},
    {.question = "binding", .metric = Metric::kBinding},
    {.question = "plugin_execution", .metric = Metric::kPlugin},
    {.question = "pod_scheduling", .metric = Metric::kPodSli, .older = Metric::kPodDuration},
    {.question = "rest_request", .metric = Metric::kRestRequest},
    {.question = "rate_limiter", .metric = Metric::kRestLimiter},
    {.question = "process", .metric = Metric::kProcessCpu},
    {.question = "pending_pods", .metric = Metric::kPendingPods},
    {.question = "preemption_attempts", .metric = Metric::kPreemptionAttempts},
    {.question = "goroutines", .metric = Metric::kGoroutines, .older = Metric::kGoroutinesOld},
    {.question = "permit_wait", .metric = Metric::kPermitWait, .optional = true},
    {.question = "leader", .metric = Metric::kLeader, .optional = true},
};

struct Shown {
  bool by_some = false;  ///< some release of the range shows the metric
  bool by_all = true;
};

Shown ShownBy(const MetricRow& row, const ReleaseRange& release) {
  Shown shown;
  for (int minor = release.oldest; minor <= release.newest; ++minor) {
    const bool visible = PresenceIn(row, minor) == kube::Presence::kVisible;
    shown.by_some |= visible;
    shown.by_all &= visible;
  }
  return shown;
}

/// The family by the name that the release uses: the older one only where the newest is not there
/// yet.
const MetricRow& FamilyIn(const Need& need, const ReleaseRange& release) {
  const MetricRow& newest = RowOf(need.metric);
  return need.older && !ShownBy(newest, release).by_some ? RowOf(*need.older) : newest;
}

std::string Minor(int minor) { return fmt::format("1.{}", minor); }

/// The other name of a metric that was renamed, with the releases that use it.
Message OtherName(const Need& need, const MetricRow& family) {
  if (!need.older) return {};
  const MetricRow& newest = RowOf(need.metric);
  const bool is_newest = family.id == newest.id;
  return Message(is_newest ? "missing.called_before" : "missing.called_since",
                 {{"other", arg::Metric(is_newest ? NameOf(*need.older) : newest.name)},
                  {"release", Minor(is_newest ? newest.first - 1 : newest.first)}});
}

/// Whether the question's answer holds this part of a histogram: `_bucket`, `_sum` or `_count`.
bool HasPart(const Facts& facts, std::string_view question, std::string_view part) {
  const std::vector<Series>& series = facts.Of(question);
  return std::ranges::any_of(series, [part](const Series& one) {
    return one.labels.Get(kMetricName).ends_with(part) || !one.histograms.empty();
  });
}

/// What is lost with the parts of a histogram that are missing; empty when nothing is.
Message LostParts(const Facts& facts, const MissingMetric& missing) {
  const bool buckets = HasPart(facts, missing.question, "_bucket");
  const bool sum = HasPart(facts, missing.question, "_sum");
  const bool count = HasPart(facts, missing.question, "_count");
  if (buckets && sum) return {};
  const Value metric = arg::Metric(missing.metric);
  if (buckets) return Message("missing.sum", {{"metric", metric}});
  if (sum && count) return Message("missing.bucket", {{"metric", metric}});
  return Message("missing.both",
                 {{"metric", arg::Metric(missing.metric + (sum ? "_sum" : "_count"))}});
}

MissingMetric Describe(const Need& need, const Facts& facts, const ReleaseRange& release) {
  MissingMetric missing;
  missing.question = need.question;
  const MetricRow& family = FamilyIn(need, release);
  missing.metric = family.name;
  missing.cornerstone = need.cornerstone;
  if (facts.Has(need.question)) {
    missing.text = LostParts(facts, missing);
    return missing;
  }
  std::vector<Message> notes;
  const Message why = WhyAbsent(missing.metric, release);
  if (!why.empty()) notes.push_back(why);
  const Message other = OtherName(need, family);
  if (why.empty() && !other.empty()) notes.push_back(other);
  missing.quiet = need.optional || why.id.starts_with("absent.removed");
  const bool certain = ShownBy(family, release).by_all;
  missing.expected = need.optional || !why.empty() || (release.known() && !certain);
  if (!need.optional && why.empty() && release.known() && !certain) {
    notes.push_back(Message("missing.some_releases", {{"release", ToString(release)}}));
  }
  if (!missing.expected && release.known()) {
    notes.push_back(Message("missing.not_scraped", {{"release", ToString(release)}}));
  }
  missing.text = Message("missing.metric", {{"metric", arg::Metric(missing.metric)},
                                            {"cost", Message("missing.cost." + missing.question)}});
  if (!notes.empty()) {
    missing.text.id = "missing.metric.noted";
    missing.text.args.push_back({"notes", std::move(notes)});
  }
  return missing;
}

/// Values or labels to name of those that are there.
constexpr std::size_t kMostNamed = 4;

bool IsOfName(const Matcher& one) { return one.name == kMetricName; }

std::string Braced(const std::vector<Matcher>& matchers) {
  return fmt::format("{{{}}}",
                     promql::MatchersToString({.name = {}, .matchers = matchers, .shift = {}}));
}

class Search {
 public:
  Search(Source& source, const std::vector<Matcher>& matchers, const TimeRange& range,
         const std::string& what)
      : source_(source), range_(range), all_(matchers) {
    for (const Matcher& one : matchers) (IsOfName(one) ? names_ : others_).push_back(one);
    named_ = names_.size() == 1 && names_[0].op == MatchOp::kEqual;
    what_ = named_ || (what.empty() && !names_.empty()) ? names_[0].value : what;
  }

  Message Run() {
    if (names_.empty()) return {};
    const std::vector<Series> rows = Rows();
    if (!rows.empty()) return WhichFails(rows);
    if (const auto near = FindNearestScrape(source_, Braced(all_), range_)) {
      return Message(near->before ? "hint.seen_before" : "hint.seen_after",
                     {{"what", what_}, {"at", FormatTime(near->at)}});
    }
    return named_ ? WhichName() : Message();
  }

 private:
  std::vector<Series> Ask(const std::string& statement) {
    const std::string window = FormatDuration(std::max<TimeMs>(range_.end - range_.start, 1));
    const std::string promql = Substitute(statement, "", window);
    return source_.Ask({promql, range_.end, range_.end, 0}).series;
  }

  /// Which values the matchers' labels have, of the series with that name.
  std::vector<Series> Rows() {
    std::set<std::string> labels;
    for (const Matcher& one : others_) labels.insert(one.name);
    return Ask(fmt::format("count by ({}) (last_over_time({}[$window]))", fmt::join(labels, ", "),
                           Braced(names_)));
  }

  Message WhichFails(const std::vector<Series>& rows) {
    const auto accepted = [&](std::span<const Matcher> some) {
      return std::ranges::any_of(
          rows, [&](const Series& row) { return promql::Accept(some, row.labels); });
    };
    for (const Matcher& one : others_) {
      if (!accepted(std::span(&one, 1))) return OfMatcher(one, rows);
    }
    if (accepted(others_)) return {};
    return Message("hint.together", {{"what", what_}, {"matchers", arg::Promql(Braced(others_))}});
  }

  Message OfMatcher(const Matcher& one, const std::vector<Series>& rows) {
    std::set<std::string> values;
    for (const Series& row : rows) {
      if (row.labels.Has(one.name)) values.emplace(row.labels.Get(one.name));
    }
    if (values.empty()) return OfLabel(one);
    Message hint("hint.matcher", {{"what", what_}, {"matcher", arg::Promql(ToString(one))}});
    const std::string near = Meant(one.value, {values.begin(), values.end()});
    if (near.empty()) {
      hint.id = "hint.matcher.values";
      hint.args.push_back({"label", one.name});
      hint.args.push_back({"values", FirstNames({values.begin(), values.end()}, kMostNamed)});
    } else {
      hint.args.push_back(
          {"near", arg::Promql(ToString(Matcher{MatchOp::kEqual, one.name, near}))});
    }
    return hint;
  }

  Message OfLabel(const Matcher& one) {
    std::set<std::string> labels;
    for (const Series& series :
         Ask(fmt::format("topk(1, last_over_time({}[$window]))", Braced(names_)))) {
      for (const auto& [name, value] : series.labels) {
        if (name != kMetricName) labels.emplace(name);
      }
    }
    const std::string near = Meant(one.name, {labels.begin(), labels.end()});
    return Message(
        near.empty() ? "hint.label.others" : "hint.label",
        {{"what", what_},
         {"label", one.name},
         {"near", near.empty() ? FirstNames({labels.begin(), labels.end()}, kMostNamed) : near}});
  }

  /// The names here that begin as the one that was asked for does, else as a scheduler's.
  std::set<std::string> NamesHere() {
    for (const std::string& prefix :
         {what_.substr(0, what_.find('_')) + "_", std::string(kube::kOwnPrefix)}) {
      std::set<std::string> names;
      const Matcher begin{MatchOp::kRegex, std::string(kMetricName), prefix + ".+"};
      for (const Series& series :
           Ask(fmt::format("count by (__name__) (last_over_time({}[$window]))", Braced({begin})))) {
        names.emplace(series.labels.Get(kMetricName));
      }
      if (!names.empty()) return names;
    }
    return {};
  }

  /// Of a scheduler's metric: why its release does not have it.
  Message WhyReleaseHasNone() {
    Facts facts;
    facts.answers["release"] = Ask(QuerySet::Embedded().Get("release").statements.front());
    // Others' build information, too.
    std::erase_if(facts.answers["release"], [](const Series& series) {
      return !series.labels.Get(kMetricName).starts_with(kube::kOwnPrefix);
    });
    return WhyAbsent(what_, DetectRelease(facts));
  }

  /// The name by which an earlier or a later release has the metric, where that is here.
  std::string OtherName(const std::set<std::string>& here) {
    const kube::MetricRow* row = kube::FindMetric(what_);
    if (row == nullptr) return "";
    std::vector<std::string_view> others;
    if (!row->successor.empty()) others.push_back(row->successor);
    if (const auto* before = PredecessorOf(*row)) others.push_back(before->name);
    for (const std::string_view other : others) {
      std::string name(other);
      if (what_.starts_with(row->name)) name += what_.substr(row->name.size());
      if (here.contains(name)) return name;
    }
    return "";
  }

  Message WhichName() {
    const std::set<std::string> here = NamesHere();
    const std::string other = OtherName(here);
    if (!other.empty()) return Message("hint.renamed", {{"what", what_}, {"other", other}});
    const Message absent = WhyReleaseHasNone();
    if (!absent.empty()) return Message("hint.absent", {{"what", what_}, {"why", absent}});
    const std::string near = Meant(what_, {here.begin(), here.end()});
    if (near.empty()) return Message("hint.name", {{"what", what_}});
    return Message("hint.name.near", {{"what", what_}, {"near", near}});
  }

  Source& source_;
  TimeRange range_;
  std::vector<Matcher> all_, names_, others_;
  bool named_ = false;
  std::string what_;
};

constexpr TimeMs kDay = TimeMs{24} * 60 * 60 * 1000;

std::optional<TimeMs> TimeFrom(Source& source, const std::string& promql, TimeMs at) {
  const Answer answer = source.Ask({promql, at, at, 0});
  if (answer.series.empty() || answer.series[0].samples.empty()) return std::nullopt;
  return TimeOfSeconds(answer.series[0].samples.back().v);
}

}  // namespace

std::string FirstNames(std::vector<std::string> names, std::size_t most) {
  const bool more = names.size() > most;
  names.resize(std::min(names.size(), most));
  std::ranges::replace(names, std::string(), std::string("(none)"));
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

std::optional<RelabelledMetrics> FindRelabelledMetrics(Source& source, const std::string& selector,
                                                       const TimeRange& range) {
  try {
    auto found = selector.empty() ? std::nullopt : Look(source, selector, range);
    return found ? found : Look(source, "", range);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
    RelabelledMetrics failed;
    failed.failure = Message("elsewhere.unknown", {{"error", error.what()}});
    return failed;
  }
}

ReleaseRange DetectRelease(const Facts& facts) {
  ReleaseRange release;
  const auto& present = facts.Of("release");
  if (present.empty()) return release;
  std::set<const kube::MetricRow*> seen;
  for (const Series& series : present) {
    if (const auto* row = kube::FindMetric(series.labels.Get(kMetricName))) seen.insert(row);
  }
  for (const Series& series : present) {
    if (series.labels.Get(kMetricName) != kube::NameOf(kube::Metric::kBuildInfo)) continue;
    const int minor = Minor(series.labels.Get("minor"));
    if (minor <= 0) continue;
    return {minor, minor, std::string(series.labels.Get("git_version"))};
  }
  for (const kube::MetricRow* row : seen) {
    release.newest = std::min(release.newest, kube::LastShown(*row));
  }
  // What is older than the table's first release is told by names that ended with it.
  const bool old = release.newest <= kube::kOldestRelease;
  if (old) release.oldest = kube::kOldestNamed;
  for (const kube::MetricRow* row : seen) release.oldest = std::max(release.oldest, row->first);
  const kube::MetricRow& always = kube::RowOf(kAlwaysThere);
  if (!old && !seen.contains(&always)) release.oldest = std::max(release.oldest, always.last + 1);
  // Replicas of different releases show metrics whose lifetimes do not meet.
  if (release.oldest > release.newest) std::swap(release.oldest, release.newest);
  return release;
}

std::string ToString(const ReleaseRange& release) {
  if (!release.exact.empty()) return release.exact;
  if (!release.known()) return "";
  if (release.newest == kube::kNoEnd) return fmt::format("1.{} or later", release.oldest);
  // Names do not tell that release from those before it.
  if (release.newest == kube::kOldestNamed) return fmt::format("1.{} or earlier", release.newest);
  if (release.oldest == release.newest) return fmt::format("1.{}", release.oldest);
  return fmt::format("1.{}-1.{}", release.oldest, release.newest);
}

std::vector<MissingMetric> MissingMetrics(const Facts& facts, const ReleaseRange& release) {
  std::vector<MissingMetric> all;
  if (facts.targets.empty()) return all;
  for (const Need& need : kNeeds) {
    const bool there = facts.Has(need.question);
    if (there && !need.cornerstone) continue;
    MissingMetric missing = Describe(need, facts, release);
    if (!missing.text.empty()) all.push_back(std::move(missing));
  }
  return all;
}

Message WhyAbsent(std::string_view metric, const ReleaseRange& release) {
  const MetricRow* row = kube::FindMetric(metric);
  if (row == nullptr || !release.known() || ShownBy(*row, release).by_some) return {};
  const auto say = [](std::string id, int minor, std::string_view suffix, std::string_view other) {
    Message message(std::move(id), {{"release", Minor(minor)}});
    if (!other.empty()) {
      message.id += suffix;
      message.args.push_back({"other", arg::Metric(other)});
    }
    return message;
  };
  if (row->first > release.newest) {
    const MetricRow* before = PredecessorOf(*row);
    return say("absent.since", row->first, ".before", before == nullptr ? "" : before->name);
  }
  const std::string_view after = row->successor;
  if (release.oldest > row->last) return say("absent.removed", row->last + 1, ".after", after);
  return say("absent.hidden", row->hidden, ".after", after);
}

Message WhyEmpty(Source& source, const std::vector<Matcher>& matchers, const TimeRange& range,
                 const std::string& what) {
  try {
    return Search(source, matchers, range, what).Run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
    return {};
  }
}

std::vector<Message> WhyEmptyOf(Source& source, const std::string& promql, const TimeRange& range) {
  std::vector<Message> hints;
  promql::Walk(*promql::Parse(promql), [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr || selector->shift != promql::TimeShift()) return;
    const TimeMs back = std::max(selector->range_ms, promql::kLookbackMs);
    Message hint = WhyEmpty(source, selector->matchers, {range.start - back, range.end});
    const bool told = std::ranges::find(hints, hint) != hints.end();
    if (!hint.empty() && !told) hints.push_back(std::move(hint));
  });
  return hints;
}

std::optional<NearestScrape> FindNearestScrape(Source& source, const std::string& selector,
                                               const TimeRange& range) {
  const auto extent = source.Describe().extent;
  // A server is asked at the range's end: what is still scraped then is not missing.
  const TimeMs until = extent ? std::min(range.end, extent->end) : range.end;
  for (const char* back : {"1d", "15d"}) {
    NearestScrape found{0, true,
                        fmt::format("max(max_over_time(timestamp({})[{}:5m]))", selector, back)};
    const auto seen = TimeFrom(source, found.promql, until);
    if (seen && *seen >= range.start) return std::nullopt;
    if (!seen) continue;
    // To the scrape: the steps of 5m pass over what comes after the last of them.
    constexpr TimeMs kTwoSteps = TimeMs{10} * 60 * 1000;
    const auto last = fmt::format("max(max_over_time(timestamp({})[10m:15s]))", selector);
    found.at = TimeFrom(source, last, std::min(until, *seen + kTwoSteps)).value_or(*seen);
    return found;
  }
  NearestScrape found{0, false, fmt::format("min(min_over_time(timestamp({})[1d:5m]))", selector)};
  const TimeMs from = extent ? std::max(range.end, extent->start) : range.end;
  const auto seen = TimeFrom(source, found.promql, from + kDay);
  if (!seen || *seen <= range.end) return std::nullopt;
  found.at = *seen;
  return found;
}

}  // namespace schedlens
