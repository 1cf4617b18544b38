#pragma once

// URLs as far as a metrics client needs them: taken apart, percent-coded, printed without secrets;
// and base64.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedlens {

struct Url {
  std::string scheme;  ///< "http" or "https", lower case
  std::string user;
  std::string password;
  std::string host;      ///< IPv6 keeps its brackets
  int port = 0;          ///< 0 = the scheme's own
  std::string path;      ///< as written, "" or "/...", without query and fragment
  std::string query;     ///< behind `?`, still percent-coded
  std::string fragment;  ///< behind `#`
  std::string
      unix_socket;  ///< `unix:/run/p.sock` and `unix:/run/p.sock:/prefix`; host is localhost

  int PortOrDefault() const { return port != 0 ? port : (scheme == "https" ? 443 : 80); }
  /// `scheme://host:port/path`, or `unix:...`: no user, password, query or fragment.
  std::string WithoutSecrets() const;
};

/// Nothing unless it is `http://`, `https://` or `unix:` with a host (or socket) and a valid port.
/// `host:9090` without a scheme is taken as http.
std::optional<Url> ParseUrl(std::string_view text);

/// RFC 3986: everything but letters, digits and `-._~` as %XX.
std::string PercentEncode(std::string_view text);
/// Undoes %XX, and `+` when `plus_is_blank`; a broken %-sequence is kept as it is.
std::string PercentDecode(std::string_view text, bool plus_is_blank);
/// `a=1&b=x+y` as decoded pairs in order.
std::vector<std::pair<std::string, std::string>> ParseQueryString(std::string_view text);

/// The bytes that RFC 4648 text stands for; line breaks and blanks are skipped, padding may lack at
/// the end. Nothing for other characters, and for a single character left over.
std::optional<std::string> DecodeBase64(std::string_view text);
/// With padding, on one line.
std::string EncodeBase64(std::string_view bytes);

}  // namespace schedlens
