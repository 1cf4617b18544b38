#ifndef SCHEDLENS_CLI_INTERRUPT_H_
#define SCHEDLENS_CLI_INTERRUPT_H_

// What Ctrl-C does: one line, exit code 130, nothing left behind.

#include <string>

namespace schedlens {

/// Ends the process at once on SIGINT. Whatever it does then, no file is half-written (see
/// WriteFileAtomically).
void HandleInterrupts();

/// While it lives, an interrupt removes this file before it ends the process. One at a time.
class RemovedOnInterrupt {
 public:
  explicit RemovedOnInterrupt(std::string path);
  ~RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;

 private:
  const std::string path_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_INTERRUPT_H_
