#ifndef SCHEDLENS_CLI_SAME_PLACE_H_
#define SCHEDLENS_CLI_SAME_PLACE_H_

#include <string>

namespace schedlens {

/// Whether two names of files to write lead to one file, by `./`, links or folders that are links,
/// also where it is not there yet. `-`, standard output, is a place of its own.
bool SamePlace(const std::string& a, const std::string& b);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SAME_PLACE_H_
