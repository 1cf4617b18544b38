#pragma once

#include <stdexcept>
#include <string>

namespace schedlens {

/// What kind of trouble ended a run. The value is the process's exit code.
enum class ErrorKind {
  kFailed = 1,  ///< input unreadable or malformed, server failed, disk full
  kUsage = 2,   ///< the command line or a configuration file asks for something impossible
  kAuth = 4,    ///< the server refused us (401, 403)
  kInsufficientData = 5,  ///< everything was read, and it cannot answer the question
  kTimeout = 124,
  kInterrupted = 130,
};

/// The one exception type. Thrown where the cause is known, caught once in `cli`, printed as one
/// line. The message says what was attempted, on what (file, line, query), and what to do.
/// Absence, repairs and warnings are data, never errors.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace schedlens
