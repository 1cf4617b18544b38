#ifndef SCHEDLENS_SOURCE_REMEMBERED_H_
#define SCHEDLENS_SOURCE_REMEMBERED_H_

// Raw samples that a server has sent once are not asked for again.

#include <cstddef>
#include <memory>

#include "contract/source.h"

namespace schedlens {

/// Answers a range selector from the samples that an earlier, wider one brought: wider in time, and
/// with no matcher that this one does not imply. Asks everything else. Nothing is remembered of a
/// server whose edges of a range are not known (not exact, and no VictoriaMetrics), of an answer
/// with warnings, or beyond `most_samples` samples.
std::unique_ptr<Source> Remembering(std::unique_ptr<Source> source,
                                    std::size_t most_samples = 4'000'000);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_REMEMBERED_H_
