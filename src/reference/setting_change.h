#ifndef SCHEDLENS_REFERENCE_SETTING_CHANGE_H_
#define SCHEDLENS_REFERENCE_SETTING_CHANGE_H_

// Changes of single settings of the scheduler, one by one or as a configuration's file has them.

#include <string>
#include <vector>

#include "reference/change.h"
#include "sim/framework/configuration.h"

namespace schedlens {

/// Points whose plugins are sampled, and what they cost.
struct SampledPoint {
  kube::ExtensionPoint name;
  sim::core::ExtensionPoint point;
  std::vector<sim::Cost> costs;
};
const std::vector<SampledPoint>& SampledPoints();

/// percentageOfNodesToScore; 0 is adaptive and changes nothing.
void ApplyPercentage(int percentage, const Investigation& investigation, Changed* changed);
/// Workers in place of the default 16.
void ApplyParallelism(int workers, Changed* changed);

/// Binds go back to DefaultBinder, at what a bind took where one was measured; else at what the API
/// servers took of the extender's, or a quiet one takes. At the extreme no quicker than with the
/// extender in the quiet period.
void RemoveBinder(const Investigation& investigation, Changed* changed);
/// The loop without calls to extenders: what is left of the algorithm outside its points.
void RemoveLoopExtender(const Investigation& investigation, Changed* changed);
/// `extender=removed`: whatever extenders were seen to do.
void RemoveExtenders(const Investigation& investigation, Changed* changed);

/// percentageOfNodesToScore, parallelism, cores, backoff.initial or backoff.max.
void ApplySetting(const Change& change, const std::string& key, const Investigation& investigation,
                  Changed* changed);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_SETTING_CHANGE_H_
