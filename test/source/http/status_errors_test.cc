#include "source/http/status_errors.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

std::string Said(int status, const std::string& body) {
  HttpRequest request;
  request.url = "http://h/x";
  request.what = "query up";
  try {
    ThrowStatus(request,
                {.status = status, .content_type = "", .body = body, .server_seconds = {}});
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(StatusErrors, QuoteTheServersOwnWords) {
  EXPECT_EQ(Said(422, R"({"status":"error","errorType":"execution","error":"no\ngood"})"),
            "query up (http://h/x): the server answers 422 execution: no good");
  EXPECT_EQ(Said(404, R"({"kind":"Status","message":"services \"x\" not found"})"),
            "query up (http://h/x): the API server answers 404: services \"x\" not "
            "found");
  EXPECT_EQ(Said(502, "<html>"),
            "query up (http://h/x): the server answers 502: the server is "
            "overloaded or down, try later");
}

TEST(StatusErrors, AnApiServersMessageIsOfItsStatus) {
  EXPECT_EQ(KubernetesMessage(R"({"kind":"Status","message":"m"})"), "m");
  for (const char* other : {"", "[", "[]", R"({"kind":"Pod","message":"m"})", R"({"kind":7})",
                            R"({"kind":"Status","message":7})"}) {
    EXPECT_EQ(KubernetesMessage(other), "") << other;
  }
}

}  // namespace
}  // namespace schedlens
