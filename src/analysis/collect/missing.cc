#include "analysis/collect/missing.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;
using kube::MetricRow;

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
