// DynamicResources (from 1.34).

#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

class DynamicResources : public Plugin {
 public:
  bool PassesAll(const Attempt&) const override { return true; }
  bool normalizes() const override { return true; }
  std::vector<std::string> PostFilterReasons(const Attempt&) const override {
    return {"no new claims to deallocate"};
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeDynamicResources(const PluginContext&) {
  return std::make_unique<DynamicResources>();
}

}  // namespace schedlens::sim::core
