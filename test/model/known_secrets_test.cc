#include "model/known_secrets.h"

#include <gtest/gtest.h>

#include <chrono>

#include "model/base64.h"
#include "model/url.h"

namespace schedlens {
namespace {

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

}  // namespace
}  // namespace schedlens
