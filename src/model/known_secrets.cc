// Which secrets are known, and the search for all their spellings at once.

#include "model/known_secrets.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "model/base64.h"
#include "model/url.h"

namespace schedlens {
namespace {

constexpr std::size_t kShortestSecret = 4;
constexpr std::size_t kShortestCoded = 6;  ///< of base64 without its ends
constexpr std::size_t kLongestWord = 15;
constexpr std::size_t kMostSecrets = 256;  ///< a server renews its tokens for months

using Spelling = std::vector<std::pair<char, std::string_view>>;

std::string Spelled(std::string_view text, const Spelling& spelling) {
  std::string out;
  for (const char c : text) {
    const auto found = std::find_if(spelling.begin(), spelling.end(),
                                    [c](const auto& entry) { return entry.first == c; });
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

/// Finds many texts in one pass that looks at a part of the bytes only (Wu and Manber, blocks of
/// two bytes).
class Needles {
 public:
  explicit Needles(const std::deque<std::string>& secrets);

  /// The text with its needles masked, up to an end with which one may begin, unless it is the
  /// last; `used` becomes where that starts. Nothing where the text may stay as it is.
  std::optional<std::string> Mask(std::string_view text, bool last, std::size_t* used) const;

 private:
  struct Found {
    std::size_t bytes = 0;
    bool open = false;  ///< more text would decide
  };
  static std::size_t Block(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8 |
           static_cast<unsigned char>(text[at + 1]);
  }
  void Add(const std::string& secret, std::map<std::string, bool>* all) const;
  Found At(std::string_view text, std::size_t at, bool last) const;

  std::array<std::vector<Needle>, 256> by_first_;  ///< longest first
  std::size_t shortest_ = 0;
  std::vector<std::uint8_t> shift_;  ///< by the block at the end of the shortest needle's length
};

void Needles::Add(const std::string& secret, std::map<std::string, bool>* all) const {
  const bool word =
      secret.size() <= kLongestWord && std::all_of(secret.begin(), secret.end(), IsLetterOfWord);
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

Needles::Needles(const std::deque<std::string>& secrets) {
  std::map<std::string, bool> all;
  for (const std::string& secret : secrets) Add(secret, &all);
  shortest_ = 255;
  for (const auto& [text, word] : all) {
    shortest_ = std::min(shortest_, text.size());
    by_first_[static_cast<unsigned char>(text.front())].push_back({text, word});
  }
  shift_.assign(std::size_t{1} << 16, static_cast<std::uint8_t>(shortest_ - 1));
  for (std::vector<Needle>& needles : by_first_) {
    std::sort(needles.begin(), needles.end(),
              [](const Needle& a, const Needle& b) { return a.text.size() > b.text.size(); });
    for (const Needle& needle : needles) {
      for (std::size_t at = 0; at + 2 <= shortest_; ++at) {
        std::uint8_t& shift = shift_[Block(needle.text, at)];
        shift = std::min(shift, static_cast<std::uint8_t>(shortest_ - 2 - at));
      }
    }
  }
}

Needles::Found Needles::At(std::string_view text, std::size_t at, bool last) const {
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

std::optional<std::string> Needles::Mask(std::string_view text, bool last,
                                         std::size_t* used) const {
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
  for (std::size_t at = 0; at < text.size();) {
    if (at + shortest_ <= text.size()) {
      const std::size_t shift = shift_[Block(text, at + shortest_ - 2)];
      at += shift;
      if (shift > 0) continue;
    }
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
    ++at;
  }
  close();
  if (out.empty()) return std::nullopt;
  out.append(text.substr(done, *used - done));
  return out;
}

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

}  // namespace

void RegisterSecret(std::string_view secret) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = std::min(secret.find_first_not_of(kBlanks), secret.size());
  secret = secret.substr(first, secret.find_last_not_of(kBlanks) + 1 - first);
  // What the mask itself says cannot be hidden by it.
  if (secret.size() < kShortestSecret || kKnownSecretText.find(secret) != std::string_view::npos) {
    return;
  }
  Known& known = AllKnown();
  const std::lock_guard lock(known.mutex);
  const auto found = std::find(known.secrets.begin(), known.secrets.end(), secret);
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
  auto masked = needles->Mask(text, true, &used);
  if (masked) text = *std::move(masked);
  return text;
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

}  // namespace schedlens
