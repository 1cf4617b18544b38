#include "cli/version.h"

namespace schedlens {

std::string Version() { return SCHEDLENS_VERSION; }

std::string VersionLine() { return "schedlens " SCHEDLENS_VERSION; }

}  // namespace schedlens
