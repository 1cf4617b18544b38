// Ctrl-C: exit code 130, one line, nothing left behind.

#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "cli/process.h"

namespace schedlens {
namespace {

/// The binary gets the signal while it reads its input.
Finished EndedBy(int signal, const TempDir& written) {
  ::signal(SIGHUP, SIG_DFL);  // the tests themselves may run under nohup
  const TempDir dir;
  const std::string pipe = dir / "input";
  EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = Start({SCHEDLENS_BINARY, "report", "-", "--export-json", written / "d.json"},
                            pipe, dir / "out", dir / "err", {"SCHEDLENS_CONFIG=/dev/null"});
  // More than a pipe holds: this write ends only after the child has begun to read its input.
  const int fd = open(pipe.c_str(), O_WRONLY);
  EXPECT_GE(fd, 0);
  const std::string much(1 << 20, ' ');
  EXPECT_EQ(write(fd, much.data(), much.size()), static_cast<ssize_t>(much.size()));
  kill(child, signal);
  Finished finished = Wait(child, dir / "out", dir / "err");
  close(fd);
  return finished;
}

TEST(Interrupt, EndsWith130AndLeavesNoFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TempDir written;
    const Finished finished = EndedBy(signal, written);
    EXPECT_EQ(finished.code, 130) << signal;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err, "schedlens: interrupted\n");
    EXPECT_EQ(written.Entries(), 0U);
  }
}

TEST(Interrupt, WhatIsIgnoredIsNotNoted) {
  const auto hung_up = [] {
    signal(SIGHUP, SIG_IGN);
    const NotesSignals notes({SIGTERM, SIGHUP});
    raise(SIGHUP);
    _exit(NotesSignals::noted() == 0 ? 7 : 1);
  };
  EXPECT_EXIT(hung_up(), testing::ExitedWithCode(7), "");
}

TEST(Interrupt, ASecondSignalEndsWhatDoesNotEnd) {
  const auto twice = [] {
    const NotesSignals notes({SIGINT, SIGTERM});
    raise(SIGTERM);
    if (NotesSignals::noted() != SIGTERM) _exit(1);
    raise(SIGTERM);
    _exit(2);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(130), "interrupted");
}

}  // namespace
}  // namespace schedlens
