#include <gtest/gtest.h>

#include "model/known_secrets.h"

namespace schedlens {
namespace {

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
