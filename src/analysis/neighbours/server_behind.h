#ifndef SCHEDLENS_ANALYSIS_NEIGHBOURS_SERVER_BEHIND_H_
#define SCHEDLENS_ANALYSIS_NEIGHBOURS_SERVER_BEHIND_H_

#include <optional>

#include "analysis/neighbours/path_evidence.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The one API server that is slow where others are not: it took twice as long as they for the same
/// requests on pods, by so much more than before that it explains three tenths of the binding
/// call's growth. Says where bindings wait, not why. Nothing with one API server, and where all are
/// slow.
std::optional<CauseBehind> SlowServerBehind(const PathEvidence& path);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_NEIGHBOURS_SERVER_BEHIND_H_
