#include <gtest/gtest.h>

#include "source/http/client.h"

namespace schedlens {
namespace {

std::string Said(int status, const std::string& body) {
  HttpRequest request;
  request.url = "http://h/x";
  request.what = "query up";
  try {
    ThrowStatus(request, {.status = status, .body = body, .server_seconds = {}});
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

// As Prometheus and VictoriaMetrics put it, which says the status twice.
TEST(StatusErrors, OfALimitTheFlagIsNamed) {
  const std::string advice =
      ": ask for a shorter --window, narrow it with --selector, or raise the "
      "server's ";
  const std::string samples = "query processing would load too many samples into memory";
  EXPECT_EQ(Said(422, R"({"status":"error","errorType":"execution","error":")" + samples + R"("})"),
            "query up (http://h/x): the server answers 422 execution: " + samples + advice +
                "--query.max-samples");
  const std::string most =
      "cannot select more than -search.maxSamplesPerQuery=9 samples; see flags";
  EXPECT_EQ(Said(422, R"({"status":"error","errorType":"422","error":")" + most + R"("})"),
            "query up (http://h/x): the server answers 422: " + most + advice +
                "-search.maxSamplesPerQuery");
  const std::string rate = "too many outstanding requests: rate limit of 5";
  EXPECT_EQ(Said(400, R"({"status":"error","errorType":"x","error":")" + rate + R"("})"),
            "query up (http://h/x): the server answers 400 x: " + rate + advice + "limit");
  const std::string function = "unknown function with name limitk";
  EXPECT_EQ(Said(400, R"({"status":"error","errorType":"bad_data","error":")" + function + R"("})"),
            "query up (http://h/x): the server answers 400 bad_data: " + function);
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
