#pragma once

// The fields of a diagnosis in JSON. JSON out: the reports' values become a tree whose members keep
// their order (to_json, as nlohmann_json asks for it), the tree becomes text.

#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/json.h"
#include "contract/diagnosis.h"

/// Absent is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
};

namespace schedlens {

// Which JSON field holds which member of a Diagnosis: one list, walked by the writer, the
// reader and the check (report/commands.h), so that they cannot disagree. diagnosis.schema.json
// describes the same fields.
//
// An `Io` offers io(key, member) for text, flags, plain numbers, enumerations, vectors, optionals,
// the structs below, and times, which are unix seconds; one that may be absent may be so as a
// field, too. A message is two fields: its English sentence, and as KEY_detail {id, args, text}.
// Several are two arrays, KEYS and KEY_details. Other functions are for numbers that need more:
//   io.Number(key, member, unit, basis)   a bare double as {"value","low","high","unit","basis"}
//   io.OrNull(key, member)                a double that may be unknown: NaN, null; no other may
//   io.Bound(key, member), io.Bounds      bucket bounds; +Inf as null
//   io.Added(key, member)                 any member that documents of before it was added lack

/// What the writer may only read and the reader fills in.
template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

/// io(key, member) of each pair.
void Each(auto& io, std::string_view key, auto& member, auto&... more) {
  io(key, member);
  if constexpr (sizeof...(more) > 0) Each(io, more...);
}

/// The same of members that older documents lack.
void EachAdded(auto& io, std::string_view key, auto& member, auto&... more) {
  io.Added(key, member);
  if constexpr (sizeof...(more) > 0) EachAdded(io, more...);
}

void Fields(auto& io, Is<Measured> auto& x) {
  Each(io, "value", x.value, "low", x.low, "high", x.high, "unit", x.unit, "basis", x.basis);
}

void Fields(auto& io, Is<Interval> auto& x) { Each(io, "low", x.low, "high", x.high); }

void Fields(auto& io, Is<TimeRange> auto& x) { Each(io, "start", x.start, "end", x.end); }

void Fields(auto& io, Is<Semantics> auto& x) {
  Each(io, "dialect", x.dialect, "major", x.major, "minor", x.minor, "fma", x.fma);
}

void Fields(auto& io, Is<SourceInfo> auto& x) {
  Each(io, "kind", x.kind, "name", x.name, "version", x.version, "semantics", x.semantics, "exact",
       x.exact, "extent", x.extent, "warnings", x.warnings);
}

void Fields(auto& io, Is<JudgedUnit> auto& x) {
  Each(io, "labels", x.labels, "verdict", x.verdict, "headline", x.headline, "shown", x.shown);
}

void Fields(auto& io, Is<ResultRow> auto& x) {
  io("result", x.result);
  io.Number("count", x.count, "count", BasisKind::kExact);
  io.Number("seconds", x.seconds, "s", BasisKind::kExact);
}

void Fields(auto& io, Is<StageTime> auto& x) {
  Each(io, "id", x.id, "parent", x.parent, "seconds", x.seconds, "share", x.share, "excess",
       x.excess, "excess_mix", x.excess_mix, "excess_cost", x.excess_cost, "tail_time_share",
       x.tail_time_share, "sufficient", x.sufficient, "saturated", x.saturated, "measured_by",
       x.measured_by, "population", x.population);
  io.Number("observations", x.observations, "count", BasisKind::kExact);
  io.Number("baseline_seconds", x.baseline_seconds, "s", BasisKind::kSums);
  io.Number("baseline_share", x.baseline_share, "1", BasisKind::kSums);
}

void Fields(auto& io, Is<QuantileRow> auto& x) {
  Each(io, "metric", x.metric, "labels", x.labels);
  io.OrNull("q", x.q);
  Each(io, "shown", x.shown, "interval", x.interval, "interval_basis", x.interval_basis, "estimate",
       x.estimate, "sampling_interval", x.sampling_interval, "reasons", x.reasons);
}

void Fields(auto& io, Is<PluginRow> auto& x) {
  Each(io, "extension_point", x.extension_point, "plugin", x.plugin);
  io.Number("observations", x.observations, "count", BasisKind::kSampledCycles);
  io.Number("mean_seconds", x.mean_seconds, "s", BasisKind::kSampledCycles);
  io("wall_share", x.wall_share);
}

void Fields(auto& io, Is<QueueRow> auto& x) {
  Each(io, "id", x.id, "value", x.value, "baseline", x.baseline);
}

void Fields(auto& io, Is<Evidence> auto& x) { Each(io, "text", x.text, "query", x.query); }

void Fields(auto& io, Is<StepAnswer> auto& x) { Each(io, "value", x.value, "text", x.text); }

void Fields(auto& io, Is<Consequence> auto& x) {
  Each(io, "id", x.id, "title", x.title, "share", x.share);
}

void Fields(auto& io, Is<Remedy> auto& x) {
  Each(io, "now", x.now, "owner", x.owner, "later", x.later, "command", x.command, "query",
       x.query);
}

void Fields(auto& io, Is<CauseBehind> auto& x) {
  Each(io, "id", x.id, "object", x.object, "title", x.title, "confidence", x.confidence, "share",
       x.share, "evidence", x.evidence, "next_steps", x.next_steps);
  io.Added("action", x.action);
}

void Fields(auto& io, Is<Finding> auto& x) {
  Each(io, "id", x.id, "title", x.title, "confidence", x.confidence, "share", x.share, "evidence",
       x.evidence, "next_steps", x.next_steps);
  EachAdded(io, "object", x.object, "consequences", x.consequences, "behind", x.behind, "action",
            x.action);
}

void Fields(auto& io, Is<PodHolder> auto& x) {
  Each(io, "id", x.id, "seconds", x.seconds, "share", x.share, "growth", x.growth);
}

void Fields(auto& io, Is<SlowPod> auto& x) {
  Each(io, "namespace", x.name_space, "pod", x.name, "created", x.created, "scheduled", x.scheduled,
       "seconds", x.seconds, "holders", x.held);
}

void Fields(auto& io, Is<SchedulerEvent> auto& x) {
  Each(io, "id", x.id, "object", x.object, "start", x.start, "end", x.end);
}

void Fields(auto& io, Is<ChainLink> auto& x) {
  Each(io, "id", x.id, "object", x.object, "start", x.start, "end", x.end, "leads_to", x.leads_to);
}

void Fields(auto& io, Is<PredictedQuantile> auto& x) {
  io.OrNull("q", x.q);
  io.OrNull("measured", x.measured);
  io.OrNull("predicted", x.predicted);
}

void Fields(auto& io, Is<CdfPoint> auto& x) {
  io.Bound("bound", x.bound);
  io.OrNull("measured", x.measured);
  io.OrNull("predicted", x.predicted);
}

void Fields(auto& io, Is<CrossCheck> auto& x) {
  Each(io, "verdict", x.verdict, "distance", x.distance, "predicted", x.predicted, "cdf", x.cdf,
       "note", x.note);
}

void Fields(auto& io, Is<AskedQuery> auto& x) {
  Each(io, "name", x.name, "promql", x.promql, "at", x.at, "series", x.series);
}

void Fields(auto& io, Is<Timeline> auto& x) {
  io("times", x.times);
  io.Bounds("bounds", x.bounds);
  Each(io, "e2e", x.e2e, "shown", x.shown, "low", x.low, "high", x.high, "scheduled", x.scheduled,
       "failed", x.failed, "pending_active", x.pending_active, "pending_backoff", x.pending_backoff,
       "pending_unschedulable", x.pending_unschedulable, "binding", x.binding);
  io.Added("pending_gated", x.pending_gated);
}

void Fields(auto& io, Is<CdfPair> auto& x) {
  Each(io, "lower_metric", x.lower_metric, "upper_metric", x.upper_metric);
  io.Bounds("bounds", x.bounds);
  Each(io, "lower", x.lower, "upper", x.upper, "witness", x.witness);
}

void Fields(auto& io, Is<Recomputed> auto& x) {
  Each(io, "what", x.what, "at", x.at);
  io.OrNull("shown", x.shown);
  Each(io, "recomputed", x.recomputed, "agrees", x.agrees, "tolerance", x.tolerance, "rates",
       x.rates, "agreeing_rates", x.agreeing_rates);
}

void Fields(auto& io, Is<AlertFires> auto& x) { Each(io, "state", x.state, "times", x.times); }

void Fields(auto& io, Is<AlertEpisode> auto& x) {
  Each(io, "pending", x.pending, "firing", x.firing, "resolved", x.resolved);
}

void Fields(auto& io, Is<AlertVerdict> auto& x) {
  io.Added("given", x.given);
  Each(io, "expr", x.expr, "metric", x.metric);
  io.OrNull("quantile", x.quantile);
  Each(io, "threshold", x.threshold, "comparison", x.comparison, "labels", x.labels);
  EachAdded(io, "population", x.population, "fires", x.fires, "for_seconds", x.for_seconds,
            "episodes", x.episodes, "value", x.value);
  io("shown", x.shown);
  io.Added("shown_proven_wrong", x.shown_proven_wrong);
  Each(io, "decided", x.decided, "interval", x.interval, "recomputed", x.recomputed, "notes",
       x.notes);
}

void Fields(auto& io, Is<WorkloadImpact> auto& x) {
  Each(io, "namespace", x.name_space, "kind", x.kind, "name", x.name, "pods", x.pods, "over",
       x.over, "longest", x.longest, "extra_seconds", x.extra_seconds, "waiting", x.waiting);
}

void Fields(auto& io, Is<ImpactCoverage> auto& x) {
  Each(io, "kube_state_metrics", x.kube_state_metrics, "pods_seen", x.pods_seen, "pods_scheduled",
       x.pods_scheduled, "workloads_left_out", x.workloads_left_out);
}

void Fields(auto& io, Is<Impact> auto& x) {
  Each(io, "threshold", x.threshold, "pods_over_threshold", x.pods_over_threshold);
  EachAdded(io, "attempts_over_threshold", x.attempts_over_threshold, "above_seconds",
            x.above_seconds);
  Each(io, "extra_seconds", x.extra_seconds, "workloads", x.workloads, "coverage", x.coverage);
}

void Fields(auto& io, Is<ClusterChange> auto& x) {
  Each(io, "what", x.what, "object", x.object, "count", x.count, "at", x.at, "earliest", x.earliest,
       "latest", x.latest, "before", x.before, "after", x.after, "distance_seconds",
       x.distance_seconds, "source", x.source);
  io.Added("after_onset", x.after_onset);
}

void Fields(auto& io, Is<ApiServerSeen> auto& x) {
  Each(io, "instance", x.instance, "bindings", x.bindings, "seconds", x.seconds);
}

void Fields(auto& io, Is<ComponentSeen> auto& x) {
  Each(io, "instances", x.instances, "seen", x.seen, "bindings", x.bindings, "covered", x.covered,
       "servers", x.servers, "missing", x.missing);
}

void Fields(auto& io, Is<ControlPlaneSeen> auto& x) {
  Each(io, "apiserver", x.apiserver, "etcd", x.etcd, "kube_state_metrics", x.kube_state_metrics);
}

void Fields(auto& io, Is<Episode> auto& x) {
  Each(io, "start", x.window.start, "end", x.window.end, "certainty", x.certainty, "verdict",
       x.verdict, "headline", x.headline, "reasons", x.reasons, "alert_fires", x.alert_fires,
       "pods", x.pods, "attempts", x.attempts, "shown", x.shown, "findings", x.findings, "reported",
       x.reported, "command", x.command);
  EachAdded(io, "holders", x.holders, "chain", x.chain);
}

void Fields(auto& io, Is<Diagnosis> auto& x) {
  Each(io, "verdict", x.verdict, "headline", x.headline, "tool_version", x.tool_version, "made",
       x.made);
  EachAdded(io, "command", x.command, "cluster", x.cluster);
  Each(io, "source", x.source, "release", x.release);
  io.Added("units", x.units);
  Each(io, "window", x.window, "window_found", x.window_found, "baseline", x.baseline);
  EachAdded(io, "calm", x.calm, "episodes", x.episodes, "also_seen", x.also_seen);
  io.Number("attempts", x.attempts, "count", BasisKind::kExact);
  io.Number("e2e_seconds", x.e2e_seconds, "s", BasisKind::kExact);
  io.Added("attempts_needed", x.attempts_needed);
  Each(io, "alert", x.alert, "results", x.results, "stages", x.stages, "quantiles", x.quantiles,
       "plugins", x.plugins, "queue", x.queue, "findings", x.findings);
  EachAdded(io, "holders", x.holders, "pods", x.pods, "events", x.events, "chain", x.chain,
            "neighbours", x.control_plane, "impact", x.impact, "changes", x.changes);
  Each(io, "cross_check", x.cross_check, "gaps", x.gaps, "warnings", x.warnings, "queries",
       x.queries, "timeline", x.timeline, "inversion", x.inversion);
}

/// "text", "metric", "duration", ...: the field that holds an argument of a message, by type.
inline constexpr std::string_view kValueTypes[] = {
    "text", "metric", "promql", "count", "number", "duration", "share", "time", "messages"};

/// The text of a file: JsonText and a line end.
inline std::string TextOf(Json json, JsonStyle style = JsonStyle::kDocument) {
  return JsonText(std::move(json), style) + "\n";
}

/// The key of what stands behind a sentence, or behind several: `text_detail`, `note_details`.
std::string DetailKey(std::string_view key, bool several);
void to_json(Json& json, const Message& message);
void to_json(Json& json, const Value& value);
void to_json(Json& json, const NextStep& step);
void to_json(Json& json, const Basis& basis);

inline std::string ToString(Semantics::Dialect dialect) {
  return WordOf(dialect, {"prometheus", "victoriametrics"});
}

/// By its word.
template <class Enum>
requires std::is_enum_v<Enum>
void to_json(Json& json, Enum value) { json = std::string(ToString(value)); }

/// Writes the members of one object, as Fields lists them.
class JsonWriter {
 public:
  explicit JsonWriter(Json* object) : object_(*object) {}

  template <class T>
  void operator()(std::string_view key, const T& value) {
    object_[std::string(key)] = value;
  }
  template <class Names>
  requires std::is_same_v<Names, Labels> || std::is_same_v<Names, std::vector<Labels::Pair>>
  void operator()(std::string_view key, const Names& labels) {
    Json& object = object_[std::string(key)] = Json::object();
    for (const auto& [name, value] : labels) object[std::string(name)] = value;
  }
  void operator()(std::string_view key, TimeMs time);
  void operator()(std::string_view key, const std::optional<TimeMs>& time);
  void operator()(std::string_view key, const std::vector<TimeMs>& times);
  /// `key`, its English sentence, and its detail, {id, args, text} or null; several as two arrays.
  void operator()(std::string_view key, const Message& message);
  void operator()(std::string_view key, const std::vector<Message>& messages);
  void operator()(std::string_view key, const std::vector<NextStep>& steps);
  template <class T>
  void Added(std::string_view key, const T& value) {
    (*this)(key, value);
  }
  void OrNull(std::string_view key, double number) { (*this)(key, number); }
  void Number(std::string_view key, std::optional<double> value, std::string_view unit,
              BasisKind basis);
  // A bound is a plain number here: +Inf is not finite and so becomes null by itself.
  void Bound(std::string_view key, double bound) { (*this)(key, bound); }
  void Bounds(std::string_view key, const std::vector<double>& bounds) { (*this)(key, bounds); }

 private:
  Json& object_;
};

/// What Fields lists.
template <class T>
requires requires(JsonWriter& writer, const T& value) { Fields(writer, value); }
void to_json(Json& json, const T& value) {
  json = Json::object();
  JsonWriter writer(&json);
  Fields(writer, value);
}

/// An object of these members, each a key and its value, as JsonWriter writes them: an integer of
/// 64 bits is a time, written as Unix seconds, and a Message comes with its detail.
template <class... Members>
Json Object(const Members&... members) {
  Json json = Json::object();
  JsonWriter writer(&json);
  Each(writer, members...);
  return json;
}

/// An array of what `make` makes of each.
template <class All, class Make>
Json EachOf(const All& all, const Make& make) {
  Json json = Json::array();
  for (const auto& one : all) json.push_back(make(one));
  return json;
}

}  // namespace schedlens
