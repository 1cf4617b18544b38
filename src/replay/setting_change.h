#pragma once

// What Apply (change.h) does for each kind of change: single settings, the cluster's size, plugins,
// a whole configuration, and what lies past the scheduler's door.

#include <optional>
#include <string>
#include <vector>

#include "replay/change.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/scenario/scenario.h"

namespace schedlens {

/// The loop's own points.
const std::vector<sim::Cost>& LoopPoints();

/// Where a change takes away what was slow, these stages may be as quick again as in the quiet
/// period: binds that wait together also wake up together, next to the loop, and a machine is
/// busier at one time than at another. The cheapest that the change may make it takes each of them
/// from the quiet period where it was quicker; an assumption says so. Nothing is changed without a
/// quiet period, where they are no slower now, and where a finding that is more than possible says
/// that the loop itself or, where it is among them, the bind is slow.
void MayCalm(const std::vector<sim::Cost>& stages, const Investigation& investigation,
             Changed* changed);

/// Nodes in the scheduler's cache at the window's end, as its gauge says; nothing without it.
std::optional<int> NodesOf(const Investigation& investigation);

/// PreFilter, Filter, PreScore and Score take what their work takes in the new setting; at the
/// extreme all of it grows that may. States the assumptions. Nothing changes where the loop's work
/// is not known.
void MoveLoop(const LoopSetting& to, Changed* changed);

/// `nodes=N`: adaptive sampling decides how many are looked at; there are as many pods a node as
/// before. Throws Error(kInsufficientData) when the window does not say how many nodes there are
/// now.
void ApplyClusterSize(const Change& change, Changed* changed);

/// `running*=FACTOR`: PreFilter and PreScore go over the pods that run where InterPodAffinity or
/// PodTopologySpread makes them expensive; at the extreme they do everywhere. Throws as
/// ApplyClusterSize does.
void ApplyRunning(double factor, Changed* changed);

/// percentageOfNodesToScore; 0 is adaptive and changes nothing.
void ApplyPercentage(int percentage, const Investigation& investigation, Changed* changed);
/// Workers in place of the default 16.
void ApplyParallelism(int workers, Changed* changed);
/// percentageOfNodesToScore, parallelism, cores, backoff.initial or backoff.max.
void ApplySetting(const Change& change, const std::string& key, const Investigation& investigation,
                  Changed* changed);

/// Whether an extender was seen to slow the loop.
bool LoopExtenderSeen(const Investigation& investigation);
/// Binds go back to DefaultBinder, at what a bind took where one was measured; else at what the API
/// servers took of the extender's, or a quiet one takes. At the extreme no quicker than with the
/// extender in the quiet period.
void RemoveBinder(const Investigation& investigation, Changed* changed);
/// The loop without calls to extenders: what is left of the algorithm outside its points.
void RemoveLoopExtender(const Investigation& investigation, Changed* changed);
/// `extender=removed`: whatever extenders were seen to do.
void RemoveExtenders(const Investigation& investigation, Changed* changed);

/// `[Point/]NAME*=FACTOR` and `[Point/]NAME=removed`, by the plugin's share of its points, and
/// `Point/NAME=TIME`, seconds an attempt there in place of what it took, measured or not. Throws
/// Error(kInsufficientData) for a plugin that was not measured where its share is needed (the
/// nearest one is named), Error(kUsage) for a point that cannot be given a time.
void ApplyToPlugin(const Change& change, const Investigation& investigation, Changed* changed);

/// What a plugin from outside the tree takes at each of its points in `configuration`: what was
/// declared of it before, else 1 us a node that is looked at and 5 us a call, ten times that at the
/// extreme. States the assumption, and which in-tree plugin may have been meant.
void AddUnmeasured(const sim::core::OutOfTreePlugin& plugin,
                   const sim::core::Configuration& configuration,
                   const Investigation& investigation, Changed* changed);

/// `config=FILE`: changes what the file changes: extenders, clientConnection,
/// percentageOfNodesToScore, parallelism, plugins that were measured and are disabled. One
/// assumption a field that changes the prediction, one line for those that cannot. What was never
/// measured (an extender or a plugin that is new) is said to be missing; a plugin from outside the
/// tree takes what was declared of it or a default. Throws Error(kUsage) for what is no such file.
void ApplyConfiguration(const Change& change, const Investigation& investigation, Changed* changed);

/// `webhook.NAME=removed`: the binding call less what the webhook took. Throws
/// Error(kInsufficientData) where the data do not say what it took of the bindings: no API server's
/// metrics, no such webhook (the nearest one is named), no service level indicator.
void RemoveWebhook(const Change& change, const Investigation& investigation, Changed* changed);

/// `etcd.fsync=baseline`: storage takes what it took in the quiet period. Throws
/// Error(kInsufficientData) where the data do not say what it took then and now.
void RestoreStorage(const Investigation& investigation, Changed* changed);

/// What goes from the binding call: parts of 1 of its mean, now and in the quiet period.
struct GonePart {
  double now = 0, quiet = 0;
};

/// A call without that part, never quicker than it was without it in the quiet period. What it took
/// then tells which form is left: `evenly` each call loses the same part of what it has grown by,
/// else so many calls are as quick as then. What it had then already each call loses alike.
sim::Distribution Without(const sim::Distribution& now, const sim::Distribution& quiet,
                          const GonePart& gone, bool evenly);

}  // namespace schedlens
