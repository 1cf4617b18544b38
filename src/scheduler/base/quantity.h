#pragma once

// Kubernetes resource quantities as exact integers.

#include <cstdint>
#include <optional>
#include <string_view>

namespace schedlens::sim::core {

/// A Quantity (`100m`, `1.5Gi`, `2e3`, `.5`) in thousandths, rounded away from zero as MilliValue()
/// does, clamped to int64. Nothing for text that is not a quantity.
std::optional<std::int64_t> QuantityMilli(std::string_view text);
/// The same in whole units, rounded away from zero as Value() does.
std::optional<std::int64_t> QuantityValue(std::string_view text);

}  // namespace schedlens::sim::core
