// Acts at every extension point; what it does is its pod's labels' business.

#include <stdexcept>

#include "schedlens/plugin.h"

namespace {

using schedlens::NodeView;
using schedlens::PodView;

class AllPoints : public schedlens::SchedulerPlugin {
 public:
  std::optional<std::string> PreEnqueue(const PodView& pod) const override {
    return Refuses(pod, "gated");
  }
  std::optional<std::string> PreFilter(const PodView& pod) const override {
    return Refuses(pod, "prefilter");
  }
  std::optional<std::string> Filter(const PodView& pod, const NodeView&) const override {
    if (pod.Label("app") == "thrower") throw std::runtime_error("no such thing");
    return Refuses(pod, "filter");
  }
  std::optional<std::string> Reserve(const PodView& pod, const NodeView&) const override {
    return Refuses(pod, "reserve");
  }
  schedlens::PermitAnswer Permit(const PodView& pod, const NodeView&) const override {
    return {Refuses(pod, "permit"), pod.Label("app") == "waiter" ? 2.0 : 0.0};
  }
  std::optional<std::string> PreBind(const PodView& pod, const NodeView&) const override {
    return Refuses(pod, "prebind");
  }
  double Seconds(schedlens::PluginPoint point, const PodView& pod, const NodeView*) const override {
    if (pod.Label("app") == "slow" && point == schedlens::PluginPoint::kPreFilter) return 0.5;
    if (pod.Label("app") == "slow" && point == schedlens::PluginPoint::kFilter) return 0.01;
    if (pod.Label("app") == "slow" && point == schedlens::PluginPoint::kScore) return 0.01;
    return pod.Label("app") == "slow" && point == schedlens::PluginPoint::kPreBind ? 1 : 0;
  }
  bool MayHelp(schedlens::PluginEvent event, const PodView&) const override {
    return event == schedlens::PluginEvent::kNodeAdd;
  }

 private:
  static std::optional<std::string> Refuses(const PodView& pod, std::string_view app) {
    if (pod.Label("app") != app) return std::nullopt;
    return "refused at " + std::string(app);
  }
};

}  // namespace

SCHEDLENS_PLUGIN("AllPoints", AllPoints)
