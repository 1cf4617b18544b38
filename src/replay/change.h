#pragma once

// What `whatif --set` may change, and how a fitted scenario changes with it.

#include "replay/fit.h"

namespace schedlens {

enum class ChangeKind {
  kSet,       ///< KEY=VALUE
  kMultiply,  ///< KEY*=FACTOR
  kBaseline,  ///< KEY=baseline: as in the quiet period
  kFile,      ///< config=FILE
  kRemoved,   ///< KEY=removed or KEY=off: an extender, a plugin, a webhook, pods that fail
};

/// One change: `bind.extender=0` sets a stage's cost (seconds) or a setting,
/// `algorithm.filter*=0.5` multiplies it, `bind.request=baseline` takes it from the baseline.
struct Change {
  std::string key;
  ChangeKind kind = ChangeKind::kSet;
  double value = 0;
  std::string file;  ///< of kFile: its name; whoever has files puts its text into `text`
  std::string text;

  /// What kSet or kMultiply makes of a number that was `now`.
  double NewValue(double now) const { return kind == ChangeKind::kMultiply ? now * value : value; }
};

/// Reads `KEY=VALUE` (seconds may have a unit: 50ms), `KEY*=FACTOR`, `KEY=baseline`, `KEY=removed`
/// or `config=FILE`. A stage removed takes no time, a limit removed is as good as none. Throws
/// Error(kUsage) in one line for another form, an unknown key (one within two letters is named) or
/// a value that makes no sense.
Change ParseChange(const std::string& text);

/// The keys that can be changed, for help: "algorithm, algorithm.prefilter, ...".
std::string ChangeKeys();

/// A fitted scenario while it is being changed. Where what follows from a change is not known,
/// `extreme` takes the dearest that it may be and `scenario` the likely one.
struct Changed {
  Fitted likely, extreme;
  bool differ = false;
  std::vector<Message> assumptions = {};
  bool rolls_out = false;  ///< the window's roll-out is played as one in `likely`
  /// `likely` takes the cheapest that is possible; `cheaper`: something was not the likeliest then.
  bool cheapest = false, cheaper = false;
  /// What a plugin that was not measured takes, by `Point/NAME`: likely and at the extreme.
  std::map<std::string, std::pair<double, double>> declared = {};

  std::array<Fitted*, 2> Both() { return {&likely, &extreme}; }
  /// Adds an assumption.
  void Say(std::string id, std::vector<Argument> args = {}) {
    assumptions.emplace_back(std::move(id), std::move(args));
  }
  /// Multiplies what the steps of the window cost.
  void Scale(const std::vector<sim::Cost>& costs, double likely_factor, double extreme_factor);
};

/// Makes one change to the window's period. Throws Error(kInsufficientData) when the window does
/// not say what the change needs, Error(kUsage) for an unreadable configuration.
void Apply(const Change& change, const Investigation& investigation, Changed* changed);

/// All changes in order, made to one reading of the window, and then what RequestsMayCalm says;
/// `cheapest` as in Changed.
Changed ApplyAll(const std::vector<Change>& changes, const Investigation& investigation,
                 const Fitted& fitted, bool cheapest = false);
/// The same at the cheapest that the changes may make it; nothing where that is the likely one.
std::optional<Fitted> CheapestOf(const std::vector<Change>& changes,
                                 const Investigation& investigation, const Fitted& fitted,
                                 const Changed& changed);

/// A deployment's roll-out that waits for its pods: when they are bound faster, the next ones come
/// faster too. A period of the window in which as many pods as it keeps pending were binding.
struct RollOut {
  sim::Nanos start = 0, end = 0;  ///< of the fitted scenario's virtual time
  double pods = 0;                ///< that came in it
  int surge = 0;                  ///< binding at once
};

/// Under a limit an open stream of pods lets the binding cycles pile up or drain; a roll-out keeps
/// their number. Found where the gauge of binding goroutines is level over at least eight of its
/// values near its top; none without the gauge or with fewer than ten at once.
std::optional<RollOut> FindRollOut(const Investigation& investigation, const Fitted& fitted);

/// Puts the roll-out in the place of the pods that were counted in its period. They then come as
/// fast as they are bound, whatever `rate` says.
void PlayRollOut(const RollOut& roll_out, Fitted* fitted);

/// After a change of the client's limit: where the limit had held a roll-out back, its pods likely
/// follow their binds from now on; at the extreme they do not, and the assumptions say so. Once for
/// all changes of the limit. False where no roll-out was held back.
bool FollowRollOut(const Investigation& investigation, Changed* changed);

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

/// Where binds are as quick again as in the quiet period, so likely are the other requests of a
/// binding, which go the same way: those around a wait for volumes, and what no metric has around a
/// bind. Each is quicker by no more than the bind had grown; nothing changes where that had not, or
/// where another change has set it (`measured` is without any). At the extreme they are as now; an
/// assumption says so.
void RequestsMayCalm(const Fitted& measured, Changed* changed);

/// Nodes in the scheduler's cache at the window's end, as its gauge says; nothing without it.
std::optional<int> NodesOf(const Investigation& investigation);

/// PreFilter, Filter, PreScore and Score take what their work takes in the new setting; at the
/// extreme all of it grows that may. States the assumptions. No change where that is unknown.
void MoveLoop(const LoopSetting& to, Changed* changed);

/// `nodes=N`: adaptive sampling decides how many are looked at; there are as many pods a node as
/// before. Throws Error(kInsufficientData) when the window does not say how many there are.
void ApplyClusterSize(const Change& change, Changed* changed);

/// `running*=FACTOR`: PreFilter and PreScore go over the pods that run where InterPodAffinity or
/// PodTopologySpread makes them expensive; at the extreme everywhere. Throws likewise.
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

/// `config=FILE`: changes what the file changes: extenders, clientConnection,
/// percentageOfNodesToScore, parallelism, plugins that were measured and are disabled. One
/// assumption a field that changes the prediction, one line for those that cannot. What was never
/// measured (an extender or a plugin that is new) is said to be missing; a plugin from outside the
/// tree takes what was declared of it or a default. Throws Error(kUsage) for what is no such file.
void ApplyConfiguration(const Change& change, const Investigation& investigation, Changed* changed);

/// `webhook.NAME=removed`: the binding call less what the webhook took; `=baseline`: less what it
/// takes beyond the quiet period. Throws
/// Error(kInsufficientData) where the data do not say what it took of the bindings: no API server's
/// metrics, no such webhook (the nearest one is named), no service level indicator.
void RemoveWebhook(const Change& change, const Investigation& investigation, Changed* changed);

/// `etcd.fsync=baseline`: storage takes what it took in the quiet period. Throws
/// Error(kInsufficientData) where the data do not say what it took then and now.
void RestoreStorage(const Investigation& investigation, Changed* changed);

/// `bind.network=baseline` and its like (of `stage`, below `bind.request` in the report's tree):
/// the binding call less what that part of it takes beyond the quiet period. Throws
/// Error(kInsufficientData) where the data do not say what it took then and now.
void RestorePart(const std::string& stage, const Investigation& investigation, Changed* changed);

/// What goes from the binding call: parts of 1 of its mean, now and in the quiet period.
struct GonePart {
  double now = 0, quiet = 0;
};

/// A call without that part, never quicker than it was without it in the quiet period. What it took
/// then tells which form is left: `evenly` each call loses the same part of what it has grown by,
/// else so many calls are as quick as then. What it had then already each call loses alike.
sim::Distribution Without(const sim::Distribution& now, const sim::Distribution& quiet,
                          const GonePart& gone, bool evenly);

// A configuration from the cluster that was measured, read as it is there, and findings with names
// from it: which extender, which limit, which plugins.

/// The configuration `text` (of file `name`) at the release that the diagnosis shows: where several
/// fit, the one of the file's apiVersion if it is among them, else the nearest. Plugins that the
/// diagnosis saw are known. Throws Error(kUsage) as sim::core::ReadConfiguration.
sim::core::Configuration ReadAsFound(std::string_view text, const std::string& name,
                                     const Diagnosis& diagnosis, sim::core::FoundInFile* found);

/// What of the file is left out or does not fit, but for plugins: a sentence each.
std::vector<Message> RemarksOn(const sim::core::FoundInFile& found,
                               const sim::core::Configuration& configuration);

/// The diagnosis with what the KubeSchedulerConfiguration `text` (of file `name`) says about its
/// findings added as evidence: extenders by verb, client QPS and burst, plugins of Permit, PreBind
/// and Reserve. An extender finding that the configuration rules out (no extender has such a verb)
/// is taken out unless it is certain; a certain one stays, and a warning says that the file is not
/// this scheduler's. Plugins that the diagnosis saw are known plugins. Throws Error(kUsage) for
/// what is no such configuration.
Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name);

}  // namespace schedlens
