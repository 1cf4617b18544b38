#include "model/secrets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "model/url.h"

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

}  // namespace
}  // namespace schedlens
