// A scheduler plugin of one's own: nodes that draw less power are better, unmetered ones are out.
// Prints where the reference scheduler then puts two pods.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "schedlens/error.h"
#include "schedlens/sim.h"

namespace {

class PowerAware : public schedlens::SchedulerPlugin {
 public:
  std::optional<std::string> Filter(const schedlens::PodView&,
                                    const schedlens::NodeView& node) const override {
    if (!node.Label("power.example/watts")) return "node(s) had no power meter";
    return std::nullopt;
  }
  std::int64_t Score(const schedlens::PodView&, const schedlens::NodeView& node) const override {
    const auto watts = node.Label("power.example/watts");
    return watts ? 1000 - std::atoi(std::string(*watts).c_str()) : 0;
  }
  bool ScalesScores() const override { return true; }
};

constexpr const char* kCluster = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "old", "labels": {"power.example/watts": "600"}},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
  {"kind": "Node", "metadata": {"name": "new", "labels": {"power.example/watts": "200"}},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
  {"kind": "Node", "metadata": {"name": "unmetered"},
   "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
  {"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [
   {"name": "c", "resources": {"requests": {"cpu": "6", "memory": "1Gi"}}}]}},
  {"kind": "Pod", "metadata": {"name": "api"}, "spec": {"containers": [
   {"name": "c", "resources": {"requests": {"cpu": "6", "memory": "1Gi"}}}]}}]})";

constexpr const char* kConfiguration = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      enabled:
      - name: PowerAware
        weight: 10
)";

}  // namespace

int main() {
  try {
    const auto placed = schedlens::PlacePendingPods(
        kCluster, kConfiguration, "1.30", /*seed=*/1,
        {{"PowerAware", [] { return std::make_unique<PowerAware>(); }}});
    for (const auto& pod : placed) {
      std::cout << pod.pod << " -> " << (pod.node.empty() ? pod.message : pod.node) << "\n";
    }
    // The first takes the frugal node, the second no longer fits there.
    return placed.size() == 2 && placed[0].node == "new" && placed[1].node == "old" ? 0 : 1;
  } catch (const schedlens::Error& error) {
    std::cerr << error.what() << "\n";
    return error.kind() == schedlens::ErrorKind::kUsage ? 2 : 1;
  }
}
