#include "base/url.h"

// URLs and base64; secrets that are known, searched in all their spellings at once; and those that
// URLs in a text look like having.

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <deque>
#include <map>
#include <mutex>

#include "base/text.h"

namespace schedlens {
namespace {

/// Cuts `text` at the first `mark`; what is behind it is returned.
std::string_view CutAt(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::optional<Url> ParseUnix(std::string_view rest) {
  Url url;
  url.scheme = "http";
  url.host = "localhost";
  url.path = CutAt(rest, ':');
  if (rest.starts_with("//")) rest.remove_prefix(2);
  if (!rest.starts_with('/') || (!url.path.empty() && url.path[0] != '/')) return std::nullopt;
  url.unix_socket = rest;
  return url;
}

bool ParseHostPort(std::string_view text, Url& url) {
  static const RE2 kForm(
      "(\\[[^\\x00- \"<>\\\\\\]]*\\]|[^\\x00- \"<>\\\\:\\[][^\\x00- \"<>\\\\:]*)(?::(\\d*))?",
      RE2::Latin1);
  std::string port;
  if (!RE2::FullMatch(text, kForm, &url.host, &port)) return false;
  if (port.empty()) return true;
  url.port = WholeNumber<std::uint16_t>(port).value_or(0);
  return url.port > 0;
}

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::size_t kShortestSecret = 4;
constexpr std::size_t kShortestCoded = 6;  ///< of base64 without its ends
constexpr std::size_t kLongestWord = 15;
constexpr std::size_t kMostSecrets = 256;  ///< a server renews its tokens for months

using Spelling = std::vector<std::pair<char, std::string_view>>;

std::string Spelled(std::string_view text, const Spelling& spelling) {
  std::string out;
  for (const char c : text) {
    const auto found =
        std::ranges::find_if(spelling, [c](const auto& entry) { return entry.first == c; });
    found == spelling.end() ? out += c : out += found->second;
  }
  return out;
}

/// The secret as JSON by the usual writers, HTML, forms and one line of text spell it.
std::vector<std::string> SpellingsOf(std::string_view secret) {
  static const std::vector<Spelling> kSpellings = {
      {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}},
      {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'/', "\\/"}},
      {{'"', "\\\""}, {'\\', "\\\\"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}},
      {{'"', "&quot;"}, {'\'', "&#39;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}},
      {{'"', "&#34;"}, {'\'', "&#39;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}},
      {{'\n', " "}, {'\r', " "}, {'\t', " "}}};
  std::vector<std::string> all;
  for (const Spelling& spelling : kSpellings) all.push_back(Spelled(secret, spelling));
  std::string coded = PercentEncode(secret);
  all.push_back(coded);
  for (std::size_t at = coded.find('%'); at != std::string::npos; at = coded.find('%', at + 1)) {
    for (const std::size_t digit : {at + 1, at + 2}) {
      coded[digit] = static_cast<char>(std::tolower(static_cast<unsigned char>(coded[digit])));
    }
  }
  all.push_back(coded);
  return all;
}

/// The digits of base64 that the secret alone decides, with `before` bytes of something else before
/// it and something else behind it.
std::string Coded(std::string_view secret, std::size_t before) {
  const std::string all = EncodeBase64(std::string(before, ' ') + std::string(secret));
  const std::size_t first = (before * 8 + 5) / 6;
  return all.substr(first, (before + secret.size()) * 8 / 6 - first);
}

struct Needle {
  std::string text;
  bool is_word = false;  ///< counts only where it stands alone
};

bool IsLetterOfWord(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool IsPartOfWord(char c) { return IsLetterOfWord(c) || (c >= '0' && c <= '9') || c == '.'; }

/// Whether the text ends with what stands for one character: `\n`, `\u003c`, `%20`.
bool EndsEscaped(std::string_view text) {
  const auto begins = [&](std::string_view mark, std::size_t length) {
    return text.size() >= length && text.substr(text.size() - length).starts_with(mark);
  };
  return begins("\\", 2) || begins("\\u", 6) || begins("%", 3);
}

bool StandsAlone(std::string_view text, std::size_t at, std::size_t bytes) {
  const std::string_view before = text.substr(0, at);
  const std::size_t end = at + bytes;
  return (at == 0 || !IsPartOfWord(before.back()) || EndsEscaped(before)) &&
         (end == text.size() || !IsPartOfWord(text[end]));
}

/// Finds many texts in one pass, by their first bytes.
class Needles {
 public:
  explicit Needles(const std::deque<std::string>& secrets) {
    std::map<std::string, bool> all;
    for (const std::string& secret : secrets) Add(secret, &all);
    for (const auto& [text, word] : all) {
      by_first_[static_cast<unsigned char>(text.front())].push_back({text, word});
    }
    for (std::vector<Needle>& needles : by_first_) {
      std::ranges::sort(
          needles, [](const Needle& a, const Needle& b) { return a.text.size() > b.text.size(); });
    }
  }

  /// The text with its needles masked, up to an end with which one may begin, unless it is the
  /// last; `used` becomes where that starts. Nothing where the text may stay as it is.
  std::optional<std::string> Mask(std::string_view text, bool last, std::size_t* used) const {
    constexpr std::size_t kNone = std::string_view::npos;
    std::string out;
    std::size_t done = 0;              // what comes before is in `out`
    std::size_t from = kNone, to = 0;  // what is to be masked: secrets may overlap
    const auto close = [&] {
      if (from == kNone) return;
      out.append(text.substr(done, from - done)).append(kKnownSecretText);
      done = to;
      from = kNone;
    };
    *used = text.size();
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (at >= to) close();
      const Found found = At(text, at, last);
      if (found.open) {
        *used = std::min(at, from);
        from = kNone;
        break;
      }
      if (found.bytes > 0) {
        from = std::min(at, from);
        to = std::max(to, at + found.bytes);
      }
    }
    close();
    if (out.empty()) return std::nullopt;
    out.append(text.substr(done, *used - done));
    return out;
  }

 private:
  struct Found {
    std::size_t bytes = 0;
    bool open = false;  ///< more text would decide
  };

  void Add(const std::string& secret, std::map<std::string, bool>* all) const {
    const bool word = secret.size() <= kLongestWord && std::ranges::all_of(secret, IsLetterOfWord);
    all->emplace(secret, word);
    for (const std::string& text : SpellingsOf(secret)) all->emplace(text, false);
    std::vector<std::string> coded = {EncodeBase64(secret)};
    for (const std::size_t before : {0, 1, 2}) coded.push_back(Coded(secret, before));
    for (std::string text : coded) {
      if (text.size() < kShortestCoded) continue;
      all->emplace(text, false);
      std::replace(text.begin(), text.end(), '+', '-');
      std::replace(text.begin(), text.end(), '/', '_');
      all->emplace(text, false);
    }
  }

  Found At(std::string_view text, std::size_t at, bool last) const {
    const std::string_view rest = text.substr(at);
    for (const Needle& needle : by_first_[static_cast<unsigned char>(rest.front())]) {
      const std::size_t bytes = needle.text.size();
      const bool undecided = rest.size() < bytes + (needle.is_word ? 1 : 0);
      if (undecided && !last && needle.text.starts_with(rest)) return {.open = true};
      if (!rest.starts_with(needle.text)) continue;
      if (!needle.is_word || StandsAlone(text, at, bytes)) return {.bytes = bytes};
    }
    return {};
  }

  std::array<std::vector<Needle>, 256> by_first_;  ///< longest first
};

struct Known {
  std::mutex mutex;
  std::deque<std::string> secrets;         ///< oldest first
  std::shared_ptr<const Needles> needles;  ///< none: to be made
  std::atomic<bool> any = false;
};

Known& AllKnown() {
  static Known& known = *new Known;  // streams are masked until the process has ended
  return known;
}

/// Null where no secret is known.
std::shared_ptr<const Needles> KnownNeedles() {
  Known& known = AllKnown();
  if (!known.any) return nullptr;
  const std::lock_guard lock(known.mutex);
  if (!known.needles && !known.secrets.empty()) {
    known.needles = std::make_shared<const Needles>(known.secrets);
  }
  return known.needles;
}

constexpr std::string_view kBetweenUrls = " \t\r\n\"'`";
constexpr std::string_view kBeforeParameter = "?&;#";
/// Parts of the names of parameters that hold secrets, in small letters.
constexpr std::array<std::string_view, 11> kSecretNames = {"token",      "key",     "pass",  "pwd",
                                                           "secret",     "auth",    "sig",   "jwt",
                                                           "credential", "session", "bearer"};

std::string WithoutSecretParameters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find_first_of(kBeforeParameter), text.size());
    const std::size_t start = std::min(mark + 1, text.size());
    out += text.substr(0, start);
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kBeforeParameter), text.size());
    const std::size_t equals = text.find('=');
    if (equals >= end || !IsSecretName(text.substr(0, equals))) continue;
    // A value may hold marks itself: up to what is clearly the next parameter.
    std::size_t stop = equals;
    do {
      stop = std::min(text.find_first_of("&#", stop + 1), text.size());
    } while (stop < text.size() && text[stop] == '&' && text.find('=', stop) == std::string::npos);
    out += std::string(text.substr(0, equals + 1)) + std::string(kSecretText);
    text.remove_prefix(stop);
  }
  return out;
}

/// What stands behind the `@` of PromQL.
bool IsEvaluationTime(std::string_view text) {
  static const RE2 kTime("start\\(|end\\(|[-+0-9eE]*\\.?[-+0-9eE]*(?:$|[),])");
  re2::StringPiece rest(text);
  return RE2::Consume(&rest, kTime);
}

/// Where the credentials of a URL without a scheme begin: behind `--url=` or a bracket.
std::size_t StartOfBare(std::string_view word) {
  if (word.starts_with("--") && word.find('=') != std::string_view::npos) return word.find('=') + 1;
  const std::size_t start = word.find_first_not_of("([{<");
  return start == std::string_view::npos || word.starts_with(kSecretText) ? 0 : start;
}

std::string HideFromTo(std::string_view text, std::size_t from, std::size_t to) {
  return std::string(text.substr(0, from)) + std::string(kSecretText) +
         WithoutSecretParameters(text.substr(to));
}

std::string HideInWord(std::string_view word) {
  const std::size_t at = word.rfind('@'), scheme = word.find("://");
  if (at == std::string_view::npos) return WithoutSecretParameters(word);
  if (scheme < at) return HideFromTo(word, scheme + 3, at);
  const bool named = word.find(':') < at;
  if (!named || IsEvaluationTime(word.substr(at + 1))) return WithoutSecretParameters(word);
  return HideFromTo(word, StartOfBare(word), at);
}

/// Whether a URL with a user begins in the text before `end`, and its `@` lies behind: a quote or a
/// blank belonged to its password.
bool IsOpenUrl(std::string_view word, std::string_view rest) {
  const std::size_t scheme = word.find("://");
  if (scheme == std::string_view::npos || word.find('@') != std::string_view::npos) return false;
  const std::string_view authority = word.substr(scheme + 3);
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos || authority.starts_with('[')) return false;
  const std::string_view port =
      authority.substr(colon + 1, authority.find_first_of("/?#", colon) - colon - 1);
  const bool is_port =
      !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
  const std::size_t at = rest.find('@');
  return !is_port && at != std::string_view::npos && rest.substr(0, at).find('\n') == rest.npos;
}

/// In small letters, between blanks. Tenants and impersonated users are names, which reports show.
constexpr std::string_view kInnocuousHeaders =
    " accept accept-encoding accept-language cache-control connection content-type expect host "
    "impersonate-group impersonate-user thanos-tenant x-grafana-org-id user-agent x-scope-orgid ";

void RegisterPair(std::string_view pair) {
  const std::size_t colon = std::min(pair.find(':'), pair.size());
  RegisterCredentials(pair.substr(0, colon), pair.substr(std::min(colon + 1, pair.size())));
}

void RegisterCookies(std::string_view cookies) {
  for (const std::string_view cookie : SplitAt(cookies, ';')) {
    RegisterSecret(cookie.substr(std::min(cookie.find('='), cookie.size() - 1) + 1));
  }
}

}  // namespace

std::string Url::WithoutSecrets() const {
  if (!unix_socket.empty()) {
    return path.empty() ? "unix:" + unix_socket : fmt::format("unix:{}:{}", unix_socket, path);
  }
  // An `@` further on is the end of a password with a slash, a `?` or a `#` in it.
  const std::string where = port == 0 ? host : fmt::format("{}:{}", host, port);
  const std::string text = HideSecretsOfUrl(fmt::format("{}://{}{}{}{}{}{}", scheme, where, path,
                                                        query.empty() ? "" : "?", query,
                                                        fragment.empty() ? "" : "#", fragment));
  return text.substr(0, text.find_first_of("?#"));
}

std::optional<Url> ParseUrl(std::string_view text) {
  if (text.starts_with("unix:")) return ParseUnix(text.substr(5));
  Url url;
  url.scheme = "http";
  if (const auto at = text.find("://"); at != std::string_view::npos) {
    url.scheme = InSmallLetters(text.substr(0, at));
    text.remove_prefix(at + 3);
  }
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  url.fragment = CutAt(text, '#');
  url.query = CutAt(text, '?');
  std::string_view authority = text.substr(0, text.find('/'));
  url.path = text.substr(authority.size());
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    std::string_view user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    url.password = PercentDecode(CutAt(user, ':'), false);
    url.user = PercentDecode(user, false);
  }
  if (!ParseHostPort(authority, url)) return std::nullopt;
  return url;
}

std::string PercentEncode(std::string_view text) {
  std::string out;
  out.reserve(text.size() * 3 / 2);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
        std::string_view("-._~").find(c) != text.npos) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string PercentDecode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char* const at = text.data() + i;
    unsigned byte = 0;
    if (*at == '%' && i + 2 < text.size() &&
        std::from_chars(at + 1, at + 3, byte, 16).ptr == at + 3) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> ParseQueryString(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string_view name : SplitAt(text, '&')) {
    const std::string_view value = CutAt(name, '=');
    pairs.emplace_back(PercentDecode(name, true), PercentDecode(value, true));
  }
  return pairs;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  bool ended = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ended = true;
      continue;
    }
    const std::size_t digit = kBase64Digits.find(c);
    if (ended || digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  if (count >= 6) return std::nullopt;
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool there = at + i < bytes.size();
      bits = bits << 8 | (there ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += at + i <= bytes.size() ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return out;
}

void RegisterSecret(std::string_view secret) {
  secret = Trimmed(secret);
  // What the mask itself says cannot be hidden by it.
  if (secret.size() < kShortestSecret || kKnownSecretText.find(secret) != std::string_view::npos) {
    return;
  }
  Known& known = AllKnown();
  const std::lock_guard lock(known.mutex);
  const auto found = std::ranges::find(known.secrets, secret);
  if (found != known.secrets.end()) {
    std::rotate(found, found + 1, known.secrets.end());  // as good as new
    return;
  }
  known.secrets.emplace_back(secret);
  if (known.secrets.size() > kMostSecrets) known.secrets.pop_front();
  known.needles.reset();
  known.any = true;
}

void ForgetSecrets() {
  Known& known = AllKnown();
  const std::lock_guard lock(known.mutex);
  known.secrets.clear();
  known.needles.reset();
  known.any = false;
}

std::string MaskKnownSecrets(std::string text) {
  const auto needles = KnownNeedles();
  if (!needles) return text;
  std::size_t used = 0;
  return needles->Mask(text, true, &used).value_or(std::move(text));
}

std::string SecretMask::Put(std::string_view piece, bool last) {
  const std::string text = std::exchange(held_, "") + std::string(piece);
  const auto needles = KnownNeedles();
  if (!needles) return text;
  std::size_t used = 0;
  const auto masked = needles->Mask(text, last, &used);
  held_ = text.substr(used);
  return masked.value_or(text.substr(0, used));
}

bool IsSecretName(std::string_view name) {
  const std::string small = InSmallLetters(PercentDecode(name, true));
  return std::ranges::any_of(
      kSecretNames, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

std::string HideSecrets(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(kBetweenUrls), text.size());
    while (end < text.size() && IsOpenUrl(text.substr(0, end), text.substr(end))) {
      const std::size_t at = text.find('@', end);
      end = std::min(text.find_first_of(kBetweenUrls, at), text.size());
    }
    out += HideInWord(text.substr(0, end));
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string HideSecretsOfUrl(std::string_view url) {
  const std::size_t at = url.rfind('@');
  if (at == std::string_view::npos) return WithoutSecretParameters(url);
  const std::size_t scheme = url.find("://");
  return HideFromTo(url, scheme < at ? scheme + 3 : 0, at);
}

void RegisterCredentials(std::string_view user, std::string_view password) {
  if (password.empty()) return RegisterSecret(user);
  RegisterSecret(password);
  RegisterSecret(std::string(user) + ":" + std::string(password));
}

void RegisterHeader(std::string_view name, std::string_view value) {
  const std::string small = InSmallLetters(name);
  if (kInnocuousHeaders.find(' ' + small + ' ') != std::string_view::npos) return;
  RegisterSecret(value);
  if (small == "cookie") return RegisterCookies(value);
  const std::size_t blank = value.find(' ');
  if (blank == std::string_view::npos) return;
  RegisterSecret(value.substr(blank + 1));
  if (InSmallLetters(value.substr(0, blank)) != "basic") return;
  if (const auto pair = DecodeBase64(value.substr(blank + 1))) RegisterPair(*pair);
}

void RegisterSecretsOfUrl(std::string_view url) {
  const std::size_t at = url.rfind('@');
  if (at != std::string_view::npos) {
    const std::size_t scheme = url.find("://");
    const std::size_t start = scheme < at ? scheme + 3 : 0;
    const std::string_view pair = url.substr(start, at - start);
    RegisterPair(pair);
    RegisterPair(PercentDecode(pair, false));
  }
  std::string parameters(url.substr(std::min(url.find_first_of("?#"), url.size())));
  std::replace_if(
      parameters.begin(), parameters.end(), [](char c) { return c == '?' || c == '#'; }, '&');
  for (const auto& [name, value] : ParseQueryString(parameters)) {
    if (IsSecretName(name)) RegisterSecret(value);
  }
}

}  // namespace schedlens
