#include "cli/version.h"

namespace schedlens {

std::string VersionLine() { return "schedlens " SCHEDLENS_VERSION; }

}  // namespace schedlens
