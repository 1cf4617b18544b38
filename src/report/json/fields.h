#ifndef SCHEDLENS_REPORT_JSON_FIELDS_H_
#define SCHEDLENS_REPORT_JSON_FIELDS_H_

// Which JSON field holds which member of a Diagnosis: one list, walked by the writer, the
// reader and the check (report/checked.h), so that they cannot disagree. diagnosis.schema.json
// describes the same fields.
//
// An `Io` offers io(key, member) for text, flags, plain numbers, enumerations, vectors, optionals
// and the structs below, and these for numbers that need more:
//   io.Number(key, member, unit, basis)   a bare double as {"value","low","high","unit","basis"}
//   io.OrNull(key, member)                a double that may be unknown: NaN, null; any other may
//   not io.Time(key, member)                  milliseconds as unix seconds io.Bounds(key, member)
//   bucket bounds; +Inf as null io.Times(key, member) io.Moment(key, member)                a time
//   that may be absent, as may be the field io.Text(key, details_key, member)     a message: its
//   English sentence, and {id, args, text} io.Added(key, member)                 what documents of
//   before it was added lack io.Texts(key, details_key, member)    the same for several, as two
//   arrays

#include "contract/diagnosis.h"
#include "report/json/alert_fields.h"
#include "report/json/impact_fields.h"
#include "report/json/neighbour_fields.h"

namespace schedlens {

template <class Io>
void Fields(Io& io, Ref<Io, Measured> x) {
  io("value", x.value);
  io("low", x.low);
  io("high", x.high);
  io("unit", x.unit);
  io("basis", x.basis);
}

template <class Io>
void Fields(Io& io, Ref<Io, Interval> x) {
  io("low", x.low);
  io("high", x.high);
}

template <class Io>
void Fields(Io& io, Ref<Io, TimeRange> x) {
  io.Time("start", x.start);
  io.Time("end", x.end);
}

template <class Io>
void Fields(Io& io, Ref<Io, Semantics> x) {
  io("dialect", x.dialect);
  io("major", x.major);
  io("minor", x.minor);
  io("fma", x.fma);
}

template <class Io>
void Fields(Io& io, Ref<Io, SourceInfo> x) {
  io("kind", x.kind);
  io("name", x.name);
  io("version", x.version);
  io("semantics", x.semantics);
  io("exact", x.exact);
  io("extent", x.extent);
  io.Texts("warnings", "warning_details", x.warnings);
}

template <class Io>
void Fields(Io& io, Ref<Io, JudgedUnit> x) {
  io("labels", x.labels);
  io("verdict", x.verdict);
  io.Text("headline", "headline_detail", x.headline);
  io("shown", x.shown);
}

template <class Io>
void Fields(Io& io, Ref<Io, ResultRow> x) {
  io("result", x.result);
  io.Number("count", x.count, "count", BasisKind::kExact);
  io.Number("seconds", x.seconds, "s", BasisKind::kExact);
}

template <class Io>
void Fields(Io& io, Ref<Io, StageTime> x) {
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
  io.Text("measured_by", "measured_by_detail", x.measured_by);
  io("population", x.population);
  io.Number("observations", x.observations, "count", BasisKind::kExact);
  io.Number("baseline_seconds", x.baseline_seconds, "s", BasisKind::kSums);
  io.Number("baseline_share", x.baseline_share, "1", BasisKind::kSums);
}

template <class Io>
void Fields(Io& io, Ref<Io, QuantileRow> x) {
  io("metric", x.metric);
  io("labels", x.labels);
  io.OrNull("q", x.q);
  io("shown", x.shown);
  io("interval", x.interval);
  io("interval_basis", x.interval_basis);
  io("estimate", x.estimate);
  io("sampling_interval", x.sampling_interval);
  io.Texts("reasons", "reason_details", x.reasons);
}

template <class Io>
void Fields(Io& io, Ref<Io, PluginRow> x) {
  io("extension_point", x.extension_point);
  io("plugin", x.plugin);
  io.Number("observations", x.observations, "count", BasisKind::kSampledCycles);
  io.Number("mean_seconds", x.mean_seconds, "s", BasisKind::kSampledCycles);
  io("wall_share", x.wall_share);
}

template <class Io>
void Fields(Io& io, Ref<Io, QueueRow> x) {
  io("id", x.id);
  io("value", x.value);
  io("baseline", x.baseline);
}

template <class Io>
void Fields(Io& io, Ref<Io, Evidence> x) {
  io.Text("text", "text_detail", x.text);
  io("query", x.query);
}

template <class Io>
void Fields(Io& io, Ref<Io, StepAnswer> x) {
  io("value", x.value);
  io.Text("text", "text_detail", x.text);
}

template <class Io>
void Fields(Io& io, Ref<Io, Consequence> x) {
  io("id", x.id);
  io.Text("title", "title_detail", x.title);
  io("share", x.share);
}

template <class Io>
void Fields(Io& io, Ref<Io, CauseBehind> x) {
  io("id", x.id);
  io("object", x.object);
  io.Text("title", "title_detail", x.title);
  io("confidence", x.confidence);
  io("share", x.share);
  io("evidence", x.evidence);
  io.Steps("next_steps", "next_step_details", x.next_steps);
}

template <class Io>
void Fields(Io& io, Ref<Io, Finding> x) {
  io("id", x.id);
  io.Text("title", "title_detail", x.title);
  io("confidence", x.confidence);
  io("share", x.share);
  io("evidence", x.evidence);
  io.Steps("next_steps", "next_step_details", x.next_steps);
  io.Added("consequences", x.consequences);
  io.Added("behind", x.behind);
}

template <class Io>
void Fields(Io& io, Ref<Io, PredictedQuantile> x) {
  io.OrNull("q", x.q);
  io.OrNull("measured", x.measured);
  io.OrNull("predicted", x.predicted);
}

template <class Io>
void Fields(Io& io, Ref<Io, CdfPoint> x) {
  io.Bound("bound", x.bound);
  io.OrNull("measured", x.measured);
  io.OrNull("predicted", x.predicted);
}

template <class Io>
void Fields(Io& io, Ref<Io, CrossCheck> x) {
  io("verdict", x.verdict);
  io("distance", x.distance);
  io("predicted", x.predicted);
  io("cdf", x.cdf);
  io.Text("note", "note_detail", x.note);
}

template <class Io>
void Fields(Io& io, Ref<Io, AskedQuery> x) {
  io("name", x.name);
  io("promql", x.promql);
  io.Time("at", x.at);
  io("series", x.series);
}

template <class Io>
void Fields(Io& io, Ref<Io, Timeline> x) {
  io.Times("times", x.times);
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

template <class Io>
void Fields(Io& io, Ref<Io, CdfPair> x) {
  io.Text("lower_metric", "lower_metric_detail", x.lower_metric);
  io.Text("upper_metric", "upper_metric_detail", x.upper_metric);
  io.Bounds("bounds", x.bounds);
  io("lower", x.lower);
  io("upper", x.upper);
  io("witness", x.witness);
}

template <class Io>
void Fields(Io& io, Ref<Io, Diagnosis> x) {
  io("verdict", x.verdict);
  io.Text("headline", "headline_detail", x.headline);
  io("tool_version", x.tool_version);
  io.Moment("made", x.made);
  io.Added("command", x.command);
  io.Added("cluster", x.cluster);
  io("source", x.source);
  io("release", x.release);
  io.Added("units", x.units);
  io("window", x.window);
  io("window_found", x.window_found);
  io("baseline", x.baseline);
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
  io.Texts("gaps", "gap_details", x.gaps);
  io.Texts("warnings", "warning_details", x.warnings);
  io("queries", x.queries);
  io("timeline", x.timeline);
  io("inversion", x.inversion);
}

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_FIELDS_H_
