#pragma once

// A Kubernetes API server behind TLS that demands a caller's credentials (support/api_server.py),
// certificates for both sides, and kubeconfigs that name them.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/process.h"

namespace schedlens::test {

/// Certificates in a folder: the authority ca.crt, NAME.crt and NAME.key signed by it.
class Certificates {
 public:
  explicit Certificates(const TempDir& dir) : dir_(dir) {
    Authority("ca");
    Signed("server", "ca", "subjectAltName=DNS:kubernetes.example");
    Signed("alice", "ca", "extendedKeyUsage=clientAuth");
    Signed("mallory", "ca", "extendedKeyUsage=clientAuth");
    Authority("other-ca");
    Signed("stranger", "other-ca", "extendedKeyUsage=clientAuth");
  }
  std::string Path(const std::string& name) const { return dir_ / name; }

 private:
  void Openssl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "openssl");
    const Finished made = RunProgram(arguments);
    if (made.code != 0) throw std::runtime_error(made.err);
  }
  void Authority(const std::string& name) const {
    Openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", "2", "-subj", "/CN=" + name, "-keyout", Path(name + ".key"), "-out",
             Path(name + ".crt")});
  }
  void Signed(const std::string& name, const std::string& authority,
              const std::string& extension) const {
    Openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
             "/CN=" + name, "-keyout", Path(name + ".key"), "-out", Path(name + ".csr")});
    dir_.Write(name + ".ext", extension + "\n");
    Openssl({"x509", "-req", "-in", Path(name + ".csr"), "-CA", Path(authority + ".crt"), "-CAkey",
             Path(authority + ".key"), "-CAcreateserial", "-days", "2", "-extfile",
             Path(name + ".ext"), "-out", Path(name + ".crt")});
  }

  const TempDir& dir_;
};

class ApiServer {
 public:
  /// `caller` says what who asks must show: {"authorization": ..., "certificate": a common name}.
  ApiServer(const TempDir& dir, const Certificates& certificates, const std::string& upstream,
            const nlohmann::json& caller,
            const nlohmann::json& configmaps = nlohmann::json::object(),
            const nlohmann::json& services = nlohmann::json::object()) {
    const nlohmann::json settings = {{"cert", certificates.Path("server.crt")},
                                     {"key", certificates.Path("server.key")},
                                     {"client_ca", certificates.Path("ca.crt")},
                                     {"upstream", upstream},
                                     {"caller", caller},
                                     {"configmaps", configmaps},
                                     {"services", services}};
    const std::string file = dir.Write("api-server.json", settings.dump());
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], 1);
      execlp("python3", "python3", SCHEDLENS_SOURCE_DIR "/test/support/api_server.py", file.c_str(),
             nullptr);
      _exit(127);
    }
    close(ends[1]);
    FILE* out = fdopen(ends[0], "r");
    const bool started = fscanf(out, "%d", &port_) == 1;
    fclose(out);
    if (!started) throw std::runtime_error("api_server.py did not start");
  }
  ~ApiServer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  std::string url() const { return fmt::format("https://127.0.0.1:{}", port_); }

 private:
  pid_t pid_ = -1;
  int port_ = 0;
};

/// A kubeconfig with one context, `prod`; `user` is a YAML mapping.
inline std::string Kubeconfig(const std::string& cluster, const std::string& user) {
  return fmt::format(
      "current-context: prod\nclusters: [{{name: k, cluster: {}}}]\n"
      "contexts: [{{name: prod, context: {{cluster: k, user: alice}}}}]\n"
      "users: [{{name: alice, user: {}}}]\n",
      cluster, user);
}

}  // namespace schedlens::test
