#include "cli/last_resort.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "model/secrets.h"

namespace schedlens {
namespace {

void Say(const char* text) {
  // Whether it was written or not, the process ends.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void EndWith(const char* what) {
  Say("schedlens: ");
  Say(what);
  Say("\n");
  _exit(1);
}

[[noreturn]] void Terminated() {
  if (!std::current_exception()) std::abort();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    EndWith(kOutOfMemory);
  } catch (const std::exception& error) {
    EndWith(MaskKnownSecrets(error.what()).c_str());
  } catch (...) {
    EndWith("ended by an exception of unknown kind");
  }
}

}  // namespace

void EndInOneLine() {
  std::set_new_handler([] { EndWith(kOutOfMemory); });
  std::set_terminate(Terminated);
}

}  // namespace schedlens
