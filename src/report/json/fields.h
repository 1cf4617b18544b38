#pragma once

// Which JSON field holds which member of a Diagnosis: one list, walked by the writer, the
// reader and the check (report/checked.h), so that they cannot disagree. diagnosis.schema.json
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

#include <type_traits>

#include "contract/diagnosis.h"

namespace schedlens {

/// What the writer may only read and the reader fills in.
template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

void Fields(auto& io, Is<Measured> auto& x) {
  io("value", x.value);
  io("low", x.low);
  io("high", x.high);
  io("unit", x.unit);
  io("basis", x.basis);
}

void Fields(auto& io, Is<Interval> auto& x) {
  io("low", x.low);
  io("high", x.high);
}

void Fields(auto& io, Is<TimeRange> auto& x) {
  io("start", x.start);
  io("end", x.end);
}

void Fields(auto& io, Is<Semantics> auto& x) {
  io("dialect", x.dialect);
  io("major", x.major);
  io("minor", x.minor);
  io("fma", x.fma);
}

void Fields(auto& io, Is<SourceInfo> auto& x) {
  io("kind", x.kind);
  io("name", x.name);
  io("version", x.version);
  io("semantics", x.semantics);
  io("exact", x.exact);
  io("extent", x.extent);
  io("warnings", x.warnings);
}

void Fields(auto& io, Is<JudgedUnit> auto& x) {
  io("labels", x.labels);
  io("verdict", x.verdict);
  io("headline", x.headline);
  io("shown", x.shown);
}

void Fields(auto& io, Is<ResultRow> auto& x) {
  io("result", x.result);
  io.Number("count", x.count, "count", BasisKind::kExact);
  io.Number("seconds", x.seconds, "s", BasisKind::kExact);
}

void Fields(auto& io, Is<StageTime> auto& x) {
  io("id", x.id);
  io("parent", x.parent);
  io("seconds", x.seconds);
  io("share", x.share);
  io("excess", x.excess);
  io("excess_mix", x.excess_mix);
  io("excess_cost", x.excess_cost);
  io("tail_time_share", x.tail_time_share);
  io("sufficient", x.sufficient);
  io("saturated", x.saturated);
  io("measured_by", x.measured_by);
  io("population", x.population);
  io.Number("observations", x.observations, "count", BasisKind::kExact);
  io.Number("baseline_seconds", x.baseline_seconds, "s", BasisKind::kSums);
  io.Number("baseline_share", x.baseline_share, "1", BasisKind::kSums);
}

void Fields(auto& io, Is<QuantileRow> auto& x) {
  io("metric", x.metric);
  io("labels", x.labels);
  io.OrNull("q", x.q);
  io("shown", x.shown);
  io("interval", x.interval);
  io("interval_basis", x.interval_basis);
  io("estimate", x.estimate);
  io("sampling_interval", x.sampling_interval);
  io("reasons", x.reasons);
}

void Fields(auto& io, Is<PluginRow> auto& x) {
  io("extension_point", x.extension_point);
  io("plugin", x.plugin);
  io.Number("observations", x.observations, "count", BasisKind::kSampledCycles);
  io.Number("mean_seconds", x.mean_seconds, "s", BasisKind::kSampledCycles);
  io("wall_share", x.wall_share);
}

void Fields(auto& io, Is<QueueRow> auto& x) {
  io("id", x.id);
  io("value", x.value);
  io("baseline", x.baseline);
}

void Fields(auto& io, Is<Evidence> auto& x) {
  io("text", x.text);
  io("query", x.query);
}

void Fields(auto& io, Is<StepAnswer> auto& x) {
  io("value", x.value);
  io("text", x.text);
}

void Fields(auto& io, Is<Consequence> auto& x) {
  io("id", x.id);
  io("title", x.title);
  io("share", x.share);
}

void Fields(auto& io, Is<CauseBehind> auto& x) {
  io("id", x.id);
  io("object", x.object);
  io("title", x.title);
  io("confidence", x.confidence);
  io("share", x.share);
  io("evidence", x.evidence);
  io("next_steps", x.next_steps);
}

void Fields(auto& io, Is<Finding> auto& x) {
  io("id", x.id);
  io("title", x.title);
  io("confidence", x.confidence);
  io("share", x.share);
  io("evidence", x.evidence);
  io("next_steps", x.next_steps);
  io.Added("consequences", x.consequences);
  io.Added("behind", x.behind);
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
  io("verdict", x.verdict);
  io("distance", x.distance);
  io("predicted", x.predicted);
  io("cdf", x.cdf);
  io("note", x.note);
}

void Fields(auto& io, Is<AskedQuery> auto& x) {
  io("name", x.name);
  io("promql", x.promql);
  io("at", x.at);
  io("series", x.series);
}

void Fields(auto& io, Is<Timeline> auto& x) {
  io("times", x.times);
  io.Bounds("bounds", x.bounds);
  io("e2e", x.e2e);
  io("shown", x.shown);
  io("low", x.low);
  io("high", x.high);
  io("scheduled", x.scheduled);
  io("failed", x.failed);
  io("pending_active", x.pending_active);
  io("pending_backoff", x.pending_backoff);
  io("pending_unschedulable", x.pending_unschedulable);
  io("binding", x.binding);
}

void Fields(auto& io, Is<CdfPair> auto& x) {
  io("lower_metric", x.lower_metric);
  io("upper_metric", x.upper_metric);
  io.Bounds("bounds", x.bounds);
  io("lower", x.lower);
  io("upper", x.upper);
  io("witness", x.witness);
}

void Fields(auto& io, Is<Recomputed> auto& x) {
  io("what", x.what);
  io("at", x.at);
  io.OrNull("shown", x.shown);
  io("recomputed", x.recomputed);
  io("agrees", x.agrees);
  io("tolerance", x.tolerance);
  io("rates", x.rates);
  io("agreeing_rates", x.agreeing_rates);
}

void Fields(auto& io, Is<AlertFires> auto& x) {
  io("state", x.state);
  io("times", x.times);
}

void Fields(auto& io, Is<AlertEpisode> auto& x) {
  io("pending", x.pending);
  io("firing", x.firing);
  io("resolved", x.resolved);
}

void Fields(auto& io, Is<AlertVerdict> auto& x) {
  io.Added("given", x.given);
  io("expr", x.expr);
  io("metric", x.metric);
  io.OrNull("quantile", x.quantile);
  io("threshold", x.threshold);
  io("comparison", x.comparison);
  io("labels", x.labels);
  io.Added("population", x.population);
  io.Added("fires", x.fires);
  io.Added("for_seconds", x.for_seconds);
  io.Added("episodes", x.episodes);
  io.Added("value", x.value);
  io("shown", x.shown);
  io.Added("shown_proven_wrong", x.shown_proven_wrong);
  io("decided", x.decided);
  io("interval", x.interval);
  io("recomputed", x.recomputed);
  io("notes", x.notes);
}

void Fields(auto& io, Is<WorkloadImpact> auto& x) {
  io("namespace", x.name_space);
  io("kind", x.kind);
  io("name", x.name);
  io("pods", x.pods);
  io("over", x.over);
  io("longest", x.longest);
  io("extra_seconds", x.extra_seconds);
  io("waiting", x.waiting);
}

void Fields(auto& io, Is<ImpactCoverage> auto& x) {
  io("kube_state_metrics", x.kube_state_metrics);
  io("pods_seen", x.pods_seen);
  io("pods_scheduled", x.pods_scheduled);
  io("workloads_left_out", x.workloads_left_out);
}

void Fields(auto& io, Is<Impact> auto& x) {
  io("threshold", x.threshold);
  io("pods_over_threshold", x.pods_over_threshold);
  io.Added("attempts_over_threshold", x.attempts_over_threshold);
  io.Added("above_seconds", x.above_seconds);
  io("extra_seconds", x.extra_seconds);
  io("workloads", x.workloads);
  io("coverage", x.coverage);
}

void Fields(auto& io, Is<ClusterChange> auto& x) {
  io("what", x.what);
  io("object", x.object);
  io("count", x.count);
  io("at", x.at);
  io("earliest", x.earliest);
  io("latest", x.latest);
  io("before", x.before);
  io("after", x.after);
  io("distance_seconds", x.distance_seconds);
  io("source", x.source);
  io.Added("after_onset", x.after_onset);
}

void Fields(auto& io, Is<ApiServerSeen> auto& x) {
  io("instance", x.instance);
  io("bindings", x.bindings);
  io("seconds", x.seconds);
}

void Fields(auto& io, Is<NeighbourSeen> auto& x) {
  io("instances", x.instances);
  io("seen", x.seen);
  io("bindings", x.bindings);
  io("covered", x.covered);
  io("servers", x.servers);
  io("missing", x.missing);
}

void Fields(auto& io, Is<NeighboursSeen> auto& x) {
  io("apiserver", x.apiserver);
  io("etcd", x.etcd);
  io("kube_state_metrics", x.kube_state_metrics);
}

void Fields(auto& io, Is<Episode> auto& x) {
  io("start", x.window.start);
  io("end", x.window.end);
  io("certainty", x.certainty);
  io("verdict", x.verdict);
  io("headline", x.headline);
  io("reasons", x.reasons);
  io("alert_fires", x.alert_fires);
  io("pods", x.pods);
  io("attempts", x.attempts);
  io("shown", x.shown);
  io("findings", x.findings);
  io("reported", x.reported);
  io("command", x.command);
}

void Fields(auto& io, Is<Diagnosis> auto& x) {
  io("verdict", x.verdict);
  io("headline", x.headline);
  io("tool_version", x.tool_version);
  io("made", x.made);
  io.Added("command", x.command);
  io.Added("cluster", x.cluster);
  io("source", x.source);
  io("release", x.release);
  io.Added("units", x.units);
  io("window", x.window);
  io("window_found", x.window_found);
  io("baseline", x.baseline);
  io.Added("calm", x.calm);
  io.Added("episodes", x.episodes);
  io.Number("attempts", x.attempts, "count", BasisKind::kExact);
  io.Number("e2e_seconds", x.e2e_seconds, "s", BasisKind::kExact);
  io.Added("attempts_needed", x.attempts_needed);
  io("alert", x.alert);
  io("results", x.results);
  io("stages", x.stages);
  io("quantiles", x.quantiles);
  io("plugins", x.plugins);
  io("queue", x.queue);
  io("findings", x.findings);
  io.Added("neighbours", x.neighbours);
  io.Added("impact", x.impact);
  io.Added("changes", x.changes);
  io("cross_check", x.cross_check);
  io("gaps", x.gaps);
  io("warnings", x.warnings);
  io("queries", x.queries);
  io("timeline", x.timeline);
  io("inversion", x.inversion);
}

}  // namespace schedlens
