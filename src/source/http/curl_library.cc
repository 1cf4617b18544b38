#include "source/http/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// The name of its ABI since 2006.
constexpr const char* kLibrary = "libcurl.so.4";

[[noreturn]] void FailToLoad() {
  const char* reason = dlerror();
  throw Error(ErrorKind::kFailed,
              fmt::format("loading {}, which reads from servers: {}: install libcurl (Debian "
                          "package libcurl4), or give a file by --capture",
                          kLibrary, reason == nullptr ? "unknown error" : reason));
}

template <class Function>
void Find(void* library, const char* name, Function* function) {
  void* const found = dlsym(library, name);
  if (found == nullptr) FailToLoad();
  *function = reinterpret_cast<Function>(found);
}

CurlLibrary Load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) FailToLoad();
  CurlLibrary curl = {};
  Find(library, "curl_easy_cleanup", &curl.easy_cleanup);
  Find(library, "curl_easy_getinfo", &curl.easy_getinfo);
  Find(library, "curl_easy_init", &curl.easy_init);
  Find(library, "curl_easy_setopt", &curl.easy_setopt);
  Find(library, "curl_easy_strerror", &curl.easy_strerror);
  Find(library, "curl_getdate", &curl.getdate);
  Find(library, "curl_global_init", &curl.global_init);
  Find(library, "curl_multi_add_handle", &curl.multi_add_handle);
  Find(library, "curl_multi_cleanup", &curl.multi_cleanup);
  Find(library, "curl_multi_info_read", &curl.multi_info_read);
  Find(library, "curl_multi_init", &curl.multi_init);
  Find(library, "curl_multi_perform", &curl.multi_perform);
  Find(library, "curl_multi_poll", &curl.multi_poll);
  Find(library, "curl_multi_remove_handle", &curl.multi_remove_handle);
  Find(library, "curl_multi_setopt", &curl.multi_setopt);
  Find(library, "curl_slist_append", &curl.slist_append);
  Find(library, "curl_slist_free_all", &curl.slist_free_all);
  curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

}  // namespace

const CurlLibrary& Curl() {
  static const CurlLibrary curl = Load();
  return curl;
}

}  // namespace schedlens
