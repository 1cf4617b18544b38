#ifndef SCHEDLENS_REFERENCE_AFTERMATH_H_
#define SCHEDLENS_REFERENCE_AFTERMATH_H_

#include "analysis/diagnose/diagnose.h"

namespace schedlens {

/// Where the window's attempts become several times as many in its last scrape intervals and the
/// pods that waited become fewer, what held them back has ended there: a cause that is over. The
/// window up to then; nothing where it ends as it began, without the gauge of pending pods, and
/// where less than half of the window would be left.
std::optional<TimeRange> WithoutAftermath(const Investigation& investigation);

/// The investigation with the evidence of that part of its window alone.
Investigation CutTo(const TimeRange& window, const Investigation& investigation);

/// Says what was left out.
Message CutNote(const TimeRange& window, const Investigation& investigation);

}  // namespace schedlens

#endif  // SCHEDLENS_REFERENCE_AFTERMATH_H_
