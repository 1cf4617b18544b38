#ifndef SCHEDLENS_REPORT_JSON_NEIGHBOUR_FIELDS_H_
#define SCHEDLENS_REPORT_JSON_NEIGHBOUR_FIELDS_H_

// The fields of what was seen of the neighbours, as in fields.h.

#include "contract/diagnosis.h"
#include "report/json/impact_fields.h"

namespace schedlens {

template <class Io>
void Fields(Io& io, Ref<Io, ApiServerSeen> x) {
  io("instance", x.instance);
  io("bindings", x.bindings);
  io("seconds", x.seconds);
}

template <class Io>
void Fields(Io& io, Ref<Io, NeighbourSeen> x) {
  io("instances", x.instances);
  io("seen", x.seen);
  io("bindings", x.bindings);
  io("covered", x.covered);
  io("servers", x.servers);
  io.Texts("missing", "missing_details", x.missing);
}

template <class Io>
void Fields(Io& io, Ref<Io, NeighboursSeen> x) {
  io("apiserver", x.apiserver);
  io("etcd", x.etcd);
  io("kube_state_metrics", x.kube_state_metrics);
}

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_JSON_NEIGHBOUR_FIELDS_H_
