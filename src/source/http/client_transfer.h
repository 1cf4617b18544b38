#ifndef SCHEDLENS_SOURCE_HTTP_CLIENT_TRANSFER_H_
#define SCHEDLENS_SOURCE_HTTP_CLIENT_TRANSFER_H_

// One request on its way, and what its answer brings. Inside of http_client.cc's family only.

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>

#include "source/http/client.h"

struct curl_slist;

namespace schedlens {

using HttpClock = std::chrono::steady_clock;

/// An owned curl_slist.
class HttpHeaderList {
 public:
  HttpHeaderList() = default;
  HttpHeaderList(const HttpHeaderList&) = delete;
  HttpHeaderList& operator=(const HttpHeaderList&) = delete;
  ~HttpHeaderList();
  void Add(const std::string& line);
  void Add(const std::string& name, const std::string& value);
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

/// What a request needs as long as curl works on it.
struct HttpTransfer {
  const HttpRequest* request = nullptr;
  int tries = 0;
  int redirects = 0;      ///< followed since the try began
  std::string address;    ///< where the try has been redirected to; empty: the request's own URL
  bool at_origin = true;  ///< never redirected away from the request's scheme, host and port
  HttpClock::time_point not_before;
  HttpClock::time_point started;

  void* easy = nullptr;  ///< curl's handle, of one try
  std::unique_ptr<HttpHeaderList> headers, proxy_headers, connect_to;
  std::array<char, 256> error_text{};
  HttpAnswer answer;
  std::size_t received = 0;
  std::size_t limit = 0;       ///< bytes of an answer
  int packings = 0;            ///< how often the answer is compressed
  bool whole_head = false;     ///< the blank line after the headers has come
  std::exception_ptr failure;  ///< what a callback threw
};

/// A fresh handle for one more try, nothing received; the answer goes to the transfer and its
/// request's sink. `limit` is what an answer may have in bytes.
void OpenTransfer(HttpTransfer& transfer, std::size_t limit);

/// The URL that the try asks now.
inline const std::string& AddressOf(const HttpTransfer& transfer) {
  return transfer.address.empty() ? transfer.request->url : transfer.address;
}

/// Ends the try; the answer stays.
void CloseTransfer(HttpTransfer& transfer);

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CLIENT_TRANSFER_H_
