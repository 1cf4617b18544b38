#pragma once

// Whole attempts of a real kube-scheduler 1.36.3, measured on one core, and the same ones played:
// 10 pods a node, nodes of 64 CPUs in three zones.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/cluster/cluster.h"
#include "scheduler/engine/simulation.h"

namespace schedlens::sim {

struct WholeAttempt {
  std::string name;
  int nodes = 0;
  double measured_us = 0;  ///< CPU time, the quiet figure: the tenth percentile
  std::string pod;         ///< the template's keys
  std::string there;       ///< those of the pods that run already, "" for plain ones
  bool service = false;    ///< a Service selects the pods: they have default spread constraints
};

inline const std::vector<WholeAttempt>& WholeAttempts() {
  static const std::string selector = "labelSelector: {matchLabels: {app: web}}";
  static const std::string host = "topologyKey: kubernetes.io/hostname";
  static const std::string zone = "topologyKey: topology.kubernetes.io/zone";
  static const auto pod = [](const std::string& spec) {
    return "manifest: {metadata: {labels: {app: web}}, spec: {" + spec + "}}";
  };
  static const auto affinity = [](const std::string& kind, const std::string& rule,
                                  const std::string& terms) {
    return pod("affinity: {" + kind + ": {" + rule + "DuringSchedulingIgnoredDuringExecution: [" +
               terms + "]}}");
  };
  static const auto spread = [](const std::string& keys, const std::string& when) {
    std::string out;
    for (const char key : keys) {
      out += (out.empty() ? "{" : ", {") + selector + ", maxSkew: 5, " +
             (key == 'z' ? zone : host) + ", whenUnsatisfiable: " + when + "}";
    }
    return pod("topologySpreadConstraints: [" + out + "]");
  };
  static const std::string expressions =
      "matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}, "
      "{key: topology.kubernetes.io/zone, operator: NotIn, values: [nowhere]}]";
  static const std::string required_node =
      pod("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "{nodeSelectorTerms: [{" +
          expressions + "}]}}}");
  static const std::string preferred_node = [] {
    std::string terms;
    for (int i = 1; i <= 5; ++i) {
      terms +=
          fmt::format("{}{{weight: {}, preference: {{{}}}}}", i > 1 ? ", " : "", i, expressions);
    }
    return affinity("nodeAffinity", "preferred", terms);
  }();
  static const std::string zone_term = "{" + selector + ", " + zone + "}";
  static const std::string required = affinity("podAffinity", "required", zone_term);
  static const std::string preferred =
      affinity("podAffinity", "preferred",
               "{weight: 10, podAffinityTerm: {" + selector + ", " + host + "}}");
  static const std::string anti = affinity(
      "podAntiAffinity", "required", "{labelSelector: {matchLabels: {app: lonely}}, " + host + "}");
  static const std::string five =
      pod("containers: [{name: a, image: a}, {name: b, image: b}, {name: c, image: c}, "
          "{name: d, image: d}, {name: e, image: e}]");
  static const std::string ports =
      pod("containers: [{name: a, image: a, ports: [{containerPort: 80, hostPort: 8080}]}]");
  static const std::string secrets =
      pod("containers: [{name: a, image: a}], volumes: [{name: s, secret: {secretName: s}}]");
  static const std::string stuck = "never_fits: NodeResourcesFit";
  static const std::string soft = "ScheduleAnyway", hard = "DoNotSchedule";
  static const std::vector<WholeAttempt> all = {
      {"plain", 500, 702, "", ""},
      {"secrets", 500, 685, secrets, ""},
      {"five-containers", 500, 674, five, ""},
      {"ports", 500, 813, ports, ""},
      {"node-affinity-required", 500, 652, required_node, ""},
      {"node-affinity-preferred-5", 500, 814, preferred_node, ""},
      {"unschedulable", 500, 775, stuck, ""},
      {"owned", 500, 1376, "", "", true},
      {"spread-soft-zone", 500, 1337, spread("z", soft), ""},
      {"spread-soft-2", 500, 1550, spread("zh", soft), ""},
      {"spread-hard-zone", 500, 1363, spread("z", hard), ""},
      {"spread-hard-2", 500, 1573, spread("zh", hard), ""},
      {"pod-affinity-required-zone", 500, 3597, required, required},
      {"pod-affinity-required-zone-over-plain", 500, 2395, required, ""},
      {"pod-affinity-preferred-host", 500, 4545, preferred, preferred},
      {"pod-anti-affinity-required-host", 500, 1658, anti, ""},
      {"plain-over-anti-affinity", 500, 1770, "", anti},
      {"pvc-bound", 500, 2705, "bound_claims: 1", ""},
      {"plain", 5000, 1470, "", ""},
      {"secrets", 5000, 2034, secrets, ""},
      {"node-affinity-required", 5000, 2335, required_node, ""},
      {"unschedulable", 5000, 6747, stuck, ""},
      {"owned", 5000, 13914, "", "", true},
      {"spread-soft-zone", 5000, 11164, spread("z", soft), ""},
      {"spread-soft-2", 5000, 13620, spread("zh", soft), ""},
      {"spread-hard-zone", 5000, 11380, spread("z", hard), ""},
      {"pod-affinity-required-zone", 5000, 44521, required, required},
      {"pod-affinity-preferred-host", 5000, 34756, preferred, preferred},
      {"pod-anti-affinity-required-host", 5000, 17192, anti, ""},
  };
  return all;
}

/// The same pods on the same nodes, one core, nothing else there; `more` are keys of the scenario.
inline Scenario WholeAttemptScenario(const WholeAttempt& row, const std::string& more = "") {
  const auto entry = [](const std::string& keys) { return keys.empty() ? "" : ", " + keys; };
  Scenario scenario = ParseScenario(
      fmt::format("kubernetes_version: \"1.34\"\n"
                  "duration: 30s\n"
                  "cluster: {{nodes: [{{count: {0}, cpu: 64, memory: 256Gi, zones: 3}}], "
                  "running: {1}}}\n"
                  "workload:\n"
                  "  rate: 4\n"
                  "  cores: 1\n"
                  "  templates:\n"
                  "    - {{name: there, weight: 0{2}}}\n"
                  "    - {{name: web, life: 1s, pending_life: 5s{3}}}\n"
                  "costs: {{noise: 1}}\n{4}",
                  row.nodes, 10 * row.nodes, entry(row.there), entry(row.pod), more),
      "whole-attempt");
  if (row.service) {
    auto objects =
        std::make_shared<core::Cluster>(scenario.release, std::make_shared<core::Strings>());
    core::Workload service;
    service.namespace_name = objects->strings().Intern("default");
    service.name = objects->strings().Intern("web");
    service.selector.nothing = false;
    service.selector.requirements = {{objects->strings().Intern("app"),
                                      core::Operator::kIn,
                                      {objects->strings().Intern("web")}}};
    objects->PutWorkload(service);
    scenario.objects = objects;
  }
  return scenario;
}

/// The CPU time of such an attempt where nothing disturbs it: microseconds, the median.
inline double PlayedUs(const Scenario& scenario) {
  const SimulationResult run = RunScenario(scenario, {1, true, false, {}});
  std::vector<double> us;
  for (const AttemptRecord& attempt : run.attempts) us.push_back(ToSeconds(attempt.cpu) * 1e6);
  if (us.empty()) return 0;
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

struct PlayedAttempt {
  const WholeAttempt* row = nullptr;
  double played_us = 0;
  double measured_ratio = 0;  ///< to a plain pod in a cluster of that size
  double played_ratio = 0;
  double off() const {
    return std::max(played_ratio / measured_ratio, measured_ratio / played_ratio);
  }
};

inline std::vector<PlayedAttempt> PlayAll() {
  std::vector<PlayedAttempt> out;
  const PlayedAttempt* plain = nullptr;
  out.reserve(WholeAttempts().size());
  for (const WholeAttempt& row : WholeAttempts()) {
    PlayedAttempt played;
    played.row = &row;
    played.played_us = PlayedUs(WholeAttemptScenario(row));
    out.push_back(played);
    if (row.name == "plain") plain = &out.back();
    out.back().measured_ratio = row.measured_us / plain->row->measured_us;
    out.back().played_ratio = played.played_us / plain->played_us;
  }
  return out;
}

}  // namespace schedlens::sim
