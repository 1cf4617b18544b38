#include "diagnose/control_plane/volumes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "diagnose/causes/measurement.h"
#include "diagnose/control_plane/behind.h"
#include "diagnose/control_plane/meter.h"
#include "diagnose/explain/glossary.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Neighbour;

/// Calls of one kind in the window, and what they took in the baseline.
struct Calls {
  double seconds = 0, count = 0;
  double mean_before = 0;  ///< 0 without calls
  double mean() const { return count > 0 ? seconds / count : 0; }
  /// Seconds that as many calls did not take before.
  double growth() const {
    if (mean() < kLeastGrowth * mean_before) return 0;
    return std::max(0.0, seconds - count * mean_before);
  }
};
using CallsByName = std::map<std::string, Calls>;

/// The calls of a histogram by a label of theirs; without series nothing.
CallsByName Measure(const NeighbourFacts& facts, Neighbour histogram, std::string_view label,
                    const VolumeWait& wait) {
  CallsByName calls;
  for (const Series& series : facts.Of("volumes")) {
    if (series.labels.Get(kMetricName) == CountOf(histogram))
      calls.try_emplace(std::string(series.labels.Get(label)));
  }
  for (auto& [name, one] : calls) {
    const auto named = [&, &of = name](const Labels& labels) { return labels.Get(label) == of; };
    const Meter seconds = MeterOf(facts, "volumes", SumOf(histogram), named);
    const Meter count = MeterOf(facts, "volumes", CountOf(histogram), named);
    one.seconds = seconds.Increase(wait.now).value;
    one.count = count.Increase(wait.now).value;
    const double before = wait.before ? count.Increase(*wait.before).value : 0;
    if (before >= 1) one.mean_before = seconds.Increase(*wait.before).value / before;
  }
  return calls;
}

double GrowthOf(const CallsByName& calls) {
  double sum = 0;
  for (const auto& [name, one] : calls) sum += one.growth();
  return sum;
}

class VolumeJudge {
 public:
  VolumeJudge(const NeighbourFacts& facts, const VolumeWait& wait)
      : wait_(wait),
        drivers_(Measure(facts, Neighbour::kCsiSidecarOperations, "driver_name", wait)),
        controller_(Measure(facts, Neighbour::kVolumeOperationTotal, "plugin_name", wait)) {
    if (controller_.empty()) {
      controller_ = Measure(facts, Neighbour::kStorageOperationDuration, "volume_plugin", wait);
    }
  }

  std::vector<CauseBehind> Run() {
    for (const auto& [name, calls] : drivers_) AddDriver(name, calls);
    if (!controller_.empty() && !drivers_.empty()) AddController();
    if (found_.empty() && (controller_.empty() || drivers_.empty())) AddTie();
    std::stable_sort(found_.begin(), found_.end(), [](const CauseBehind& a, const CauseBehind& b) {
      return *a.share.value > *b.share.value;
    });
    return std::move(found_);
  }

 private:
  CauseBehind* Add(std::string_view id, const std::string& object, double seconds, double growth) {
    if (growth < kLeastWeight * wait_.growth) return nullptr;
    const FindingText& text = TextOfFinding(id);
    CauseBehind behind;
    behind.id = text.id;
    behind.object = object;
    behind.title = TitleOf(text);
    if (!object.empty()) behind.title = Message("behind.csi.driver", {{"object", object}});
    behind.share =
        MeasuredOf({0, std::min(seconds, wait_.seconds), wait_.seconds}, wait_.e2e_seconds, "1");
    const bool likely = growth >= kLikelyWeight * wait_.growth;
    behind.confidence = likely ? Confidence::kLikely : Confidence::kPossible;
    behind.next_steps = NextStepsOf(text);
    found_.push_back(std::move(behind));
    return &found_.back();
  }

  void AddDriver(const std::string& name, const Calls& calls) {
    CauseBehind* behind = Add("csi.driver", name, calls.seconds, calls.growth());
    if (behind == nullptr) return;
    behind->evidence.push_back(
        {Message("evidence.behind.create_volume", {{"calls", arg::Count(calls.count)},
                                                   {"now", arg::Duration(calls.mean())},
                                                   {"before", arg::Duration(calls.mean_before)}}),
         ""});
  }

  /// What provisioning took beyond the drivers' own calls.
  void AddController() {
    double seconds = 0;
    for (const auto& [name, calls] : controller_) seconds += calls.seconds;
    for (const auto& [name, calls] : drivers_) seconds -= calls.seconds;
    const double growth = GrowthOf(controller_) - GrowthOf(drivers_);
    CauseBehind* behind = Add("volume.controller", "", std::max(0.0, seconds), growth);
    if (behind == nullptr) return;
    behind->evidence.push_back(
        {Message("evidence.behind.provision", {{"seconds", arg::Duration(seconds)}}), ""});
  }

  /// Nothing tells who: the metric that would is named.
  void AddTie() {
    const bool provisioned = !controller_.empty();
    const double seconds = provisioned ? GrowthOf(controller_) : wait_.growth;
    if (provisioned && seconds < kLeastWeight * wait_.growth) return;
    const std::string driver = controller_.size() == 1 ? controller_.begin()->first : std::string();
    const Message missing(drivers_.empty() ? "evidence.behind.no_csi"
                                           : "evidence.behind.no_provision");
    for (const char* id : {"csi.driver", "volume.controller"}) {
      const bool named = std::string_view(id) == "csi.driver";
      CauseBehind* behind = Add(id, named ? driver : "", seconds, seconds);
      behind->confidence = Confidence::kPossible;
      behind->evidence.push_back({missing, ""});
    }
  }

  const VolumeWait& wait_;
  CallsByName drivers_, controller_;
  std::vector<CauseBehind> found_;
};

}  // namespace

VolumeWait VolumeWaitOf(const WindowEvidence& evidence) {
  VolumeWait wait;
  wait.now = evidence.now.breakdown.window;
  if (evidence.baseline) wait.before = evidence.baseline->breakdown.window;
  wait.seconds = evidence.now.breakdown.Seconds(kube::Stage::kPreBind);
  wait.growth = evidence.Growth(kube::Stage::kPreBind);
  wait.e2e_seconds = evidence.now.breakdown.e2e.seconds;
  return wait;
}

std::vector<CauseBehind> WhyVolumesAreSlow(const NeighbourFacts& facts, const VolumeWait& wait) {
  if (!(wait.growth > 0) || !(wait.e2e_seconds > 0)) return {};
  return VolumeJudge(facts, wait).Run();
}

}  // namespace schedlens
