#ifndef SCHEDLENS_CONTRACT_ZONE_H_
#define SCHEDLENS_CONTRACT_ZONE_H_

#include <optional>
#include <string>

namespace schedlens {

/// The zone that times are printed in: UTC as it stands.
struct Zone {
  std::string name = {};  ///< as it was asked for; empty: UTC
  /// East of UTC, of a zone that is an offset; absent of one with a name, which is the process's.
  std::optional<int> offset_minutes = 0;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_ZONE_H_
