#ifndef SCHEDLENS_CLI_OPTIONS_ANY_SOURCE_H_
#define SCHEDLENS_CLI_OPTIONS_ANY_SOURCE_H_

#include <memory>

#include "source/open_source.h"

namespace schedlens {

/// OpenSource, `--scenario` included: the reference scheduler plays it, always with the same seed.
std::unique_ptr<Source> OpenAnySource(const SourceOptions& options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_ANY_SOURCE_H_
