// The scheduler's sentence about a pod that found no node.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/framework/algorithm.h"

namespace schedlens::sim::core {

std::string UnavailableMessage(std::int64_t nodes, const std::map<std::string, int>& reasons) {
  std::vector<std::string> texts;
  for (const auto& [reason, count] : reasons) texts.push_back(fmt::format("{} {}", count, reason));
  std::sort(texts.begin(), texts.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(texts, ", "));
}

std::string RefusedMessage(std::int64_t nodes, const std::vector<std::string>& reasons) {
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(reasons, ", "));
}

}  // namespace schedlens::sim::core
