#include "diagnose/collect/missing.h"
#include "replay/fit.h"

namespace schedlens {
namespace {

using kube::ExtensionPoint;
using sim::Cost;
using sim::cost::AttemptWork;
using sim::cost::Labour;

constexpr double kMicro = 1e-6;

std::shared_ptr<const sim::cost::ProfilePlugins> DefaultPlugins(int minor) {
  const auto configuration = sim::core::DefaultConfiguration(sim::Release{minor});
  return std::make_shared<const sim::cost::ProfilePlugins>(configuration.profiles.front());
}

/// Each term of inter-pod affinity once: what makes PreFilter and PreScore go over all pods.
constexpr sim::cost::PodShape kAttracted{.affinity = 1, .preferred = 1};

/// A scheduler has as many as this where nothing says how many (scheduler/engine).
constexpr int kLikelyCores = 2;
/// Where nothing says how many: those of the measured clusters, and the least and the most.
constexpr double kPodsANode = 10, kLeastPods = 1, kMostPods = 110;

/// Up to a third of a loop over pods may be garbage collection, of which a larger heap has less.
constexpr double kGarbage = 1.5;

bool GoesOverNodes(Cost point) { return point == Cost::kFilter || point == Cost::kScore; }

/// Of plugins that go over all pods.
double ShareOfPods(const Diagnosis& diagnosis, ExtensionPoint point) {
  double share = 0;
  for (const PluginRow& row : diagnosis.plugins) {
    const bool over_pods = row.plugin == "InterPodAffinity" || row.plugin == "PodTopologySpread";
    if (row.extension_point != ToString(point) || !over_pods) continue;
    share += row.wall_share.value.value_or(0);
  }
  return std::min(1.0, share);
}

/// Releases of whose unit costs it may be, the newest that is known first.
std::vector<int> MinorsOf(const Facts& facts) {
  const ReleaseRange release = DetectRelease(facts);
  const int newest = std::min(release.newest, sim::Release::kNewest);
  const int oldest = std::clamp(release.oldest, sim::Release::kOldest, newest);
  if (sim::cost::UnitCosts(sim::Release{oldest}).measured() ==
      sim::cost::UnitCosts(sim::Release{newest}).measured()) {
    return {newest};
  }
  return {newest, oldest};
}

double Ratio(double after, double before) { return before > 0 ? after / before : 1; }

}  // namespace

int NodesLookedAt(const LoopSetting& setting) {
  return std::max(1, sim::core::NumFeasibleNodesToFind(setting.percentage, setting.nodes));
}

ComputedLoop::ComputedLoop(int minor)
    : plugins_(DefaultPlugins(minor)),
      units_(sim::Release{minor}),
      plain_({}, *plugins_, units_),
      attracted_(kAttracted, *plugins_, units_) {}

PointWork ComputedLoop::Of(Cost point, const LoopSetting& setting, bool all_nodes) const {
  AttemptWork work;
  work.cluster.nodes = work.searched = std::max(1, setting.nodes);
  work.cluster.pods = CutTo<std::int64_t>(setting.pods);
  work.feasible = NodesLookedAt(setting);
  work.evaluated = work.passed = all_nodes ? work.searched : work.feasible;
  work.enough = work.evaluated < work.searched;
  const sim::cost::Machine machine{setting.cores, setting.parallelism};
  const Labour labour = point == Cost::kPreFilter  ? attracted_.PreFilter(work.cluster)
                        : point == Cost::kFilter   ? plain_.Filter(work, machine)
                        : point == Cost::kPreScore ? attracted_.PreScore(work.cluster)
                        : point == Cost::kScore    ? plain_.Score(work)
                                                   : Labour{};
  const double fixed = labour.serial_us * kMicro;
  return {fixed, std::max(0.0, labour.ElapsedUs(machine) * kMicro - fixed)};
}

std::optional<double> CacheSizeOf(const Investigation& investigation, std::string_view type) {
  std::optional<double> size;
  const TimeMs end = investigation.evidence->now.breakdown.window.end;
  for (const Series& series : investigation.facts.Of("cache_size")) {
    if (series.labels.Get("type") != type) continue;
    std::optional<double> last;
    for (const Sample& sample : series.samples) {
      if (sample.t <= end && std::isfinite(sample.v)) last = sample.v;
    }
    if (last && *last >= 1) size = std::max(size.value_or(0), *last);
  }
  return size;
}

LoopFit::LoopFit(const Investigation& investigation, const Measurement& window, int cores) {
  const auto nodes = CacheSizeOf(investigation, "nodes");
  if (!nodes) return;
  const auto pods = CacheSizeOf(investigation, "pods");
  window_.nodes = CutTo<int>(*nodes);
  window_.pods = pods.value_or(kPodsANode * *nodes);
  if (!pods) pods_ = {1, kLeastPods / kPodsANode, kMostPods / kPodsANode};
  for (const int minor : MinorsOf(investigation.facts)) works_.emplace_back(minor);
  cores_.push_back(cores > 0 ? cores : kLikelyCores);
  if (cores <= 0) {
    for (int more = 1; more <= window_.parallelism; more *= 2) cores_.push_back(more);
  }
  setting_ = window_;
  for (const auto& [name, point] : kPointCosts) {
    if (point > Cost::kScore) break;
    points_.push_back({point,
                       name,
                       window.breakdown.points[name].mean(),
                       ShareOfPods(investigation.diagnosis, name),
                       {}});
    SetFactor(&points_.back());
  }
}

void LoopFit::SetFactor(PointFit* fit) const {
  if (!(fit->seconds > 0)) return;
  Factor& factor = fit->factor;
  const auto add = [&](double computed) {
    if (!(computed > 0)) return;
    const double value = fit->seconds / computed;
    if (factor.likely == 0) factor = {value, value, value};
    factor.low = std::min(factor.low, value);
    factor.high = std::max(factor.high, value);
  };
  for (const ComputedLoop& work : works_) {
    for (const double cores : cores_) {
      LoopSetting setting = window_;
      setting.cores = static_cast<int>(cores);
      const PointWork likely = work.Of(fit->point, setting);
      add(GoesOverNodes(fit->point) ? likely.Seconds() : likely.fixed);
      // Nodes that do not fit are looked at all the same.
      if (fit->point == Cost::kFilter) add(work.Of(fit->point, setting, true).Seconds());
    }
  }
}

std::optional<Factor> LoopFit::machine() const {
  std::optional<Factor> out;
  for (const PointFit& fit : points_) {
    if (fit.factor.likely == 0) continue;
    if (!out) out = fit.factor;
    out->low = std::min(out->low, fit.factor.low);
    out->likely = std::min(out->likely, fit.factor.likely);
    out->high = std::min(out->high, fit.factor.high);
  }
  return out;
}

Growth LoopFit::Of(Cost point, const LoopSetting& to) const {
  const auto found = std::ranges::find(points_, point, &PointFit::point);
  if (found == points_.end()) return {};
  const PointFit& fit = *found;
  const bool of_nodes = GoesOverNodes(point);
  const auto measured = fit.seconds > 0 ? machine() : std::nullopt;
  const double here = measured ? measured->likely : 0;  // 0: not known
  std::optional<Growth> out;
  double grows = fit.of_pods;
  for (const ComputedLoop& work : works_) {
    for (const double possible : of_nodes ? cores_ : pods_) {
      const auto at = [&](LoopSetting setting) {
        if (!of_nodes) setting.pods *= possible;
        if (setting.cores == 0) setting.cores = static_cast<int>(of_nodes ? possible : cores_[0]);
        return work.Of(point, setting);
      };
      const PointWork window = at(window_), before = at(setting_), after = at(to);
      double likely = 1;
      if (of_nodes) {
        double weight = 1;
        if (measured) {
          weight = std::max(0.0, Ratio(fit.seconds / here - window.fixed, window.growing));
        }
        likely =
            Ratio(after.fixed + weight * after.growing, before.fixed + weight * before.growing);
      } else {
        // Of the window's time that part grows; the rest is what every pod pays.
        double part = fit.of_pods;
        if (measured) part *= std::max(0.0, 1 - here * window.fixed / fit.seconds);
        const auto seconds = [&](const PointWork& setting) {
          return 1 - part + part * Ratio(setting.growing, window.growing);
        };
        likely = seconds(after) / seconds(before);
        if (!out) grows = part;
      }
      if (!out) out = {likely, likely};
      out->most = std::max({out->most, likely, Ratio(after.growing, before.growing)});
    }
  }
  out->least = out->likely;
  if (!of_nodes) AllowForWarmth(grows, to, &*out);
  return *out;
}

// How much dearer a pod gets in a larger cluster depends on what of it is looked at, and on what
// the caches hold: perhaps no dearer at all.
void LoopFit::AllowForWarmth(double part, const LoopSetting& to, Growth* growth) const {
  const double more = Ratio(to.pods, setting_.pods);
  if (std::abs(more - 1) < 0.01) return;
  const auto seconds = [&](double pods) { return 1 - part + part * Ratio(pods, window_.pods); };
  const double plain = seconds(to.pods) / seconds(setting_.pods);
  const double shift = std::clamp(1 / more, 1 / kGarbage, kGarbage);
  const double other = more > 1 ? std::max(1.0, plain * shift) : std::min(1.0, plain * shift);
  growth->least = std::min(growth->likely, other);
  growth->most = std::max(growth->most, other);
  growth->likely = std::sqrt(growth->likely * other);
}

}  // namespace schedlens
