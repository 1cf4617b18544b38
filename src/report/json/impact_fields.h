#ifndef SCHEDLENS_REPORT_JSON_IMPACT_FIELDS_H_
#define SCHEDLENS_REPORT_JSON_IMPACT_FIELDS_H_

// The fields of who was hit and of what changed, as in fields.h.

#include <type_traits>

#include "contract/diagnosis.h"

namespace schedlens {

/// What the writer may only read and the reader fills in.
template <class Io, class T>
using Ref = std::conditional_t<Io::kReading, T, const T>&;

template <class Io>
void Fields(Io& io, Ref<Io, WorkloadImpact> x) {
  io("namespace", x.name_space);
  io("kind", x.kind);
  io("name", x.name);
  io("pods", x.pods);
  io("over", x.over);
  io("longest", x.longest);
  io("extra_seconds", x.extra_seconds);
  io("waiting", x.waiting);
}

template <class Io>
void Fields(Io& io, Ref<Io, ImpactCoverage> x) {
  io("kube_state_metrics", x.kube_state_metrics);
  io("pods_seen", x.pods_seen);
  io("pods_scheduled", x.pods_scheduled);
  io("workloads_left_out", x.workloads_left_out);
}

template <class Io>
void Fields(Io& io, Ref<Io, Impact> x) {
  io("threshold", x.threshold);
  io("pods_over_threshold", x.pods_over_threshold);
  io.Added("attempts_over_threshold", x.attempts_over_threshold);
  io.Added("above_seconds", x.above_seconds);
  io("extra_seconds", x.extra_seconds);
  io("workloads", x.workloads);
  io("coverage", x.coverage);
}

template <class Io>
void Fields(Io& io, Ref<Io, ClusterChange> x) {
  io.Text("what", "what_detail", x.what);
  io("object", x.object);
  io("count", x.count);
  io.Time("at", x.at);
  io.Time("earliest", x.earliest);
  io.Time("latest", x.latest);
  io("before", x.before);
  io("after", x.after);
  io("distance_seconds", x.distance_seconds);
  io("source", x.source);
  io.Added("after_onset", x.after_onset);
}

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_IMPACT_FIELDS_H_
