#include "diagnose/collect/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "kube/metrics.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::MetricRow;

constexpr std::size_t kShown = 6;

std::string Listed(const std::set<std::string>& all) {
  std::vector<std::string> names(all.begin(), all.end());
  std::replace(names.begin(), names.end(), std::string(), std::string("(none)"));
  const auto end = names.begin() + static_cast<long>(std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     names.size() > kShown ? ", ..." : "");
}

/// Where the names that match the pattern under the selector are; empty without any.
std::optional<RelabelledMetrics> Look(Source& source, const std::string& selector,
                                      const TimeRange& range) {
  RelabelledMetrics found;
  const std::string statement = fmt::format(
      "count by (__name__, job) (last_over_time({{__name__=~\".*{}\", $selector}}[$window]))",
      kube::kOwnCounts);
  found.promql =
      Substitute(statement, selector, FormatDuration(std::max<TimeMs>(range.end - range.start, 1)));
  const Answer answer =
      source.Ask({.promql = found.promql, .start = range.end, .end = range.end, .step_ms = 0});
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
    found.text = Message("elsewhere.labels", {{"jobs", Listed(jobs)}});
    found.fix = Message("elsewhere.labels.fix", {{"job", *jobs.begin()}});
    return found;
  }
  if (names.empty()) return std::nullopt;
  found.text = Message("elsewhere.names", {{"names", Listed(names)}});
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

/// What a question is needed for.
struct Need {
  std::string_view question;
  Metric metric;                     ///< the family that answers it, by its newest name
  bool optional = false;             ///< absent from a healthy scheduler too
  std::optional<Metric> older = {};  ///< older name of the family, asked for too
};

constexpr Need kNeeds[] = {
    {.question = "attempt", .metric = Metric::kAttempt, .older = Metric::kE2e},
    {.question = "algorithm", .metric = Metric::kAlgorithm},
    {.question = "extension_point", .metric = Metric::kExtensionPoint},
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
  return std::any_of(series.begin(), series.end(), [part](const Series& one) {
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

/// The split of the time rests on these.
bool WantsAllParts(std::string_view question) {
  return question == "attempt" || question == "algorithm" || question == "extension_point";
}

MissingMetric Describe(const Need& need, const Facts& facts, const ReleaseRange& release) {
  MissingMetric missing;
  missing.question = need.question;
  const MetricRow& family = FamilyIn(need, release);
  missing.metric = family.name;
  missing.cornerstone = WantsAllParts(need.question);
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

}  // namespace

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
    if (there && !WantsAllParts(need.question)) continue;
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

}  // namespace schedlens
