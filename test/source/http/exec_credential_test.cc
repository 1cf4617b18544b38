#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/work_budget.h"
#include "schedlens/error.h"
#include "source/http/kubeconfig.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A plugin that is a line of shell.
KubeExec Shell(const std::string& line, const std::string& version = "v1") {
  return {.api_version = "client.authentication.k8s.io/" + version,
          .command = "sh",
          .args = {"-c", line, "plugin"},
          .env = {{"TOKEN", "t0ken"}},
          .install_hint = "install it first",
          .interactive_mode = "Never",
          .provide_cluster_info = true};
}

KubeCluster Cluster() {
  KubeCluster cluster{.server = "https://api.example:6443", .tls = {}, .proxy_url = {}};
  cluster.tls.ca = "CA";
  return cluster;
}

ExecCredential Called(const KubeExec& exec, double limit = 60) {
  return RunExecPlugin(exec, Cluster(), "alice", limit);
}

std::pair<ErrorKind, std::string> Failure(const KubeExec& exec, double limit = 60) {
  try {
    Called(exec, limit);
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::kFailed, "nothing failed"};
}

constexpr const char* kPrint =
    R"(printf '{"apiVersion":"client.authentication.k8s.io/%s","kind":"ExecCredential",)"
    R"("status":{"token":"%s","expirationTimestamp":"2026-11-21T10:00:00Z"}}' )";

TEST(ExecCredential, IsWhatTheProgramPrints) {
  for (const std::string version : {"v1", "v1beta1"}) {
    const auto found = Called(Shell(kPrint + version + " \"$TOKEN\"", version));
    EXPECT_EQ(found.token, "t0ken") << "its own variables reach it";
    EXPECT_EQ(found.expires, 1795255200000);
  }
}

TEST(ExecCredential, TheProgramLearnsOfTheCluster) {
  const auto found = Called(
      Shell(std::string(kPrint) + R"sh(v1 "$(printf %s "$KUBERNETES_EXEC_INFO" | tr -d '"')")sh"));
  EXPECT_THAT(found.token, HasSubstr("server:https://api.example:6443"));
  EXPECT_THAT(found.token, HasSubstr("certificate-authority-data:Q0E="));
  EXPECT_THAT(found.token, HasSubstr("interactive:false"));
  EXPECT_THAT(found.token, HasSubstr("apiVersion:client.authentication.k8s.io/v1"));
}

TEST(ExecCredential, MayBeACertificate) {
  const auto found = Called(
      Shell(R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}')"));
  EXPECT_EQ(found.cert, "CERT");
  EXPECT_EQ(found.key, "KEY");
  EXPECT_FALSE(found.expires.has_value());
}

TEST(ExecCredential, AProgramThatFailsOrPrintsSomethingElseIsNamedAndNotQuoted) {
  const auto [kind, failed] = Failure(Shell("echo s3cret; exit 3"));
  EXPECT_EQ(kind, ErrorKind::kAuth);
  EXPECT_THAT(failed, HasSubstr("user alice: exec plugin sh failed with exit code 3"));
  for (const char* line :
       {"echo s3cret", "echo '{\"kind\":\"ExecCredential\"}'",
        R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"}')",
        R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("status":{"clientCertificateData":"s3cret"}}')"}) {
    const auto [why, text] = Failure(Shell(line));
    EXPECT_EQ(why, ErrorKind::kAuth);
    EXPECT_THAT(text, HasSubstr("printed no credentials: "));
    EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  }
}

TEST(ExecCredential, AProgramThatIsNotThereSaysHowToGetIt) {
  KubeExec exec = Shell("");
  exec.command = "no-such-login-program";
  const auto [kind, text] = Failure(exec);
  EXPECT_EQ(kind, ErrorKind::kAuth);
  EXPECT_THAT(text, HasSubstr("does not start: No such file or directory: install it first"));
}

TEST(ExecCredential, AProgramThatHangsIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  const auto [kind, text] = Failure(Shell("exec sleep 1000"), 0.05);
  EXPECT_EQ(kind, ErrorKind::kTimeout);
  EXPECT_THAT(text, HasSubstr("does not end"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

/// What it leaves behind in its group ends with it, whether it hangs or prints what was asked for.
TEST(ExecCredential, WhatTheProgramStartedEndsWithIt) {
  const std::string file = testing::TempDir() + "grandchild";
  const std::string starts = "sleep 1000 >&- 2>&- & echo $! >" + file + "; ";
  const auto is_gone = [&] {
    pid_t pid = 0;
    std::ifstream(file) >> pid;
    std::remove(file.c_str());
    if (pid <= 0) return false;
    for (int look = 0; look < 1000; ++look) {  // init has to bury it
      std::string line;
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      if (!std::getline(stat, line) || line.find(") Z") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  };
  EXPECT_EQ(Failure(Shell(starts + "sleep 1000"), 0.5).first, ErrorKind::kTimeout);
  EXPECT_TRUE(is_gone());
  EXPECT_EQ(Called(Shell(starts + kPrint + "v1 \"$TOKEN\"")).token, "t0ken");
  EXPECT_TRUE(is_gone());
}

TEST(ExecCredential, AProgramThatClosesItsOutputAndRunsOnIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  const auto [kind, text] = Failure(Shell("exec >&-; exec sleep 60"), 0.2);
  EXPECT_EQ(kind, ErrorKind::kTimeout);
  EXPECT_THAT(text, HasSubstr("does not end"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(ExecCredential, AnInterruptEndsIt) {
  Interrupt(true);
  for (const char* line : {"exec sleep 60", "exec >&-; exec sleep 60"}) {
    EXPECT_EQ(Failure(Shell(line), 60).first, ErrorKind::kInterrupted) << line;
  }
  Interrupt(false);
}

TEST(ExecCredential, TooMuchOutputIsNoTimeout) {
  const auto [kind, text] = Failure(Shell("exec cat /dev/zero"));
  EXPECT_EQ(kind, ErrorKind::kAuth);
  EXPECT_THAT(text, HasSubstr("printed no credentials: over 1048576 bytes"));
}

TEST(ExecCredential, OtherVersionsAndModesAreRefused) {
  EXPECT_THAT(Failure(Shell("true", "v1alpha1")).second, HasSubstr("v1 and v1beta1 are"));
  KubeExec always = Shell("true");
  always.interactive_mode = "Always";
  if (isatty(0) == 1) return;
  EXPECT_THAT(Failure(always).second, HasSubstr("wants to ask at a terminal"));
}

}  // namespace
}  // namespace schedlens
