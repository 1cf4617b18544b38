#pragma once

// URLs, base64, and the one place that hides secrets.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedlens {

struct Url {
  std::string scheme;  ///< "http" or "https", lower case
  std::string user, password;
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

// The one place that hides secrets: those that are registered, wherever they stand, and what looks
// like one in text that may hold URLs. Of URLs rather too much is hidden than too little: one with
// an `@` in its path loses its host.

/// What stands in the place of a registered secret: nothing in it acts in JSON, HTML or a shell.
inline constexpr std::string_view kKnownSecretText = "[secret]";

/// From now on the text is masked as it is, in base64 (alone and as the end of `user:password`),
/// percent-encoded, and as JSON and HTML spell it. Under four characters it is not: every text has
/// such parts. A word of fewer than 16 letters, which a report may hold of itself, is masked where
/// it stands alone. The newest 256 count. For any thread.
void RegisterSecret(std::string_view secret);

/// The password, and both as basic authentication writes them; a user without one is a token.
void RegisterCredentials(std::string_view user, std::string_view password);

/// The value of a header, unless it is one that tells nothing but what is spoken (Accept) or whose
/// data are asked for (X-Scope-OrgID): all of it, what stands behind `Bearer`, what basic
/// authentication packs, and the values of cookies.
void RegisterHeader(std::string_view name, std::string_view value);

/// User and password of a URL, as written and decoded, and what its parameters that are named like
/// a secret hold.
void RegisterSecretsOfUrl(std::string_view url);

/// For a new run in the same process.
void ForgetSecrets();

/// The text with kKnownSecretText for each registered secret; costs nothing where there is none.
std::string MaskKnownSecrets(std::string text);

/// The same for text that comes in pieces.
class SecretMask {
 public:
  /// What may be passed on: all but an end with which a secret may begin, unless it is the last.
  std::string Put(std::string_view piece, bool last);

 private:
  std::string held_;
};

/// What stands in the place of a secret.
inline constexpr std::string_view kSecretText = "<secret>";

/// Whether a parameter of a URL, as it is written there, is named like a token, a key, a password
/// or a signature.
bool IsSecretName(std::string_view name);

/// The text with kSecretText for user and password of the URLs in it, with or without a scheme, and
/// for values of their parameters that are named like a token, a key, a password or a signature.
/// URLs end at blanks and quotes. PromQL without a URL in it stays. Doing it twice changes nothing
/// more.
std::string HideSecrets(std::string_view text);

/// The same for a text that is one URL, blanks and quotes in it or not: all before its last `@`
/// is hidden.
std::string HideSecretsOfUrl(std::string_view url);

}  // namespace schedlens
