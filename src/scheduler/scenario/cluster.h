#pragma once

// A scenario's cluster as Kubernetes objects, of its node groups and pod templates or real ones,
// and its scheduler as a KubeSchedulerConfiguration.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedlens/plugin.h"
#include "scheduler/cluster/objects.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens::sim {

/// Node `number` of the group. Throws Error(kUsage) for an invalid manifest.
core::Node NodeOf(const NodeGroup& group, int number, core::Strings& strings);
/// What the template's pods have in common. Throws as NodeOf.
core::PodSpec SpecOf(const PodTemplate& pod, core::Strings& strings);
/// Takes volumes off a spec that cannot be played: claims if the objects hold none (a file of nodes
/// and pods only), and those of ephemeral volumes, which are a pod's own.
void LeaveOutUnknownVolumes(bool claims_known, core::PodSpec& spec);
/// Bits of Feature that a spec's plugins have work for.
unsigned FeaturesOf(const core::PodSpec& spec);

/// The KubeSchedulerConfiguration that the scenario asks for, its own settings on top; with
/// `simple` cut down as `placement: simple` asks. Throws Error(kUsage) with the line.
core::Configuration ConfigurationOf(const Scenario& scenario, bool simple);
/// Takes client limits, back-off, extenders and the like from `scenario.configuration`.
void ApplyConfiguration(Scenario* scenario);

/// What a plugin takes that nobody has measured: seconds a node at Filter and Score, a call
/// elsewhere.
inline constexpr double kDefaultNodeSeconds = 1e-6;
inline constexpr double kDefaultCallSeconds = 5e-6;

/// The point of a configuration's key: `preFilter`, `score`. Nothing for another word.
std::optional<PluginPoint> PluginPointOfKey(std::string_view key);

/// Replaces the scenario's nodes by those of `nodes` (if given) and adds the pods of `pods`: bound
/// ones run from the start and never end, pending ones wait from the start. Both are what `kubectl
/// get nodes,pods -A -o json` prints; Services and budgets in them count too. Throws Error: kFailed
/// for text that is not such a List, kUsage if no node is left or memory is above `max_memory`.
void AddClusterObjects(const std::vector<ObjectText>& nodes, const std::vector<ObjectText>& pods,
                       double max_memory, Scenario* scenario);

}  // namespace schedlens::sim
