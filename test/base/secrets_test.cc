#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "base/url.h"

namespace schedlens {
namespace {

TEST(HideSecrets, OfUrls) {
  for (const auto& [text, hidden] :
       {std::pair{"http://me:pw@h:9090/x", "http://<secret>@h:9090/x"},
        std::pair{"http://me:p@w@h/x", "http://<secret>@h/x"},
        std::pair{"http://me:p/w@h/x", "http://<secret>@h/x"},
        std::pair{"http://me:12/34@h", "http://<secret>@h"},
        std::pair{"http://me:p?w#z@h", "http://<secret>@h"},
        std::pair{"me:pw@h:9090", "<secret>@h:9090"}, std::pair{"me:p/w@h", "<secret>@h"},
        std::pair{"--url=me:pw@h", "--url=<secret>@h"},
        std::pair{"query up (https://me:pw@h/x): refused",
                  "query up (https://<secret>@h/x): refused"},
        std::pair{"from 'http://me:p w\"@h' on", "from 'http://<secret>@h' on"},
        std::pair{"http://h/?token=t", "http://h/?token=<secret>"},
        std::pair{"h:9090/?x=1&access_token=t;u&y=2", "h:9090/?x=1&access_token=<secret>&y=2"},
        std::pair{"http://h/?API_KEY=t&b=c#d", "http://h/?API_KEY=<secret>&b=c#d"},
        std::pair{"http://h/?%74oken=t", "http://h/?%74oken=<secret>"},
        std::pair{"from http://me:\"pw@h on", "from http://<secret>@h on"},
        std::pair{"from http://me: pw@h on", "from http://<secret>@h on"},
        std::pair{"http://h/?sessionid=t&Bearer=u&pass=v",
                  "http://h/?sessionid=<secret>&Bearer=<secret>&pass=<secret>"},
        std::pair{"http://h/#id_token=t", "http://h/#id_token=<secret>"}}) {
    EXPECT_EQ(HideSecrets(text), hidden);
    EXPECT_EQ(HideSecrets(hidden), hidden) << "twice is once";
  }
}

TEST(HideSecrets, NothingElseChanges) {
  for (const char* text :
       {"", "http://h:9090/x?query=up&time=3", "[::1]:9090", "http://[::1]:9090/x",
        "up{url=\"http://a\"} @ 1600000000 > 1", "a:rule{key=\"token=x\"}[5m:1m]@1600000000.5",
        "rate(a:b[5m] @end()) / sum(x@start())", "mail me@example.org, 12:30",
        "give http://HOST:PORT or SCHEDLENS_URL=http://x"}) {
    EXPECT_EQ(HideSecrets(text), text);
  }
  EXPECT_EQ(HideSecretsOfUrl("token@h:9090"), "<secret>@h:9090");
  EXPECT_EQ(HideSecretsOfUrl("http://a b:c\"d@h"), "http://<secret>@h");
}

TEST(HideSecrets, NoPasswordIsEverLeft) {
  constexpr std::string_view kMarks = "@/?#:;&=%+!$*()[]{},.~-_^|<>\\";
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    const auto word = [&] {
      std::string text = "Zq";
      for (unsigned i = random() % 5; i > 0; --i) {
        text += kMarks[random() % kMarks.size()];
        text += random() % 2 == 0 ? "Zq" : "7";
      }
      return text + "Zq";
    };
    const std::string scheme = random() % 3 == 0 ? "" : random() % 2 == 0 ? "http://" : "HTTPS://";
    const std::string end = random() % 2 == 0 ? "h.example:9090/prom" : "10.0.0.1/";
    const std::string url = scheme + word() + ":" + word() + "@" + end;
    for (const std::string& text : {url, "--url=" + url, "cannot ask (" + url + "): refused"}) {
      EXPECT_EQ(HideSecrets(text).find("Zq"), std::string::npos) << text;
    }
    EXPECT_EQ(HideSecretsOfUrl(url).find("Zq"), std::string::npos) << url;
    if (const auto parsed = ParseUrl(url)) {
      EXPECT_EQ(parsed->WithoutSecrets().find("Zq"), std::string::npos) << url;
    }
    const std::string token = fmt::format("{}h/x?a=1&access_token=Zq{}&b=2", scheme, random());
    EXPECT_EQ(HideSecrets("asked " + token + " twice").find("Zq"), std::string::npos) << token;
  }
}

class KnownSecretsTest : public testing::Test {
 protected:
  void SetUp() override { ForgetSecrets(); }
  void TearDown() override { ForgetSecrets(); }
};

std::string Masked(const std::string& text) { return MaskKnownSecrets(text); }

TEST_F(KnownSecretsTest, EverySpellingIsMasked) {
  const std::string secret = "p4\"ss/w<r&d\\ 1";
  RegisterSecret("  " + secret + "\n");
  EXPECT_EQ(Masked("a " + secret + " b " + secret), "a [secret] b [secret]");
  for (const char* spelled :
       {R"(p4\"ss/w<r&d\\ 1)", R"(p4\"ss\/w<r&d\\ 1)", R"(p4\"ss/w\u003cr\u0026d\\ 1)",
        "p4&quot;ss/w&lt;r&amp;d\\ 1", "p4&#34;ss/w&lt;r&amp;d\\ 1", "p4%22ss%2Fw%3Cr%26d%5C%201",
        "p4%22ss%2fw%3cr%26d%5c%201"}) {
    EXPECT_EQ(Masked("x" + std::string(spelled) + "x"), "x[secret]x") << spelled;
  }
  EXPECT_EQ(Masked(EncodeBase64(secret)), "[secret]");
}

TEST_F(KnownSecretsTest, AlsoAsTheEndOfWhatIsPacked) {
  RegisterSecret("sw0rdfish~~??");
  for (const std::string user : {"", "a", "bo", "eve", "mail@a.example"}) {
    const std::string pair = user + ":sw0rdfish~~??";
    std::string packed = EncodeBase64(pair);
    EXPECT_NE(Masked(packed).find("[secret]"), std::string::npos) << packed;
    // At most the digits that another byte has a part in stay.
    EXPECT_LE(Masked(packed).size(),
              std::string("[secret]").size() + (user.size() + 1) * 4 / 3 + 5);
    for (char& c : packed) c = c == '+' ? '-' : c == '/' ? '_' : c;
    EXPECT_NE(Masked(packed).find("[secret]"), std::string::npos) << packed;
  }
}

TEST_F(KnownSecretsTest, ShortOnesAreNotAndWordsOnlyAlone) {
  RegisterSecret("abc");
  RegisterSecret("secret");
  EXPECT_EQ(Masked("abc secret"), "abc secret");
  RegisterSecret("scheduler");
  EXPECT_EQ(Masked("scheduler_attempts{job=\"kube-scheduler\"} scheduler2 rescheduler"),
            "scheduler_attempts{job=\"kube-scheduler\"} scheduler2 rescheduler");
  EXPECT_EQ(Masked("Bearer scheduler, \"scheduler\" \\nscheduler %20scheduler \\u003cscheduler"),
            "Bearer [secret], \"[secret]\" \\n[secret] %20[secret] \\u003c[secret]");
  EXPECT_EQ(Masked(EncodeBase64("scheduler")), "[secret]");
  RegisterSecret("h4nter");
  EXPECT_EQ(Masked("xh4nterx"), "x[secret]x");
}

TEST_F(KnownSecretsTest, OverlapsAreMaskedWhole) {
  RegisterSecret("abcd1234");
  RegisterSecret("1234efgh");
  RegisterSecret("abcd1234efghijkl");
  EXPECT_EQ(Masked("-abcd1234efgh-abcd1234efghijkl-abcd1234abcd1234"),
            "-[secret]-[secret]-[secret][secret]");
}

TEST_F(KnownSecretsTest, PiecesAreMaskedLikeTheWhole) {
  RegisterSecret("abcd1234");
  RegisterSecret("abcd1234efghijkl");
  RegisterSecret("watchword");
  const std::string text =
      "x abcd1234efgh abcd1234efghijkl abcabcd1234 watchword watchwords abcd123 abcd1234e";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    SecretMask mask;
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size) {
      out += mask.Put(text.substr(at, size), false);
    }
    out += mask.Put("", true);
    EXPECT_EQ(out, Masked(text)) << size;
  }
  SecretMask mask;
  EXPECT_EQ(mask.Put("line\n", false), "line\n") << "nothing waits that is no secret's beginning";
  EXPECT_EQ(mask.Put("abcd", false), "");
  EXPECT_EQ(mask.Put("", true), "abcd");
}

TEST_F(KnownSecretsTest, TheNewestCount) {
  for (int i = 0; i < 300; ++i) {
    RegisterSecret("token-" + std::to_string(1000 + i));
    RegisterSecret("password1");
  }
  EXPECT_EQ(Masked("token-1000 token-1299 password1"), "token-1000 [secret] [secret]");
  ForgetSecrets();
  EXPECT_EQ(Masked("token-1299"), "token-1299");
}

TEST_F(KnownSecretsTest, ALargeTextTakesNoTime) {
  RegisterSecret("glsa_0123456789abcdefghijklmnopqrstuv");
  RegisterCredentials("grafana", "correct horse battery staple");
  std::string text;
  while (text.size() < (std::size_t{32} << 20)) {
    text += "scheduler_scheduling_attempt_duration_seconds_bucket{le=\"0.001\"} 12 1700000000\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Masked(text), text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

class KnownSecretsOfTest : public testing::Test {
 protected:
  void SetUp() override { ForgetSecrets(); }
  void TearDown() override { ForgetSecrets(); }
};

TEST_F(KnownSecretsOfTest, HeadersThatCarryNothingButNamesStay) {
  for (const char* name : {"Accept", "User-Agent", "X-Scope-OrgID", "content-type"}) {
    RegisterHeader(name, "some-value-1");
  }
  EXPECT_EQ(MaskKnownSecrets("some-value-1"), "some-value-1");
}

TEST_F(KnownSecretsOfTest, EachPartOfAHeaderThatIsSecretIsMasked) {
  RegisterHeader("Authorization", "Bearer t0ken-1");
  RegisterHeader("Proxy-Authorization", "basic bWU6cHd3MHJk");  // me:pww0rd
  RegisterHeader("Cookie", "sid=c00kie; theme=d4rk1; alone1");
  RegisterHeader("X-Api-Key", "k3y-of-api");
  for (const char* quoted : {"t0ken-1", "bWU6cHd3MHJk", "me:pww0rd", "pww0rd", "c00kie", "d4rk1",
                             "k3y-of-api", "Bearer t0ken-1"}) {
    EXPECT_EQ(MaskKnownSecrets(quoted), "[secret]") << quoted;
  }
  EXPECT_EQ(MaskKnownSecrets("Bearer theme sid"), "Bearer theme sid");
}

TEST_F(KnownSecretsOfTest, OfAUrlThePasswordAndItsSecretParameters) {
  RegisterSecretsOfUrl("https://me:p%40ssw0rd@host:1/path?api_key=k3y%2F1&q=shown1#token=fr4gment");
  for (const char* quoted :
       {"p%40ssw0rd", "p@ssw0rd", "me:p@ssw0rd", "k3y/1", "fr4gment", "bWU6cEBzc3cwcmQ="}) {
    EXPECT_EQ(MaskKnownSecrets(quoted), "[secret]") << quoted;
  }
  EXPECT_EQ(MaskKnownSecrets("me host shown1"), "me host shown1");
  RegisterSecretsOfUrl("t0ken-as-user@host:9090");
  EXPECT_EQ(MaskKnownSecrets("t0ken-as-user"), "[secret]");
}

}  // namespace
}  // namespace schedlens
