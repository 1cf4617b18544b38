#ifndef SCHEDLENS_CLI_DESCRIPTORS_H_
#define SCHEDLENS_CLI_DESCRIPTORS_H_

namespace schedlens {

/// Opens /dev/null for each of the descriptors 0 to 2 that is closed, so that no file gets its
/// number, and what is meant for standard output or standard error goes into none. Reading and
/// writing there fail, as they would without it.
void OpenClosedDescriptors();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_DESCRIPTORS_H_
