#include "source/http/curl_library.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace schedlens {
namespace {

TEST(CurlLibrary, IsLoadedOnceForAllThreads) {
  std::vector<const CurlLibrary*> loaded(4);
  std::vector<std::thread> threads;
  for (const CurlLibrary*& library : loaded) {
    threads.emplace_back([&library] { library = &Curl(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CurlLibrary* library : loaded) EXPECT_EQ(library, &Curl());
}

TEST(CurlLibrary, CallsWithAnyNumberOfArgumentsReachIt) {
  CURL* const easy = Curl().easy_init();
  ASSERT_NE(easy, nullptr);
  int mark = 0;
  EXPECT_EQ(Curl().easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&mark)), CURLE_OK);
  EXPECT_EQ(Curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t{7}), CURLE_OK);
  void* found = nullptr;
  EXPECT_EQ(Curl().easy_getinfo(easy, CURLINFO_PRIVATE, &found), CURLE_OK);
  EXPECT_EQ(found, &mark);
  Curl().easy_cleanup(easy);
  EXPECT_EQ(Curl().getdate("Thu, 01 Jan 1970 00:01:00 GMT", nullptr), 60);
}

}  // namespace
}  // namespace schedlens
