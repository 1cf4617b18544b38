#include "analysis/collect/metric_history.h"

#include <algorithm>
#include <charconv>

#include "model/family.h"

namespace schedlens {
namespace {

/// As client_golang makes them: by repeated multiplication, rounding included.
std::vector<double> Exponential(double first, double factor, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i, first *= factor) bounds.push_back(first);
  return bounds;
}

std::vector<double> BoundsOfLayout(Layout layout) {
  switch (layout) {
    case Layout::kNone:
      return {};
    case Layout::kMs15:
      return Exponential(0.001, 2, 15);
    case Layout::kPoint12:
      return Exponential(0.0001, 2, 12);
    case Layout::kPlugin20:
      return Exponential(0.00001, 1.5, 20);
    case Layout::kPod20:
      return Exponential(0.01, 2, 20);
    case Layout::kAttempts5:
      return Exponential(1, 2, 5);
    case Layout::kRestOld:
      return Exponential(0.001, 2, 10);
    case Layout::kRestNew:
      return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
  }
  return {};
}

}  // namespace

const std::vector<MetricHistory>& MetricHistories() {
  // name, first, hidden, removed, successor, layout, result label since, layout change, newer one
  static const std::vector<MetricHistory> all = {
      {"scheduler_e2e_scheduling_duration_seconds", 0, 24, 27,
       "scheduler_scheduling_attempt_duration_seconds", Layout::kMs15, 19, 0, Layout::kNone},
      {"scheduler_scheduling_attempt_duration_seconds", 23, 0, 0, "", Layout::kMs15, 23, 0,
       Layout::kNone},
      {"scheduler_scheduling_algorithm_duration_seconds", 0, 0, 0, "", Layout::kMs15, 0, 0,
       Layout::kNone},
      {"scheduler_binding_duration_seconds", 0, 0, 21, "", Layout::kMs15, 0, 0, Layout::kNone},
      {"scheduler_framework_extension_point_duration_seconds", 0, 0, 0, "", Layout::kPoint12, 0, 0,
       Layout::kNone},
      {"scheduler_plugin_execution_duration_seconds", 0, 0, 0, "", Layout::kPlugin20, 0, 0,
       Layout::kNone},
      {"scheduler_permit_wait_duration_seconds", 0, 0, 0, "", Layout::kMs15, 18, 0, Layout::kNone},
      {"scheduler_pod_scheduling_duration_seconds", 0, 29, 33,
       "scheduler_pod_scheduling_sli_duration_seconds", Layout::kMs15, 0, 19, Layout::kPod20},
      {"scheduler_pod_scheduling_sli_duration_seconds", 29, 0, 0, "", Layout::kPod20, 0, 0,
       Layout::kNone},
      {"scheduler_pod_scheduling_attempts", 0, 0, 0, "", Layout::kAttempts5, 0, 0, Layout::kNone},
      {"scheduler_scheduling_algorithm_predicate_evaluation_seconds", 0, 0, 20,
       "scheduler_framework_extension_point_duration_seconds", Layout::kMs15, 0, 0, Layout::kNone},
      {"scheduler_scheduling_algorithm_priority_evaluation_seconds", 0, 0, 20,
       "scheduler_framework_extension_point_duration_seconds", Layout::kMs15, 0, 0, Layout::kNone},
      {"scheduler_scheduling_algorithm_preemption_evaluation_seconds", 0, 0, 21,
       "scheduler_framework_extension_point_duration_seconds", Layout::kMs15, 0, 0, Layout::kNone},
      {"scheduler_scheduling_duration_seconds", 0, 0, 20, "", Layout::kNone, 0, 0, Layout::kNone},
      {"scheduler_volume_scheduling_duration_seconds", 0, 20, 23,
       "scheduler_plugin_execution_duration_seconds", Layout::kMs15, 0, 0, Layout::kNone},
      {"scheduler_async_api_call_execution_duration_seconds", 34, 0, 0, "", Layout::kMs15, 34, 0,
       Layout::kNone},
      {"scheduler_scheduler_goroutines", 0, 27, 28, "scheduler_goroutines", Layout::kNone, 0, 0,
       Layout::kNone},
      {"scheduler_goroutines", 26, 0, 0, "", Layout::kNone, 0, 0, Layout::kNone},
      {"scheduler_scheduler_cache_size", 0, 0, 34, "scheduler_cache_size", Layout::kNone, 0, 0,
       Layout::kNone},
      {"scheduler_cache_size", 33, 0, 0, "", Layout::kNone, 0, 0, Layout::kNone},
      {"scheduler_plugin_evaluation_total", 27, 0, 0, "", Layout::kNone, 0, 0, Layout::kNone},
      {"scheduler_unschedulable_pods", 24, 0, 0, "", Layout::kNone, 0, 0, Layout::kNone},
      {"rest_client_request_duration_seconds", 0, 0, 0, "", Layout::kRestOld, 0, 24,
       Layout::kRestNew},
      {"rest_client_rate_limiter_duration_seconds", 22, 0, 0, "", Layout::kRestOld, 0, 24,
       Layout::kRestNew},
  };
  return all;
}

const MetricHistory* HistoryOf(std::string_view metric) {
  const std::string family = FamilyOf(metric);
  for (const MetricHistory& history : MetricHistories()) {
    if (history.name == metric || history.name == family) return &history;
  }
  return nullptr;
}

Presence PresenceIn(const MetricHistory& history, int minor) {
  if (minor < history.first) return Presence::kNotYet;
  if (history.removed > 0 && minor >= history.removed) return Presence::kRemoved;
  if (history.hidden > 0 && minor >= history.hidden) return Presence::kHidden;
  return Presence::kVisible;
}

std::vector<double> BoundsOf(const MetricHistory& history, std::optional<int> minor) {
  if (history.layout_since == 0) return BoundsOfLayout(history.layout);
  // 1.18 is long gone: without a release its layout does not make a newer one uncertain.
  const bool only_oldest = history.layout_since == 19;
  if (!minor && !only_oldest) return {};
  const bool newer = !minor || *minor >= history.layout_since;
  return BoundsOfLayout(newer ? history.newer_layout : history.layout);
}

std::optional<int> ParseRelease(std::string_view text) {
  if (const auto dash = text.rfind('-'); dash != std::string_view::npos) {
    text = text.substr(dash + 1);
  }
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  if (text.substr(0, 2) != "1.") return std::nullopt;
  text.remove_prefix(2);
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  const bool whole = error == std::errc() && (end == text.data() + text.size() || *end == '.');
  return whole && minor >= 0 ? std::optional<int>(minor) : std::nullopt;
}

}  // namespace schedlens
