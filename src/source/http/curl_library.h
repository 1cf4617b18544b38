#ifndef SCHEDLENS_SOURCE_HTTP_CURL_LIBRARY_H_
#define SCHEDLENS_SOURCE_HTTP_CURL_LIBRARY_H_

#include <curl/curl.h>

namespace schedlens {

/// The functions of libcurl that are used, by their names without `curl_`.
struct CurlLibrary {
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_getdate) getdate;
  decltype(&curl_global_init) global_init;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_setopt) multi_setopt;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
};

/// Loaded and initialized by the first call: libcurl brings thirty libraries along, which take
/// longer to load than the rest of a process takes to start, and who reads a file needs none of
/// them. Safe from several threads. Throws Error(kFailed) where it is not installed.
const CurlLibrary& Curl();

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CURL_LIBRARY_H_
