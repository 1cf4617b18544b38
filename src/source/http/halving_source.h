#pragma once

#include <memory>

#include "base/source.h"

namespace schedlens {

/// A server that limits how much one query may load or answer. A question for raw samples, or over
/// a range, that is refused for a limit (TellsALimit) is halved in time and asked again, down to a
/// minute or a single step; then the refusal stands. All other errors pass.
std::unique_ptr<Source> NewHalvingSource(std::unique_ptr<Source> server);

}  // namespace schedlens
