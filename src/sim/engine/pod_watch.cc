#include "sim/engine/pod_watch.h"

#include "sim/engine/placement.h"

namespace schedlens::sim {

void PodWatch::Decided(Placement& placement, std::size_t pod_template) {
  auto detail = std::make_shared<core::AttemptDetail>();
  placement.Explain(pod_template, *detail);
  WatchedAttempt& attempt = story_.attempts.back();
  const std::size_t before = story_.attempts.size() - 1;
  const auto last = before > 0 ? story_.attempts[before - 1].detail : nullptr;
  const bool same = last != nullptr && *last == *detail;
  attempt.detail = same ? last : std::move(detail);
}

void PodWatch::Preempted(const Placement& placement, std::size_t pod_template) {
  story_.attempts.back().preemption = placement.ExplainPreemption(pod_template);
}

}  // namespace schedlens::sim
