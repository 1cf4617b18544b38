#pragma once

// Runs the real binary, or any program, as a user's shell does.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "support/exec.h"
#include "support/invariants.h"

namespace schedlens {

/// A folder that is gone after the test.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "schedlens-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  /// A killed program's children end a moment after it: what they still write is removed again.
  ~TempDir() {
    std::error_code failed = std::make_error_code(std::errc::directory_not_empty);
    for (int tries = 0; failed && tries < 1000; ++tries) {
      std::filesystem::remove_all(path_, failed);
    }
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }
  std::size_t Entries() const {
    const std::filesystem::directory_iterator begin(path_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Finished {
  int code = -1;  ///< exit code; -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

/// A child with its three streams in files (`/dev/null` for an empty name).
inline pid_t Start(const std::vector<std::string>& command, const std::string& in,
                   const std::string& out, const std::string& err,
                   const std::vector<std::string>& environment = {}) {
  const std::vector<std::string> variables = test::EnvironmentWith(environment);
  const std::vector<char*> argv = test::Pointers(command), envp = test::Pointers(variables);
  const pid_t child = fork();
  if (child != 0) return child;
  const auto redirect = [](const std::string& path, int flags, int to) {
    const int fd = open(path.empty() ? "/dev/null" : path.c_str(), flags, 0600);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
  };
  redirect(in, O_RDONLY, 0);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
  execvpe(argv[0], argv.data(), envp.data());
  _exit(127);
}

inline Finished Wait(pid_t child, const std::string& out, const std::string& err) {
  int status = 0;
  waitpid(child, &status, 0);
  Finished finished;
  if (WIFEXITED(status)) finished.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  finished.out = ReadAll(out);
  finished.err = ReadAll(err);
  return finished;
}

/// Runs a program to its end. `environment` is added to the test's own. What holds of every run of
/// schedlens is looked at: see support/invariants.h.
inline Finished RunProgram(const std::vector<std::string>& command, const std::string& in = "",
                           const std::vector<std::string>& environment = {}) {
  const TempDir dir;
  const pid_t child = Start(command, in, dir / "out", dir / "err", environment);
  Finished finished = Wait(child, dir / "out", dir / "err");
  if (command[0] != SCHEDLENS_BINARY || finished.signal != 0) return finished;
  const std::vector<std::string> words(command.begin() + 1, command.end());
  for (const std::string& broken :
       test::BrokenInvariants(words, finished.code, finished.out, finished.err)) {
    ADD_FAILURE() << testing::PrintToString(words) << ": " << broken;
  }
  return finished;
}

/// Runs the schedlens binary without any settings of the machine's own; reports are of one time.
inline Finished RunBinary(std::vector<std::string> arguments, const std::string& in = "",
                          std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), SCHEDLENS_BINARY);
  environment.insert(environment.begin(),
                     {"SCHEDLENS_URL=", "PROMETHEUS_URL=", "COLUMNS=", "SCHEDLENS_HTTP_CONFIG=",
                      "SCHEDLENS_CONFIG=/dev/null", "SOURCE_DATE_EPOCH=1795226400"});
  return RunProgram(arguments, in, environment);
}

}  // namespace schedlens
