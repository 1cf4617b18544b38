#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.h"
#include "cli/parse.h"
#include "cli/run_main.h"
#include "cli/safe_stream.h"

namespace schedlens {
namespace {

Options Some() {
  return {OptionOf("--prometheus,--url", "URL"), OptionOf("--header", "HEADER"),
          OptionOf("--alert", "EXPR"), OptionOf("--notify", "URL"), OptionOf("--full", "")};
}

std::string Line(const std::vector<std::string>& words) { return CommandText(words, Some()); }

TEST(CommandTextTest, IsWhatWasTyped) {
  EXPECT_EQ(Line({}), "schedlens");
  EXPECT_EQ(Line({"diagnose", "--url", "http://p:9090/x", "--full"}),
            "schedlens diagnose --url http://p:9090/x --full");
  EXPECT_EQ(Line({"diagnose", "--alert", "p99{a=\"b\"} > 3"}),
            "schedlens diagnose --alert 'p99{a=\"b\"} > 3'");
}

TEST(CommandTextTest, HeadersAndCredentialsAreHidden) {
  EXPECT_EQ(Line({"--header", "Authorization: Bearer s3cret"}),
            "schedlens --header 'Authorization: <secret>'");
  EXPECT_EQ(Line({"--header=Authorization: Bearer s3cret", "--full"}),
            "schedlens '--header=Authorization: <secret>' --full");
  EXPECT_EQ(Line({"--header", "s3cret"}), "schedlens --header '<secret>'");
  EXPECT_EQ(Line({"--header", "Bearer s3cret: x"}), "schedlens --header '<secret>'");
  EXPECT_EQ(Line({"--prometheus", "https://me:s3cret@p:9090/x"}),
            "schedlens --prometheus 'https://<secret>@p:9090/x'");
  EXPECT_EQ(Line({"--prometheus=https://me:s3@cret@p/x"}),
            "schedlens '--prometheus=https://<secret>@p/x'");
  EXPECT_EQ(Line({"--url", "me:s3cret@p:9090"}), "schedlens --url '<secret>@p:9090'");
  EXPECT_EQ(Line({"--url", "s3cret@p:9090"}), "schedlens --url '<secret>@p:9090'");
  EXPECT_EQ(Line({"--url", "me:s3/cret@p:9090"}), "schedlens --url '<secret>@p:9090'");
  EXPECT_EQ(Line({"--alert", "https://me:s3\ncr et@p:9090/x"}),
            "schedlens --alert 'https://<secret>@p:9090/x'");
  EXPECT_EQ(Line({"--alert", "https://g/explore?auth_token=s3cret&left=x&apiKey=abc#y"}),
            "schedlens --alert 'https://g/explore?auth_token=<secret>&left=x&apiKey=<secret>#y'");
}

TEST(CommandTextTest, OfAChatsWebhookOnlyTheServerIsShown) {
  EXPECT_EQ(Line({"serve", "--notify", "https://hooks.example/services/T0/s3cret"}),
            "schedlens serve --notify 'https://hooks.example/<secret>'");
  EXPECT_EQ(Line({"--notify=https://me:pw@hooks.example:8443/s3cret?wait=s3cret"}),
            "schedlens '--notify=https://hooks.example:8443/<secret>'");
  EXPECT_EQ(Line({"--notify", "hooks.example/s3cret"}),
            "schedlens --notify 'http://hooks.example/<secret>'");
  EXPECT_EQ(Line({"--notify", "unix:/run/s3cret"}), "schedlens --notify '<secret>'");
}

TEST(CommandTextTest, PromqlIsNoUrl) {
  const std::string expr = "up{url=\"http://a\"} @ 1600000000 > 1";
  EXPECT_EQ(Line({"--alert", expr}), "schedlens --alert '" + expr + "'");
}

/// Whatever a command says of a server with these credentials, it does not say them.
TEST(SecretsTest, NoCommandPrintsACredential) {
  for (const char* url :
       {"http://zuser:zword@127.0.0.1:1/x", "http://zuser:z@word@127.0.0.1:1/",
        "http://zuser:z/word@127.0.0.1:1", "http://zuser:12/zword@127.0.0.1:1",
        "http://zuser:z?w#ord@127.0.0.1:1", "http://zuser:12?zword@127.0.0.1:1",
        "http://zuser#zword@127.0.0.1:1", "zuser:zword@127.0.0.1:1", "zuser:z/word@127.0.0.1:1",
        "http://zuser:z word@127.0.0.1:1", "ftp://zuser:zword@127.0.0.1:1",
        "http://127.0.0.1:1/?access_token=zword", "127.0.0.1:1/?token=zword",
        "http://127.0.0.1:1/?x=1&api_key=zword#id_token=zword"}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"diagnose", "--prometheus", url, "--at", "1700000000"},
          {"diagnose", std::string("--prometheus=") + url, "--at", "1700000000", "--verbose"},
          {"query", "up", "--prometheus", url, "--verbose"},
          {"doctor", "--prometheus", url, "-o", "json"},
          {"capture", "--prometheus", url, "--out", "-", "--at", "1700000000"},
          {"capture", "--scrape", url, "--for", "10ms", "--out", "-"},
          {"diagnose", "--capture", url},
          {"diagnose", "--promethus", url},
          {"query", "up", url},
          {url}}) {
      testing::internal::CaptureStderr();  // of --verbose
      const Ran ran = RunMain(arguments);
      const std::string all = ran.out + ran.err + testing::internal::GetCapturedStderr();
      for (const char* secret : {"zuser", "zword", "z@word", "z/word", "word@"}) {
        EXPECT_EQ(all.find(secret), std::string::npos) << url << "\n" << all;
      }
    }
    std::ostringstream shown;
    ShowSettings({{"", "url", {url}, "a"}, {"capture", "scrape", {url}, "b"}}, shown);
    EXPECT_EQ(shown.str().find("zword"), std::string::npos) << shown.str();
    EXPECT_EQ(shown.str().find("zuser"), std::string::npos) << shown.str();
  }
}

}  // namespace
}  // namespace schedlens
