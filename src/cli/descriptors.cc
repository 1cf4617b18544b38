#include "cli/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace schedlens {

void OpenClosedDescriptors() {
  for (int wanted = 0; wanted <= 2; ++wanted) {
    if (fcntl(wanted, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lower ones are open, so this one is the lowest that is free.
    const int opened = open("/dev/null", wanted == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != wanted) close(opened);
  }
}

}  // namespace schedlens
