#ifndef SCHEDLENS_KUBE_LABELS_H_
#define SCHEDLENS_KUBE_LABELS_H_

#include "contract/series.h"
#include "kube/words.h"

namespace schedlens::kube {

/// How the attempts of a series ended. 1.18 has no `result` and observes successful binds only; a
/// value that no release has counts as an error.
inline AttemptResult ResultOf(const Labels& labels) {
  if (!labels.Has("result")) return AttemptResult::kScheduled;
  return Parse<AttemptResult>(labels.Get("result")).value_or(AttemptResult::kError);
}

/// Whether an extension point's or plugin's calls were answered `Success`.
inline bool IsSuccess(const Labels& labels) {
  return labels.Get("status") == ToString(StatusCode::kSuccess);
}

inline bool IsScheduled(const Labels& labels) {
  return ResultOf(labels) == AttemptResult::kScheduled;
}

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_LABELS_H_
