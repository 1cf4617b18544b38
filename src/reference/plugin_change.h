#ifndef SCHEDLENS_REFERENCE_PLUGIN_CHANGE_H_
#define SCHEDLENS_REFERENCE_PLUGIN_CHANGE_H_

// Changes of single plugins: those that were measured, and those that nobody has measured yet.

#include <string>
#include <vector>

#include "reference/change.h"
#include "sim/framework/configuration.h"

namespace schedlens {

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

/// Whether a profile runs the plugin at that point.
bool Enabled(const sim::core::Configuration& configuration, sim::core::ExtensionPoint point,
             const std::string& plugin);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_PLUGIN_CHANGE_H_
