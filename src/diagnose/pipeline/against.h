#pragma once

#include "contract/diagnosis.h"

namespace schedlens {

/// Puts two diagnoses side by side. Findings are the same by their id, causes behind them by id and
/// object; a `possible` one counts, too. Stages are those that have a hundredth of a scheduled
/// pod's time on either side, and the parts of those that have a tenth; plugins are left out.
Against SetAgainst(Diagnosis then, Diagnosis now);

}  // namespace schedlens
