#ifndef SCHEDLENS_CLI_VERSION_H_
#define SCHEDLENS_CLI_VERSION_H_

#include <string>

namespace schedlens {

/// `0.1.0`.
std::string Version();

/// `schedlens 0.1.0`: the version of CMakeLists.txt, which every machine-readable output carries.
std::string VersionLine();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_VERSION_H_
