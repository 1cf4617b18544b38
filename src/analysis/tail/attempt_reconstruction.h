#ifndef SCHEDLENS_ANALYSIS_TAIL_ATTEMPT_RECONSTRUCTION_H_
#define SCHEDLENS_ANALYSIS_TAIL_ATTEMPT_RECONSTRUCTION_H_

// Attempts pieced together again from observations of their parts.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "kube/stage.h"

namespace schedlens {

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

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_TAIL_ATTEMPT_RECONSTRUCTION_H_
