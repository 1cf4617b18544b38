#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/tail/worst_case.h"
#include "kube/stage.h"

namespace schedlens {

// Attempts pieced together again from observations of their parts.

/// By the leaves of the stage tree; a bind by its plugins as a whole.
using PartSeconds = kube::EnumMap<kube::Stage, double>;

/// The parts that one observation brings along.
enum Group : std::size_t {
  kAlgorithmGroup,
  kReserveGroup,
  kPermitGroup,
  kPermitWaitGroup,
  kPreBindGroup,
  kBindGroup,
  kGroupCount
};
Group GroupOf(kube::Stage part);

/// Something observed as a whole, and what of it has been found so far.
struct ReconstructedAttempt {
  double seconds = 0;
  double free = 0;  ///< seconds not yet given to a part; negative when too much was given
  PartSeconds parts{};
  std::array<bool, kGroupCount> has{};

  explicit ReconstructedAttempt(double s) : seconds(s), free(s) {}
  void Give(kube::Stage part, double s) {
    parts[part] += s;
    free -= s;
  }
  void Take(const PartSeconds& more);
  double SecondsOf(Group group) const;
  void Exchange(Group group, ReconstructedAttempt* other);
};

/// ReconstructedAttempts of one cell; those too small to matter are only added up.
struct ReconstructedAttempts {
  std::vector<ReconstructedAttempt> large;
  double small_count = 0;
  PartSeconds small{};       ///< all small ones together
  double small_seconds = 0;  ///< not yet given to a part

  double count() const { return static_cast<double>(large.size()) + small_count; }
  /// Gives each the same.
  void Spread(kube::Stage part, double s);
  /// What is left is `rest`'s, as much as the sums leave in all: where some were given too much and
  /// others have too little, it is their drawn length that was wrong, not the parts.
  void Close(kube::Stage rest);
};

/// The whole that `s` more seconds fill best: the least free time that still holds them, give or
/// take the blur of a bucket, and that has none of `group` yet. When none has room: the roomiest if
/// it `must` go somewhere, else null.
ReconstructedAttempt* BestFit(std::vector<ReconstructedAttempt>* wholes, std::optional<Group> group,
                              double s, bool must);

/// Where a whole was given more than it took, exchanges its observations with other wholes' as long
/// as that takes more than `least` seconds of excess away in all.
void Repair(double least, std::vector<ReconstructedAttempt>* wholes);

// Attempts that have passed a stage but have not ended: what a window's edge cuts apart.

/// Attempts of one target (its number) that had passed a stage at a time but had not ended: in the
/// stage's count but not yet in e2e's, since the process started. Without `point` the stage is the
/// algorithm, and its gap is the number of running attempts. Zero where the counts are not there.
double GapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
             TimeMs t, std::optional<kube::ExtensionPoint> point = {});

/// The gap of all targets together.
double GapAt(const Histograms& histograms, std::span<const Target> targets,
             const TimeBreakdown& breakdown, TimeMs t,
             std::optional<kube::ExtensionPoint> point = {});

/// Attempts of one target whose bind was observed at a time but that had not ended: the two are
/// microseconds apart, so hardly ever any.
double BindGapOf(const Histograms& histograms, std::size_t target, const TimeBreakdown& breakdown,
                 TimeMs t);

/// Everything that was observed until then: a scrape before the first makes the first one's counts
/// increases.
WindowIncreases History(const Histograms& histograms, std::span<const Target> targets,
                        TimeMs until);

// What attempts that cross a window's end have paid for in it, and so how much no histogram
// measures at most.

/// Attempts that had passed a stage at a time but had not ended, by stage: of every stage that is
/// observed at all but PostFilter. What a search without a node costs belongs to attempts that have
/// ended.
Tops RunningAt(const Histograms& histograms, std::span<const Target> targets,
               const TimeBreakdown& breakdown, TimeMs t);

/// The same of attempts that had passed a stage in the window and did not end in it: those running
/// at its end, and those that a restart took.
Tops RunningAtEnd(const Histograms& histograms, std::span<const Target> targets,
                  const WindowIncreases& window, const TimeBreakdown& breakdown);

/// EarlyTops of as many attempts as `running` says for each stage, at most `most`.
Tops TopsOfRunning(const TailPopulations& p, const TimeBreakdown& breakdown, const Tops& running,
                   double most);

/// The window, and what attempts that were running at its end had in each early stage by then.
struct Ending {
  TimeBreakdown breakdown;
  Tops tops;
};

/// The window's own, and that of the window made longer, to the scrape with the fewest running
/// attempts. What no histogram measures only grows with time: a bound for the longer window is one
/// for the window.
std::vector<Ending> EndingsOf(const Histograms& histograms, std::span<const Target> targets,
                              const WindowIncreases& window, const TailPopulations& p,
                              const TimeBreakdown& breakdown);

/// The seconds that a remainder has at most: attempts still running at the end have paid their
/// early stages in the window but are not in e2e yet, so the subtraction may take too much off.
double RemainderMost(const std::vector<Ending>& endings, kube::Stage remainder);

}  // namespace schedlens
