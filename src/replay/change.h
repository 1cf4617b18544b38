#pragma once

// What `whatif --set` may change, and how a fitted scenario changes with it.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "replay/fit.h"

namespace schedlens {

enum class ChangeKind {
  kSet,       ///< KEY=VALUE
  kMultiply,  ///< KEY*=FACTOR
  kBaseline,  ///< KEY=baseline: as in the quiet period
  kFile,      ///< config=FILE
  kRemoved,   ///< KEY=removed: an extender, a plugin, a webhook
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
/// or `config=FILE`. Throws Error(kUsage) in one line for another form, an unknown key (the nearest
/// one is named) or a value that makes no sense.
Change ParseChange(const std::string& text);

/// The keys that can be changed, for help: "algorithm, algorithm.prefilter, ...".
std::string ChangeKeys();

/// A fitted scenario while it is being changed. Where what follows from a change is not known,
/// `extreme` takes the dearest that it may be and `scenario` the likely one.
struct Changed {
  Fitted likely;
  Fitted extreme;
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
/// not say what the change needs (a baseline, the number of nodes), Error(kUsage) for a
/// configuration that cannot be read.
void Apply(const Change& change, const Investigation& investigation, Changed* changed);

/// All changes in order, made to one reading of the window; `cheapest` as in Changed.
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

}  // namespace schedlens
