#include "reference/change_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "kube/stage.h"
#include "model/nearest.h"

namespace schedlens {
namespace {

using sim::Cost;

/// Other words for a key: those of the configuration's file, and short ones.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"qps", "client.qps"},
    {"burst", "client.burst"},
    {"clientConnection.qps", "client.qps"},
    {"clientConnection.burst", "client.burst"},
    {"backoff", "backoff.initial"},
    {"podInitialBackoffSeconds", "backoff.initial"},
    {"podMaxBackoffSeconds", "backoff.max"},
    {"percentage_of_nodes", "percentageOfNodesToScore"},
    {"fsync", "etcd.fsync"},
};

constexpr std::string_view kWebhook = "webhook.", kAnyWebhook = "webhook.NAME";

/// Plugins have names in capitals, keys do not; `Point/NAME` has a slash.
bool NamesPlugin(const std::string& key) {
  return key.find('/') != std::string::npos ||
         (!key.empty() && std::isupper(static_cast<unsigned char>(key.front())) != 0);
}

}  // namespace

const std::vector<KeyRow>& KeyRows() {
  static const std::vector<KeyRow> rows = {
      {.key = ToString(kube::Stage::kAlgorithm),
       .costs = {Cost::kPreFilter, Cost::kFilter, Cost::kPreScore, Cost::kScore, Cost::kSnapshot},
       .meaning = "every part of the algorithm, seconds an attempt each"},
      {.key = ToString(kube::Stage::kPreFilter),
       .costs = {Cost::kPreFilter},
       .meaning = "PreFilter, seconds an attempt"},
      {.key = ToString(kube::Stage::kFilter),
       .costs = {Cost::kFilter},
       .meaning = "Filter, seconds an attempt"},
      {.key = ToString(kube::Stage::kPreScore),
       .costs = {Cost::kPreScore},
       .meaning = "PreScore, seconds an attempt"},
      {.key = ToString(kube::Stage::kScore),
       .costs = {Cost::kScore},
       .meaning = "Score, seconds an attempt"},
      {.key = ToString(kube::Stage::kAlgorithmUnmeasured),
       .costs = {Cost::kSnapshot},
       .meaning = "the algorithm outside its extension points (extenders), seconds an attempt"},
      {.key = ToString(kube::Stage::kReserve),
       .costs = {Cost::kReserveWait},
       .meaning = "Reserve, seconds an attempt"},
      {.key = ToString(kube::Stage::kPermitWait),
       .costs = {Cost::kPermitWait},
       .meaning = "waiting on Permit, seconds an attempt"},
      {.key = ToString(kube::Stage::kPreBind),
       .costs = {Cost::kPreBind, Cost::kPreBindWait},
       .meaning = "PreBind, seconds an attempt"},
      {.key = ToString(kube::Stage::kBindRequest),
       .costs = {Cost::kBindApi},
       .meaning = "the API server's part of a bind, seconds"},
      {.key = "bind.extender", .costs = {Cost::kExtBind}, .meaning = "an extender's bind, seconds"},
      {.key = "client.qps",
       .kind = KeyKind::kClient,
       .setting = &sim::Scenario::qps,
       .least = 0.01,
       .most = 1e5,
       .unit = "requests a second",
       .meaning = "clientConnection.qps, requests a second"},
      {.key = "client.burst",
       .kind = KeyKind::kClient,
       .setting = &sim::Scenario::client_burst,
       .least = 1,
       .most = 1e6,
       .unit = "requests",
       .meaning = "clientConnection.burst, requests"},
      {.key = "rate",
       .kind = KeyKind::kRate,
       .least = 0.001,
       .most = 1e4,
       .unit = "pods a second",
       .meaning = "pods a second"},
      {.key = "nodes",
       .kind = KeyKind::kNodes,
       .least = 1,
       .most = 100'000,
       .whole = true,
       .unit = "nodes",
       .meaning = "cluster size"},
      {.key = "running",
       .kind = KeyKind::kRunning,
       .unit = "pods",
       .meaning = "running*=FACTOR: pods that run in the cluster"},
      {.key = "percentageOfNodesToScore",
       .kind = KeyKind::kSetting,
       .most = 100,
       .whole = true,
       .unit = "%",
       .meaning = "0: adaptive"},
      {.key = "parallelism",
       .kind = KeyKind::kSetting,
       .least = 1,
       .most = 1000,
       .whole = true,
       .unit = "workers",
       .meaning = "workers of Filter and Score"},
      {.key = "cores",
       .kind = KeyKind::kSetting,
       .least = 1,
       .most = 1000,
       .whole = true,
       .unit = "cores",
       .meaning = "processors of the scheduler"},
      {.key = "backoff.initial",
       .kind = KeyKind::kSetting,
       .least = 0.001,
       .meaning = "podInitialBackoffSeconds"},
      {.key = "backoff.max",
       .kind = KeyKind::kSetting,
       .least = 0.001,
       .meaning = "podMaxBackoffSeconds"},
      {.key = "extender", .kind = KeyKind::kExtender, .meaning = "extender=removed: no extender"},
      {.key = "plugin",
       .kind = KeyKind::kPlugin,
       .meaning = "[Point/]NAME*=FACTOR or =removed, Point/NAME=TIME: seconds an attempt"},
      {.key = kAnyWebhook,
       .kind = KeyKind::kWebhook,
       .meaning = "webhook.NAME=removed: bindings without that admission webhook"},
      {.key = "etcd.fsync",
       .kind = KeyKind::kStorage,
       .meaning = "etcd.fsync=baseline: storage takes what it took in the quiet period"},
      {.key = "config",
       .kind = KeyKind::kConfig,
       .meaning = "a KubeSchedulerConfiguration in a file"},
  };
  return rows;
}

const KeyRow* RowOf(const std::string& key) {
  std::string_view wanted = NamesPlugin(key) ? std::string_view("plugin") : std::string_view(key);
  for (const auto& [alias, name] : kAliases) {
    if (alias == wanted) wanted = name;
  }
  if (wanted.starts_with(kWebhook) && wanted.size() > kWebhook.size()) wanted = kAnyWebhook;
  // The row of plugins is no key itself.
  if (key == "plugin") return nullptr;
  for (const KeyRow& row : KeyRows()) {
    if (row.key == wanted) return &row;
  }
  return nullptr;
}

std::string NearestKey(const std::string& key) {
  std::vector<std::string> known;
  for (const KeyRow& row : KeyRows()) known.emplace_back(row.key);
  for (const auto& [alias, name] : kAliases) known.emplace_back(alias);
  return Nearest(key, known);
}

}  // namespace schedlens
