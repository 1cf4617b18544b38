#ifndef SCHEDLENS_CONTRACT_HEADROOM_H_
#define SCHEDLENS_CONTRACT_HEADROOM_H_

// What `whatif --headroom` answers: how much more there may be before a quantile is too high.

#include <string>
#include <vector>

#include "contract/message.h"
#include "contract/prediction.h"
#include "schedlens/estimate.h"

namespace schedlens {

struct Headroom {
  std::string what;    ///< rate, nodes or running
  std::string metric;  ///< of the alert, or what the target is of
  double q = 0.99;
  double target = 0;             ///< seconds
  std::vector<Message> refused;  ///< why nothing is said, as in Prediction
  /// Times what there is now. Without `high` it may not be crossed at all up to `most`; without
  /// `value` it likely is not. Without `low` it is crossed however little there is.
  Measured factor;
  double most = 0;             ///< the largest factor that was played
  std::optional<double> now;   ///< what the factor is of: pods a second, nodes
  Utilisation before, there;   ///< now, and where it is crossed
  double qps = 0;              ///< of the client's limit
  std::string limit;           ///< loop, client, extender or none: what binds first
  std::vector<Message> moves;  ///< what binds, and what would move it
  std::vector<Message> assumptions;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_HEADROOM_H_
