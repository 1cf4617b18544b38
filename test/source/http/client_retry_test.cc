#include <curl/curl.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "source/http/client.h"

namespace schedlens {
namespace {

TEST(HttpClientRetry, WhatMayPassIsTriedAgain) {
  for (const long status : {429, 502, 503, 504}) EXPECT_TRUE(IsRetryableStatus(status)) << status;
  for (const long status : {200, 302, 400, 401, 403, 404, 422, 500, 501}) {
    EXPECT_FALSE(IsRetryableStatus(status)) << status;
  }
}

TEST(HttpClientRetry, ABrokenConnectionIsNotOneThatNeverWas) {
  for (const int code : {CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE}) {
    EXPECT_TRUE(IsBrokenConnection(code)) << code;
  }
  for (const int code : {CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST,
                         CURLE_PEER_FAILED_VERIFICATION, CURLE_OPERATION_TIMEDOUT}) {
    EXPECT_FALSE(IsBrokenConnection(code)) << code;
  }
}

TEST(HttpClientRetry, WaitsDoubleAndAreJitteredWithinTheirHalf) {
  double least = 1e9;
  double most = 0;
  for (int i = 0; i < 1000; ++i) {
    const double wait = BackoffSeconds(0.25, 3, 0);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_GE(least, 0.5);
  EXPECT_LE(most, 1.0);
  EXPECT_GT(most - least, 0.3) << "all clients would come back together";
}

TEST(HttpClientRetry, TheServersWishIsALowerBound) {
  EXPECT_EQ(BackoffSeconds(0.25, 1, 30), 30);
  EXPECT_LT(BackoffSeconds(0.25, 1, 0.01), 0.26);
  EXPECT_LE(BackoffSeconds(0.25, 1, 1e300), 1e6);
  EXPECT_GT(BackoffSeconds(0.25, 1000, 0), 0);
}

}  // namespace
}  // namespace schedlens
