#ifndef SCHEDLENS_ANALYSIS_ALERT_FIRES_H_
#define SCHEDLENS_ANALYSIS_ALERT_FIRES_H_

// Whether an alert's whole expression held, and what it compares: by evaluating it as written,
// whatever it asks.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/message.h"
#include "contract/source.h"
#include "promql/alert_expression.h"

namespace schedlens {

/// Whether `value comparison threshold` is true.
bool Compares(double value, const std::string& comparison, double threshold);

struct AlertAnswer {
  AlertFires fires;
  std::optional<double> value;  ///< of the series that is worst at the window's end
  Labels labels;                ///< of that series
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;
};

/// Evaluates the expression and what it compares over the window, up to 240 times. It fires at each
/// time at which it has a result. That it does not is known only where what it compares has a
/// value, and, should that be beyond its threshold, every other metric in it has one too. Throws
/// what the source throws.
AlertAnswer AskWhetherItFires(Source& source, const promql::AlertExpression& alert,
                              const TimeRange& window);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_ALERT_FIRES_H_
