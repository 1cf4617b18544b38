#pragma once

// What `doctor` saw of a source.

#include <cstddef>
#include <string>
#include <vector>

#include "base/message.h"

namespace schedlens {

enum class Health { kOk, kNote, kProblem };
inline std::string ToString(Health health) { return WordOf(health, {"ok", "note", "problem"}); }

/// One check.
struct CheckUp {
  Health health = Health::kOk;
  std::string subject;  ///< "source", "scheduler", "release", "metric", "scrapes", ...
  Message text;         ///< what was seen, and what it costs
  Message fix;          ///< what to do; may be empty
  Message evidence;     ///< the PromQL or the request that shows it; empty where the text says all
};

/// A metric that a neighbour of the scheduler does not show here.
struct AbsentMetric {
  std::string metric;
  bool expected = false;  ///< its release has none, or one that is idle or stands alone has none
};

/// What a source has of the API servers, etcd, and the others around the scheduler.
struct NeighbourFound {
  std::string component;  ///< "kube-apiserver", "etcd", ...
  std::vector<std::string> jobs;
  std::size_t instances = 0;          ///< 0: not in this source
  std::vector<AbsentMetric> missing;  ///< of one that is there
};

/// A text to paste that makes a tool scrape what is missing.
struct ScrapeConfiguration {
  std::string tool;  ///< "prometheus", "kube-prometheus-stack", "opentelemetry-collector"
  std::vector<std::string> components;
  std::string yaml;
};

struct DoctorReport {
  std::vector<CheckUp> checks;
  std::vector<NeighbourFound> neighbours;           ///< empty where no scheduler was found
  std::vector<ScrapeConfiguration> configurations;  ///< empty where no neighbour is missing
  bool diagnosable = false;                         ///< attempts' buckets are there, with increases
};

}  // namespace schedlens
