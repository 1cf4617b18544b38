// Servers and gateways that quote what they were sent: nothing of it leaves again.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/url.h"
#include "cli/process.h"
#include "cli/replayed_server.h"
#include "cli/serving.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;
using test::FakeReply;
using test::FakeRequest;
using test::FakeServer;
using test::Http;

constexpr const char* kToken = "glsa_T0ken\"Of<mine>";
constexpr const char* kPassword = "pa55 with blanks";

/// All that a request brought and a server may make of it.
std::string Echo(const FakeRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.headers) {
    text += fmt::format("{}: {} ({}, {}) ", name, value, EncodeBase64(value), PercentEncode(value));
  }
  return text;
}

std::string EchoJson(const FakeRequest& request) { return Json(Echo(request)).dump(); }

/// A server whose every answer quotes its request, in notes and in a label of each series.
FakeReply Quoting(test::ReplayedServer& replayed, const FakeRequest& request) {
  const std::string whole = replayed.Reply(request).bytes;
  std::string body = whole.substr(whole.find("\r\n\r\n") + 4);
  const std::string metric = "\"metric\":{";
  for (std::size_t at = body.find(metric); at != std::string::npos; at = body.find(metric, at)) {
    at += metric.size();
    body.insert(at, "\"echo\":" + EchoJson(request) + (body[at] == '}' ? "" : ","));
  }
  if (body.starts_with("{\"status\":\"success\"")) {
    const std::string echo = EchoJson(request);
    body.insert(1, fmt::format("\"warnings\":[{0}],\"infos\":[{0}],", echo));
  }
  return Http(whole.find(" 200 ") != std::string::npos ? 200 : 400, body);
}

void ExpectNothing(const std::string& text, const std::string& where) {
  const std::string pair = std::string("me:") + kPassword;
  for (const std::string& secret :
       {std::string(kToken), Json(kToken).dump().substr(1, 18), std::string("glsa_T0ken"),
        std::string("glsa\\_T0ken"), std::string("c00kie-value"), PercentEncode(kToken),
        EncodeBase64(kToken), std::string(kPassword), std::string("pa55"), EncodeBase64(pair),
        EncodeBase64(kPassword).substr(0, 12)}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << where << ": " << secret;
  }
}

/// Ways to be known to a server.
std::vector<std::vector<std::string>> Credentials(const std::string& url, const TempDir& dir) {
  std::string with_user = url;
  with_user.insert(7, fmt::format("me:{}@", PercentEncode(kPassword)));
  const std::string config = dir.Write(
      "http.yml", fmt::format("authorization: {{credentials: {}}}\nhttp_headers:\n  X-Key: "
                              "{{secrets: [c00kie-value]}}\n",
                              Json(kToken).dump()));
  const std::string basic = dir.Write(
      "basic.yml", fmt::format("basic_auth: {{username: me, password: {}}}\n", kPassword));
  return {{"--prometheus", url, "--header", std::string("Authorization: Bearer ") + kToken,
           "--header", "Cookie: sid=c00kie-value"},
          {"--prometheus", with_user},
          {"--prometheus", url, "--http.config.file", config},
          {"--prometheus", url, "--http.config.file", basic}};
}

TEST(QuotedSecrets, NoReportShowsThem) {
  const TempDir dir;
  test::ReplayedServer replayed(dir.Write("s.yaml", test::kPassingIncident));
  replayed.SetSecond(480);
  FakeServer server([&](const FakeRequest& request) { return Quoting(replayed, request); });
  for (const std::vector<std::string>& access : Credentials(server.url(), dir)) {
    for (const char* format : {"text", "json", "markdown", "html", "slack"}) {
      std::vector<std::string> words = {"diagnose",      "--verbose",        "-o",
                                        format,          "--no-cross-check", "--no-neighbours",
                                        "--export-html", dir / "r.html",     "--export-markdown",
                                        dir / "r.md",    "--export-json",    dir / "r.json"};
      words.insert(words.end(), access.begin(), access.end());
      const Finished done = RunBinary(words);
      EXPECT_EQ(done.code, 0) << done.err;
      EXPECT_NE(done.err.find("200"), std::string::npos) << "--verbose";
      ExpectNothing(done.out, format);
      ExpectNothing(done.err, "error");
      for (const char* file : {"r.html", "r.md", "r.json"})
        ExpectNothing(ReadAll(dir / file), file);
      const std::string kept = ReadAll(dir / "r.json");
      EXPECT_NE(kept.find("[secret]"), std::string::npos) << "the server's notes are in the report";
      EXPECT_FALSE(Json::parse(kept, nullptr, false).is_discarded());
    }
  }
}

std::string Unpacked(const std::string& path) {
  std::string text(std::size_t{32} << 20, '\0');
  const gzFile file = gzopen(path.c_str(), "rb");
  const int n = gzread(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  text.resize(static_cast<std::size_t>(std::max(n, 0)));
  return text;
}

TEST(QuotedSecrets, NoCaptureHoldsThem) {
  const TempDir dir;
  test::ReplayedServer replayed(dir.Write("s.yaml", test::kPassingIncident));
  replayed.SetSecond(480);
  FakeServer server([&](const FakeRequest& request) { return Quoting(replayed, request); });
  for (const std::vector<std::string>& access : Credentials(server.url(), dir)) {
    for (const char* name : {"c.om", "c.om.gz"}) {
      const std::string out = dir / name;
      std::vector<std::string> words = {"capture", "--out", out};
      words.insert(words.end(), access.begin(), access.end());
      const Finished done = RunBinary(words);
      EXPECT_EQ(done.code, 0) << done.err;
      const std::string text = Unpacked(out);
      EXPECT_NE(text.find("echo=\""), std::string::npos);
      ExpectNothing(text, name);
      ExpectNothing(done.out + done.err, name);
    }
  }
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"query", "up"}, {"query", "up", "-o", "json"}, {"doctor"}}) {
    std::vector<std::string> words = command;
    const std::vector<std::string> access = Credentials(server.url(), dir)[0];
    words.insert(words.end(), access.begin(), access.end());
    const Finished done = RunBinary(words);
    ExpectNothing(done.out + done.err, command[0]);
    EXPECT_NE((done.out + done.err).find("[secret]"), std::string::npos) << command[0];
  }
}

/// Refusals of APIs and of gateways, whose words end up in an error.
TEST(QuotedSecrets, NoErrorShowsThem) {
  const TempDir dir;
  const auto status = [](int code, const std::string& error) {
    return Http(code, "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":" + error + "}");
  };
  const std::vector<FakeServer::Handler> all = {
      [&](const FakeRequest& request) { return status(400, EchoJson(request)); },
      [&](const FakeRequest& request) { return status(200, EchoJson(request)); },
      [&](const FakeRequest& request) {
        return Http(401, R"({"kind":"Status","message":)" + EchoJson(request) + "}");
      },
      [&](const FakeRequest& request) { return Http(401, Echo(request)); },
      [&](const FakeRequest& request) { return Http(404, "x " + Echo(request)); },
      [&](const FakeRequest& request) {
        return Http(500, "<html><body>" + Echo(request) + "</body></html>",
                    "Content-Type: text/html\r\n");
      },
      [&](const FakeRequest& request) {
        return Http(200, R"({"status":"success","data":{"resultType":)" + EchoJson(request) + "}}");
      }};
  for (const FakeServer::Handler& handler : all) {
    FakeServer server(handler);
    for (const std::vector<std::string>& access : Credentials(server.url(), dir)) {
      std::vector<std::string> words = {"query", "up", "--verbose"};
      words.insert(words.end(), access.begin(), access.end());
      const Finished done = RunBinary(words);
      EXPECT_NE(done.code, 0);
      ExpectNothing(done.out + done.err, done.err);
    }
  }
}

/// The words of a process as `ps` shows them.
std::string WordsOf(pid_t pid) { return ReadAll("/proc/" + std::to_string(pid) + "/cmdline"); }

TEST(QuotedSecrets, NoProcessListShowsThem) {
  const TempDir dir;
  test::ReplayedServer replayed(dir.Write("s.yaml", test::kPassingIncident));
  std::string url = replayed.url();
  url.insert(7, "me:h1dden-1@");
  const test::Serving serving(url, dir / "reports",
                              {"--header", "X-Key: h1dden-2", "--header=Cookie: a=h1dden-3",
                               "--notify", "http://127.0.0.1:1/services/h1dden-4"});
  std::string words = WordsOf(serving.pid());
  std::replace(words.begin(), words.end(), '\0', ' ');
  EXPECT_EQ(words.find("h1dden"), std::string::npos) << words;
  EXPECT_NE(words.find(" serve --prometheus http://***********@127.0.0.1:"), std::string::npos)
      << words;
  EXPECT_NE(words.find("--header X-Key: ******** --header=Cookie: ********** "), std::string::npos)
      << words;
  EXPECT_NE(words.find("--notify http://127.0.0.1:1/*****************"), std::string::npos)
      << words;
}

}  // namespace
}  // namespace schedlens
