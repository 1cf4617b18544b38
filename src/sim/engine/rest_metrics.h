#ifndef SCHEDLENS_SIM_ENGINE_REST_METRICS_H_
#define SCHEDLENS_SIM_ENGINE_REST_METRICS_H_

// rest_client_* metrics of one process: what its API client counts of every request.

#include <array>
#include <string>
#include <string_view>

#include "sim/base/random.h"
#include "sim/base/time.h"
#include "sim/metrics/registry.h"
#include "sim/scenario/scenario.h"

namespace schedlens::sim {

/// The requests a scheduler sends, by REST template.
enum class Request {
  kBind,
  kStatusPatch,
  kDeletePod,
  kClaimUpdate,
  kEventPost,
  kEventPatch,
  kCount,
};

class RestMetrics {
 public:
  /// Both must outlive it.
  RestMetrics(const Scenario& scenario, MetricRegistry& registry)
      : scenario_(scenario), registry_(registry) {}

  /// What the informers list when the process starts.
  void ObserveLists(Random& random);
  /// `wait` in the client's rate limiter is part of `total`.
  void Observe(Request request, int code, Nanos wait, Nanos total);

 private:
  struct Children {
    MetricChild* request = nullptr;
    MetricChild* limiter = nullptr;
    MetricChild* answers = nullptr;  ///< of the code that was answered last
    int code = 0;
  };
  std::string Target(std::string_view path) const;

  const Scenario& scenario_;
  MetricRegistry& registry_;
  std::array<Children, static_cast<std::size_t>(Request::kCount)> children_{};
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_REST_METRICS_H_
