#ifndef SCHEDLENS_REFERENCE_CHANGE_KEYS_H_
#define SCHEDLENS_REFERENCE_CHANGE_KEYS_H_

// The keys of `--set`: what each stands for and which values make sense for it.

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"

namespace schedlens {

enum class KeyKind {
  kStage,
  kClient,
  kRate,
  kNodes,
  kRunning,
  kSetting,
  kExtender,
  kPlugin,
  kWebhook,
  kStorage,
  kConfig
};

struct KeyRow {
  std::string_view key{};
  KeyKind kind = KeyKind::kStage;
  std::vector<sim::Cost> costs{};            ///< of a stage
  double sim::Scenario::*setting = nullptr;  ///< of the API client
  double least = 0, most = 3600;             ///< of KEY=VALUE
  bool whole = false;                        ///< only whole numbers
  std::string_view unit = "seconds";
  std::string_view meaning{};
};

const std::vector<KeyRow>& KeyRows();

/// The row of a key or of what a KubeSchedulerConfiguration calls it; null for an unknown one. A
/// plugin, `NAME` or `Point/NAME`, has a row of its own, and so has a webhook, `webhook.NAME`.
const KeyRow* RowOf(const std::string& key);

/// The keys most like it, for a message.
std::string NearestKey(const std::string& key);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_CHANGE_KEYS_H_
