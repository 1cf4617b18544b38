// ImageLocality: nodes that already have the pod's images, weighted by how widespread they are.

#include <algorithm>

#include "sim/framework/plugin.h"

namespace schedlens::sim::core {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMiB;
constexpr std::int64_t kMostPerContainer = 1000 * kMiB;

class ImageLocality : public Plugin {
 public:
  void Score(const Attempt& attempt, std::span<const NodeId> nodes,
             std::span<std::int64_t> scores) override {
    if (!AnyImages(attempt.cluster)) {
      std::fill(scores.begin(), scores.end(), 0);
      return;
    }
    const PodSpec& spec = attempt.spec;
    auto containers = static_cast<std::int64_t>(spec.containers.size());
    if (attempt.minor >= 30) containers += static_cast<std::int64_t>(spec.init_containers.size());
    const std::int64_t most = kMostPerContainer * containers;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& images = attempt.cluster.node(nodes[i]).images;
      std::int64_t sum = 0;
      if (!images.empty()) {
        sum = SumOf(spec.containers, images, attempt.cluster.node_count());
        if (attempt.minor >= 30) {
          sum += SumOf(spec.init_containers, images, attempt.cluster.node_count());
        }
        // Volumes' images count in the sum, not in its upper bound.
        for (const Id image : spec.image_volumes) {
          if (attempt.minor < 36) break;
          sum += PartOf(image, images, attempt.cluster.node_count());
        }
      }
      sum = sum < kLeast ? kLeast : std::min(sum, most);
      scores[i] = most == kLeast ? 0 : 100 * (sum - kLeast) / (most - kLeast);
    }
  }

 private:
  // Whether any node has an image; asked again when nodes have changed.
  bool AnyImages(const Cluster& cluster) {
    if (version_ != cluster.version() + 1) {
      version_ = cluster.version() + 1;
      const auto order = cluster.order();
      any_ = std::any_of(order.begin(), order.end(),
                         [&](NodeId node) { return !cluster.node(node).images.empty(); });
    }
    return any_;
  }

  static std::int64_t SumOf(const std::vector<Container>& containers,
                            const std::vector<ImageState>& images, std::int32_t nodes) {
    std::int64_t sum = 0;
    for (const Container& container : containers) sum += PartOf(container.image, images, nodes);
    return sum;
  }

  // The image's size, less the fewer nodes have it.
  static std::int64_t PartOf(Id image, const std::vector<ImageState>& images, std::int32_t nodes) {
    const auto at =
        std::lower_bound(images.begin(), images.end(), image,
                         [](const ImageState& state, Id name) { return state.name < name; });
    if (at == images.end() || at->name != image) return 0;
    const double spread = static_cast<double>(at->nodes) / static_cast<double>(nodes);
    return static_cast<std::int64_t>(static_cast<double>(at->size_bytes) * spread);
  }

  std::uint64_t version_ = 0;  // of the cluster, plus 1
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Plugin> MakeImageLocality(const PluginContext&) {
  return std::make_unique<ImageLocality>();
}

}  // namespace schedlens::sim::core
