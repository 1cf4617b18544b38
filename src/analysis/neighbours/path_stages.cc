#include "analysis/neighbours/path_stages.h"

#include <set>
#include <string>
#include <utility>

namespace schedlens {
namespace {

constexpr std::string_view kServer = "apiserver";
constexpr std::string_view kWebhook = "apiserver.webhook";

using Parts = std::map<std::string, Between>;

Parts PartsOf(const BindingPath& path) {
  Parts parts;
  const auto add = [&](std::string id, const std::optional<Between>& part) {
    if (part) parts.emplace(std::move(id), *part);
  };
  add("bind.network", path.network);
  add(std::string(kServer), path.apiserver);
  add("apiserver.flowcontrol", path.flowcontrol);
  for (const auto& [name, part] : path.webhooks) {
    add(std::string(kWebhook) + "/" + name, part);
  }
  add("apiserver.admission", path.admission);
  add("apiserver.storage", path.storage);
  add("apiserver.rest", path.rest);
  return parts;
}

/// In the order of a request's way.
std::vector<std::string> OrderOf(const Parts& parts) {
  std::vector<std::string> order = {"bind.network", std::string(kServer), "apiserver.flowcontrol"};
  for (const auto& [id, part] : parts) {
    if (id.starts_with(kWebhook)) order.push_back(id);
  }
  order.insert(order.end(), {"apiserver.admission", "apiserver.storage", "apiserver.rest"});
  return order;
}

Message MeasuredBy(const std::string& id) {
  static const std::map<std::string, std::string> all = {
      {"bind.network", "measured_by.bind.network"},
      {"apiserver", "measured_by.apiserver"},
      {"apiserver.flowcontrol", "measured_by.apiserver.flowcontrol"},
      {"apiserver.admission", "measured_by.apiserver.admission"},
      {"apiserver.storage", "measured_by.apiserver.storage"},
      {"apiserver.rest", "measured_by.apiserver.rest"}};
  const auto one = all.find(id);
  return Message(one == all.end() ? "measured_by.apiserver.webhook" : one->second);
}

}  // namespace

std::vector<StageTime> PathStages(const BindingPath& now, const std::optional<BindingPath>& before,
                                  double e2e_seconds, double e2e_seconds_before) {
  std::vector<StageTime> stages;
  if (!(e2e_seconds > 0)) return stages;
  const Parts parts = PartsOf(now), old = before ? PartsOf(*before) : Parts();
  for (const std::string& id : OrderOf(parts)) {
    const auto part = parts.find(id);
    if (part == parts.end()) continue;
    StageTime stage;
    stage.id = id;
    const bool outer = id == kServer || id == "bind.network";
    stage.parent = outer ? ToString(kube::Stage::kBindRequest) : kServer;
    stage.seconds = MeasuredOf(part->second, 1, "s");
    stage.share = MeasuredOf(part->second, e2e_seconds, "1");
    for (auto* end : {&stage.share.value, &stage.share.high}) {
      if (*end && **end > 1) *end = 1;
    }
    stage.measured_by = MeasuredBy(id);
    stage.population = "bindings that the API servers answered";
    stage.observations = now.bindings.value;
    if (const auto was = old.find(id); was != old.end()) {
      stage.baseline_seconds = was->second.value;
      if (e2e_seconds_before > 0) {
        stage.baseline_share = std::min(1.0, was->second.value / e2e_seconds_before);
      }
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace schedlens
