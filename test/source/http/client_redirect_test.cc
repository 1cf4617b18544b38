#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "source/http/client.h"

namespace schedlens {
namespace {

TlsConfig Named(const std::string& name) {
  TlsConfig tls;
  tls.server_name = name;
  return tls;
}

struct Way {
  std::string from;
  std::string to;
  bool at_origin;
};

TEST(Redirect, TheOriginIsSchemeHostAndPort) {
  for (const Way& way : {Way{"http://a/x", "http://a/y", true},
                         {"http://a/x", "http://A:80/y", true},
                         {"https://a/x", "https://a:443/y", true},
                         {"https://a/x", "https://name:443/y?z=1", true},  // the certificate's name
                         {"http://a/x", "http://name/y", false},
                         {"http://a/x", "https://a/x", false},
                         {"http://a/x", "http://a:81/x", false},
                         {"http://a/x", "http://a.b/x", false},
                         {"http://a/x", "http://a@b/x", false},
                         {"unix:/run/s:/x", "http://localhost:80/y", true},
                         {"unix:/run/s:/x", "http://elsewhere/y", false}}) {
    HttpRequest request;
    request.url = way.from;
    HttpTransfer transfer;
    transfer.request = &request;
    Redirect(transfer, way.to, Named("Name"));
    EXPECT_EQ(transfer.at_origin, way.at_origin) << way.from << " to " << way.to;
    if (way.from.starts_with("http:") && way.to.starts_with("https:")) continue;  // no way back
    Redirect(transfer, way.from.starts_with("unix") ? "http://localhost/" : way.from, {});
    EXPECT_EQ(transfer.at_origin, way.at_origin) << "and back";
  }
}

TEST(Redirect, TheCertificatesNameIsNoHost) {
  HttpRequest request;
  request.url = "https://10.0.0.1:9090/x";
  HttpTransfer transfer;
  transfer.request = &request;
  Redirect(transfer, "https://name:9090/y?z=1", Named("name"));
  EXPECT_EQ(AddressOf(transfer), "https://10.0.0.1:9090/y?z=1");
}

TEST(Redirect, RefusesWhatIsNotSafeToFollow) {
  for (const auto& [location, says] :
       {std::pair{"http://a/y?token=t",
                  "redirects from https to http://a/y, which is not followed"},
        std::pair{"ftp://a/y", "no http or https URL"},
        std::pair{"unix:/run/s", "no http or https"},
        std::pair{"file:///etc/passwd", "no http or https URL"}}) {
    HttpRequest request;
    request.url = "https://user:word@a/x";
    request.what = "query up";
    HttpTransfer transfer;
    transfer.request = &request;
    try {
      Redirect(transfer, location, {});
      FAIL() << location;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("query up (https://a/x): ")) << message;
      EXPECT_NE(message.find(says), std::string::npos) << message;
      EXPECT_EQ(message.find("token"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace schedlens
