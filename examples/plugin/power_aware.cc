// A plugin library for `schedlens simulate --plugin`: nodes without a power meter are out, those
// that draw less are better, and asking the meter takes time.

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "schedlens/plugin.h"

namespace {

constexpr const char* kWatts = "power.example/watts";

class PowerAware : public schedlens::SchedulerPlugin {
 public:
  std::optional<std::string> Filter(const schedlens::PodView&,
                                    const schedlens::NodeView& node) const override {
    if (!node.Label(kWatts)) return "node(s) had no power meter";
    return std::nullopt;
  }
  std::int64_t Score(const schedlens::PodView&, const schedlens::NodeView& node) const override {
    const auto watts = node.Label(kWatts);
    return watts ? 1000 - std::atoi(std::string(*watts).c_str()) : 0;
  }
  bool ScalesScores() const override { return true; }
  // The meter answers in 20 microseconds.
  double Seconds(schedlens::PluginPoint point, const schedlens::PodView&,
                 const schedlens::NodeView*) const override {
    return point == schedlens::PluginPoint::kScore ? 20e-6 : 0;
  }
  // A node's meter never changes, so that only a new node helps.
  bool MayHelp(schedlens::PluginEvent event, const schedlens::PodView&) const override {
    return event == schedlens::PluginEvent::kNodeAdd;
  }
};

}  // namespace

SCHEDLENS_PLUGIN("PowerAware", PowerAware)
