#include "cli/http_request.h"

#include <algorithm>
#include <charconv>

namespace schedlens {
namespace {

struct StatusRow {
  int status;
  std::string_view text;
};

constexpr StatusRow kStatuses[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool ReadLength(std::string_view text, std::size_t* length) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *length);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

void ReadField(std::string_view line, RequestHead* head, bool* has_length) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    head->refused = 400;
    return;
  }
  const std::string name = Lower(line.substr(0, colon));
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (name == "content-length") {
    // Two lengths that differ are an attack on whoever passed the request on.
    const std::size_t before = head->body_bytes;
    if (!ReadLength(value, &head->body_bytes) || (*has_length && before != head->body_bytes)) {
      head->refused = 400;
    }
    *has_length = true;
  } else if (name == "transfer-encoding") {
    head->refused = 411;
  } else if (name == "expect") {
    head->wants_to_go_on = Lower(value) == "100-continue";
  }
}

}  // namespace

RequestHead ReadRequestHead(std::string_view text) {
  RequestHead head;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return head;
  head.bytes = end + 4;
  const std::string_view fields = text.substr(0, end + 2);
  const std::string_view line = fields.substr(0, fields.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first || first == 0) {
    head.refused = 400;
    return head;
  }
  if (!line.substr(last + 1).starts_with("HTTP/1.")) head.refused = 505;
  head.request.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  head.request.path = target.substr(0, target.find('?'));
  bool has_length = false;
  for (std::size_t at = line.size() + 2; at < fields.size() && head.refused == 0;) {
    const std::size_t stop = fields.find("\r\n", at);
    ReadField(fields.substr(at, stop - at), &head, &has_length);
    at = stop + 2;
  }
  if (head.refused == 0 && head.request.method == "POST" && !has_length) head.refused = 411;
  return head;
}

std::string_view StatusText(int status) {
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return row.text;
  }
  return "Unknown";
}

}  // namespace schedlens
