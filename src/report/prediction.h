#ifndef SCHEDLENS_REPORT_PREDICTION_H_
#define SCHEDLENS_REPORT_PREDICTION_H_

// How `whatif` prints what it predicts.

#include <string>

#include "contract/prediction.h"
#include "report/messages/messages.h"

namespace schedlens {

/// For a person: each quantile before and after, the alert, what the prediction assumes.
std::string PredictionText(const Messages& t, const Prediction& prediction);
/// Schema schedlens.whatif/1.
std::string PredictionJson(const Prediction& prediction);

/// Of `whatif --headroom`: the factor, what binds first, what would move it.
std::string HeadroomText(const Messages& t, const Headroom& headroom);
/// Schema schedlens.headroom/1.
std::string HeadroomJson(const Headroom& headroom);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_PREDICTION_H_
