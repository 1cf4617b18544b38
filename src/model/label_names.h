#ifndef SCHEDLENS_MODEL_LABEL_NAMES_H_
#define SCHEDLENS_MODEL_LABEL_NAMES_H_

// The names that most labels have. In a label set each takes one byte: of a recording's memory half
// is label sets, and of these more than a quarter were the same few names again.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace schedlens {

inline constexpr std::string_view kUsualLabelNames[] = {
    "__name__",
    "cluster",
    "code",
    "component",
    "condition",
    "container",
    "dry_run",
    "endpoint",
    "event",
    "exported_namespace",
    "exported_pod",
    "extension_point",
    "flow_schema",
    "group",
    "host",
    "instance",
    "job",
    "le",
    "method",
    "metrics_path",
    "name",
    "namespace",
    "node",
    "operation",
    "owner_is_controller",
    "owner_kind",
    "owner_name",
    "phase",
    "plugin",
    "pod",
    "priority_level",
    "profile",
    "prometheus",
    "queue",
    "reason",
    "rejected",
    "replicaset",
    "request_kind",
    "resource",
    "result",
    "scope",
    "service",
    "stage",
    "status",
    "subresource",
    "type",
    "uid",
    "verb",
    "version",
    "work",
};

namespace label_names {

inline constexpr std::size_t kSlots = 256;
inline constexpr std::uint8_t kFree = 255;
static_assert(std::size(kUsualLabelNames) < kSlots / 4);

/// Of a name that is not empty.
constexpr std::size_t SlotOf(std::string_view name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  return (byte(0) * 7u + byte(name.size() - 1) * 31u + byte(name.size() / 2) * 5u +
          name.size() * 17u) %
         kSlots;
}

/// Places in kUsualLabelNames by slot, each in its own or in the next free one.
constexpr std::array<std::uint8_t, kSlots> Slots() {
  std::array<std::uint8_t, kSlots> slots{};
  std::fill(slots.begin(), slots.end(), kFree);
  for (std::size_t i = 0; i < std::size(kUsualLabelNames); ++i) {
    std::size_t slot = SlotOf(kUsualLabelNames[i]);
    while (slots[slot] != kFree) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i);
  }
  return slots;
}

inline constexpr std::array<std::uint8_t, kSlots> kSlotted = Slots();

}  // namespace label_names

/// The name's place in kUsualLabelNames; nothing for another name, or an empty one.
constexpr std::optional<std::uint8_t> UsualLabelName(std::string_view name) {
  if (name.empty()) return std::nullopt;
  std::size_t slot = label_names::SlotOf(name);
  for (; label_names::kSlotted[slot] != label_names::kFree;
       slot = (slot + 1) % label_names::kSlots) {
    const std::uint8_t place = label_names::kSlotted[slot];
    if (kUsualLabelNames[place] == name) return place;
  }
  return std::nullopt;
}

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_LABEL_NAMES_H_
