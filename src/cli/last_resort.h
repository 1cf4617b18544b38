#ifndef SCHEDLENS_CLI_LAST_RESORT_H_
#define SCHEDLENS_CLI_LAST_RESORT_H_

// What is said when memory runs out, and of a failure that nothing can catch: before main, or in a
// thread's own start.

namespace schedlens {

/// What a lack of memory says, after the program's name.
inline constexpr const char* kOutOfMemory =
    "out of memory; use a shorter window, one cluster (--selector) or a smaller capture";

/// From now on a lack of memory ends the process at once, and so does an exception that nothing
/// catches: one line on standard error, exit code 1, no core dump. Whatever is being written then,
/// no file is half-written (see WriteFileAtomically). Needs no memory itself.
void EndInOneLine();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_LAST_RESORT_H_
