#pragma once

// Recordings of whole control planes (test/data/controlplanes) as scenarios: the same pods at the
// same rate on as many nodes, the same client limit, and what was injected.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace schedlens::sim {
namespace recorded {

using Json = nlohmann::json;

inline std::string ReadAll(const std::string& path) {
  const auto source = OpenByteSource(path, path);
  std::string text, block(1 << 16, '\0');
  while (const std::size_t n = source->Read(block.data(), block.size())) text.append(block, 0, n);
  return text;
}

/// Seconds since the recording's start.
inline double At(const Json& truth, const char* phase, const char* edge) {
  const Json& phases = truth.at("phases");
  for (const Json& one : phases) {
    if (one.at("name") == phase) {
      return one.at(edge).get<double>() - phases[0].at("start").get<double>();
    }
  }
  return 0;
}

/// The lognormal with the quantiles that the audit log has; a half takes a tenth longer than half.
inline std::string BindingTime(const Json& truth, const char* phase) {
  const Json& all = truth.at("bindings_in_apiserver");
  if (!all.contains(phase)) return "ln(0.01,0.7)";
  const double p50 = all.at(phase).at("p50"), p90 = all.at(phase).at("p90");
  constexpr double kNinetieth = 1.2816;  // standard deviations
  return fmt::format("ln({},{:.3f})", p50, std::log(p90 / p50) / kNinetieth);
}

inline std::string Template(const Json& shape, bool used) {
  const bool stuck = shape.at("Unschedulable");
  return fmt::format(
      "    - {{name: {}, weight: {}, cpu: {}, memory: {}, {}: \"{}\"{}{}}}\n",
      shape.at("Owner").get<std::string>(), used ? shape.at("Weight").get<double>() : 0.0,
      stuck ? "1" : shape.at("CPU").get<std::string>(), shape.at("Memory").get<std::string>(),
      stuck ? "pending_life" : "life", shape.at("Life").get<std::string>(),
      shape.at("Claim") ? ", claim: true" : "", stuck ? ", never_fits: NodeResourcesFit" : "");
}

inline std::string Weights(const Json& load) {
  std::string text;
  for (const Json& shape : load.at("Shapes")) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", shape.at("Owner").get<std::string>(),
                        shape.at("Weight").get<double>());
  }
  return "{" + text + "}";
}

inline std::string Costs(const Json& truth, const Json& load, const char* phase) {
  std::string text = fmt::format("bind_api: \"{}\"", BindingTime(truth, phase));
  if (!load.at("Claim").get<std::string>().empty()) {
    text += fmt::format(", claim_bind: \"{}\"", load.at("Claim").get<std::string>());
  }
  if (load.at("Fail").is_object()) {
    for (const auto& [webhook, share] : load.at("Fail").items()) {
      text += fmt::format(", bind_error: {}", share.get<double>());
    }
  }
  return "{" + text + "}";
}

/// Pods that come all at once, by the weights of their shapes.
inline std::string Bursts(const Json& truth) {
  const Json& load = truth.at("bad");
  const double every = load.at("Pulse");
  if (every <= 0) return "";
  double weights = 0;
  for (const Json& shape : load.at("Shapes")) weights += shape.at("Weight").get<double>();
  std::string text = "actions:\n";
  for (double t = At(truth, "incident", "start"); t < At(truth, "incident", "end"); t += every) {
    for (const Json& shape : load.at("Shapes")) {
      text += fmt::format(
          "  - {{at: {:.3f}, do: burst, template: {}, count: {}}}\n", t,
          shape.at("Owner").get<std::string>(),
          std::lround(load.at("Burst").get<double>() * shape.at("Weight").get<double>() / weights));
    }
  }
  return text;
}

}  // namespace recorded

/// Every recording's truth by its name.
inline const nlohmann::json& RecordedTruths() {
  static const nlohmann::json truths = nlohmann::json::parse(
      recorded::ReadAll(std::string(SCHEDLENS_TEST_DATA) + "/controlplanes/truths.json.gz"));
  return truths;
}

/// The recording as a scenario's YAML. What a call to the API server takes is its audit log's
/// distribution by phase; a webhook that fails calls is `bind_error`.
inline std::string ScenarioYaml(const nlohmann::json& truth) {
  using namespace recorded;
  const Json &base = truth.at("base"), &bad = truth.at("bad");
  const double end = At(truth, "recovered", "end");
  std::string templates;
  for (const Json& shape : bad.at("Shapes")) {
    bool before = false;
    for (const Json& one : base.at("Shapes")) before |= one.at("Owner") == shape.at("Owner");
    templates += Template(shape, before);
  }
  // Between pulses nobody comes.
  const double rate = bad.at("Pulse").get<double>() > 0 ? 0.001 : bad.at("Rate").get<double>();
  return fmt::format(
      "name: {}\nkubernetes_version: \"{}\"\nduration: {:.3f}\n"
      "incident: {{start: {:.3f}, end: {:.3f}}}\n"
      "cluster:\n  nodes:\n    - {{count: {}, cpu: 32, memory: 128Gi}}\n"
      "scheduler: {{qps: {}, burst: {}}}\n"
      // The machine of two cores was shared with the API server, etcd and others.
      "workload:\n  rate: {}\n  cores: 1\n  gc: true\n  costs: {}\n  templates:\n{}"
      "faults:\n  - {{rate: {}, weights: {}, costs: {}}}\n{}",
      truth.at("scenario").get<std::string>(), truth.at("k8s_version").get<std::string>(), end,
      At(truth, "incident", "start"), At(truth, "incident", "end"), truth.at("nodes").get<int>(),
      truth.at("qps").get<double>(), truth.at("burst").get<double>(), base.at("Rate").get<double>(),
      Costs(truth, base, "healthy"), templates, rate, Weights(bad), Costs(truth, bad, "incident"),
      Bursts(truth));
}

}  // namespace schedlens::sim
