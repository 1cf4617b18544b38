#pragma once

// Credentials that a program of the user's own prints (client.authentication.k8s.io, v1 and
// v1beta1).

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/series.h"
#include "source/kubeconfig/kubeconfig.h"

namespace schedlens {

struct ExecCredential {
  std::string token;
  std::string cert, key;  ///< PEM
  std::optional<TimeMs> expires;
};

/// Runs the command with the environment's and its own variables; what it writes on standard error
/// appears there, a terminal is its standard input where it may ask. `user` is for messages. Throws
/// Error(kUsage) for a version or mode that is not known, Error(kAuth) for a program that is not
/// there, fails or prints over 1 MiB, Error(kTimeout) after `limit_seconds`, Error(kInterrupted)
/// 100 ms after Interrupt(true), and what ReadExecCredential throws. Whatever it started and left
/// in its process group is killed with it at the end, in time or not.
ExecCredential RunExecPlugin(const KubeExec& exec, const KubeCluster& cluster,
                             const std::string& user, double limit_seconds);

/// Ends the program that RunExecPlugin runs, if it does, and what that started: for a signal
/// handler that ends this process.
void KillExecPlugin();

/// Reads what the program printed. Throws Error(kAuth) that quotes nothing of it for anything but
/// an ExecCredential of that version with a token or a certificate and its key.
ExecCredential ReadExecCredential(std::string_view json, const KubeExec& exec,
                                  const std::string& user);

}  // namespace schedlens
