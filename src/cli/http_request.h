#ifndef SCHEDLENS_CLI_HTTP_REQUEST_H_
#define SCHEDLENS_CLI_HTTP_REQUEST_H_

// The text of an HTTP/1 request, as far as our own small server answers them.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/http_server.h"

namespace schedlens {

struct RequestHead {
  WebRequest request;           ///< without its body
  std::size_t bytes = 0;        ///< up to and with the blank line
  std::size_t body_bytes = 0;   ///< Content-Length
  bool wants_to_go_on = false;  ///< Expect: 100-continue
  /// Why it cannot be answered as asked: 400, 411 (no length told), 501, 505; else 0.
  int refused = 0;
};

/// Reads the head that `text` begins with; `bytes` is 0 as long as its blank line is not there.
RequestHead ReadRequestHead(std::string_view text);

/// "Not Found" of 404, for the statuses that we answer.
std::string_view StatusText(int status);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_HTTP_REQUEST_H_
