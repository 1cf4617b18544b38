#include <signal.h>
#include <unistd.h>

#include <iostream>

#include "cli/command.h"
#include "schedlens/error.h"

namespace {

/// Ends the process at once: whatever it does, no file is half-written (see WriteFileAtomically).
void EndInterrupted(int /*signal*/) {
  constexpr char kMessage[] = "schedlens: interrupted\n";
  const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  (void)ignored;
  _exit(static_cast<int>(schedlens::ErrorKind::kInterrupted));
}

void HandleInterrupts() {
  struct sigaction action = {};
  action.sa_handler = EndInterrupted;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  HandleInterrupts();
  std::ios::sync_with_stdio(false);
  return schedlens::Main(argc, argv, {std::cin, std::cout, std::cerr});
}
