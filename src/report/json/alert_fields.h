#ifndef SCHEDLENS_REPORT_JSON_ALERT_FIELDS_H_
#define SCHEDLENS_REPORT_JSON_ALERT_FIELDS_H_

// The fields of the alert, as in fields.h.

#include "contract/diagnosis.h"
#include "report/json/impact_fields.h"

namespace schedlens {

template <class Io>
void Fields(Io& io, Ref<Io, Recomputed> x) {
  io.Text("what", "what_detail", x.what);
  io.Time("at", x.at);
  io.OrNull("shown", x.shown);
  io("recomputed", x.recomputed);
  io("agrees", x.agrees);
  io("tolerance", x.tolerance);
  io("rates", x.rates);
  io("agreeing_rates", x.agreeing_rates);
}

template <class Io>
void Fields(Io& io, Ref<Io, AlertFires> x) {
  io("state", x.state);
  io.Times("times", x.times);
}

template <class Io>
void Fields(Io& io, Ref<Io, AlertEpisode> x) {
  io.Time("pending", x.pending);
  io.Moment("firing", x.firing);
  io.Moment("resolved", x.resolved);
}

template <class Io>
void Fields(Io& io, Ref<Io, AlertVerdict> x) {
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
  io.Texts("notes", "note_details", x.notes);
}

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_ALERT_FIELDS_H_
