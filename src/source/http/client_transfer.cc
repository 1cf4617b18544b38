#include "source/http/client_transfer.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string_view>

#include "model/file.h"
#include "schedlens/error.h"
#include "source/http/client_errors.h"

namespace schedlens {
namespace {

constexpr std::size_t kMaxErrorBody = std::size_t{1} << 20;

void TakeBody(HttpTransfer& transfer, std::string_view piece) {
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  const bool good = status >= 200 && status < 300;
  transfer.received += piece.size();
  if (transfer.received > transfer.limit) {
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: the answer is larger than the limit of {}: ask for a shorter "
                            "--window, narrow it with --selector, or raise --max-answer",
                            NamedRequest(*transfer.request), SizeText(transfer.limit)));
  }
  if (good && transfer.request->sink) {
    transfer.request->sink(piece);
  } else if (good || transfer.answer.body.size() < kMaxErrorBody) {
    transfer.answer.body.append(piece);
  }
}

/// What stands behind the header's name, which ends in a colon; nothing for another header.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  const bool same = line.size() > name.size() &&
                    std::equal(name.begin(), name.end(), line.begin(), [](char want, char got) {
                      return want == (got | 0x20) || want == got;
                    });
  return same ? std::optional(line.substr(name.size())) : std::nullopt;
}

/// curl tells the size of what comes out of the last of several packings only: what the others hold
/// would have no limit.
void CountPackings(HttpTransfer& transfer, std::string_view codings) {
  while (!codings.empty()) {
    const std::size_t end = std::min(codings.find(','), codings.size());
    for (const std::string_view packing : {"gzip", "deflate", "br", "zstd", "compress"}) {
      if (codings.substr(0, end).find(packing) != std::string_view::npos) ++transfer.packings;
    }
    codings.remove_prefix(std::min(end + 1, codings.size()));
  }
  if (transfer.packings < 2) return;
  throw Error(ErrorKind::kFailed,
              NamedRequest(*transfer.request) +
                  ": the answer is compressed more than once, which has no limit of size: let the "
                  "server or the proxy before it compress, not both");
}

std::size_t OnBody(char* data, std::size_t, std::size_t size, void* user) {
  HttpTransfer& transfer = *static_cast<HttpTransfer*>(user);
  try {
    TakeBody(transfer, {data, size});
    return size;
  } catch (...) {
    // curl is C: the exception waits until the transfer has ended.
    transfer.failure = std::current_exception();
    return size == 0 ? 1 : 0;
  }
}

std::size_t OnHeader(char* data, std::size_t, std::size_t size, void* user) {
  HttpTransfer& transfer = *static_cast<HttpTransfer*>(user);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    transfer.whole_head = false;
    transfer.packings = 0;
  }
  if (line == "\r\n" || line == "\n") transfer.whole_head = true;
  if (const auto date = ValueOf(line, "date:")) {
    const std::time_t time = curl_getdate(std::string(*date).c_str(), nullptr);
    if (time >= 0) transfer.answer.server_seconds = time;
  }
  try {
    for (const std::string_view name : {"content-encoding:", "transfer-encoding:"}) {
      if (const auto codings = ValueOf(line, name)) CountPackings(transfer, *codings);
    }
  } catch (...) {
    transfer.failure = std::current_exception();
    return 0;
  }
  return size;
}

}  // namespace

HttpHeaderList::~HttpHeaderList() { curl_slist_free_all(list_); }

void HttpHeaderList::Add(const std::string& line) {
  list_ = curl_slist_append(list_, line.c_str());
}

void HttpHeaderList::Add(const std::string& name, const std::string& value) {
  // curl reads "Name:" as "remove this header"; a semicolon sends it with an empty value.
  Add(value.empty() ? name + ";" : name + ": " + value);
}

void OpenTransfer(HttpTransfer& transfer, std::size_t limit) {
  static_assert(std::tuple_size_v<decltype(transfer.error_text)> >= CURL_ERROR_SIZE);
  CURL* easy = curl_easy_init();
  transfer.easy = easy;
  transfer.headers = std::make_unique<HttpHeaderList>();
  transfer.answer = {};
  transfer.received = 0;
  transfer.whole_head = false;
  transfer.limit = limit;
  transfer.error_text[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
}

void CloseTransfer(HttpTransfer& transfer) {
  curl_easy_cleanup(transfer.easy);
  transfer.easy = nullptr;
  transfer.headers.reset();
  transfer.proxy_headers.reset();
  transfer.connect_to.reset();
}

}  // namespace schedlens
