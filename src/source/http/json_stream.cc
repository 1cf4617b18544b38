#include "source/http/json_stream.h"

#include <cstring>

#include "base/text.h"

namespace schedlens {
namespace {

constexpr std::size_t kMaxDepth = 100;
/// An unfinished token is looked at again with every piece, so its length must have a bound.
constexpr std::size_t kMaxToken = std::size_t{4} << 20;

/// The four hex digits at the start, or -1.
int HexFour(std::string_view text) {
  const auto code = WholeNumber<std::uint16_t>(text.substr(0, 4), 16);
  return text.size() >= 4 && code ? int{*code} : -1;
}

/// Length of the JSON number at the start of `text`, 0 if there is none.
std::size_t NumberLength(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at > start;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t first = at;
  if (!digits()) return 0;
  if (text[first] == '0' && at > first + 1) return 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return 0;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return 0;
  }
  return at;
}

}  // namespace

void JsonStream::Fail(const char* at, const char* what) const {
  const std::size_t offset = consumed_ + static_cast<std::size_t>(at - text_);
  Raise(ErrorKind::kFailed, "not JSON: {} at byte {}", what, offset);
}

void JsonStream::Reset() {
  open_.clear();
  expect_ = Expect::kValue;
  rest_.clear();
  consumed_ = 0;
}

void JsonStream::Feed(std::string_view piece) {
  if (!rest_.empty()) {
    rest_.append(piece);
    const std::size_t used = Consume(rest_, false);
    consumed_ += used;
    rest_.erase(0, used);
    if (rest_.size() > kMaxToken) Fail(text_, "a text or number without end");
    return;
  }
  const std::size_t used = Consume(piece, false);
  consumed_ += used;
  rest_.assign(piece.substr(used));
}

void JsonStream::Finish() {
  const std::string rest = std::move(rest_);
  rest_.clear();
  const std::size_t used = Consume(rest, true);
  if (used < rest.size() || expect_ != Expect::kNothing) {
    Raise(ErrorKind::kFailed, "not JSON: the text ends early, after {} bytes",
          consumed_ + rest.size());
  }
}

std::size_t JsonStream::Consume(std::string_view text, bool last) {
  text_ = text.data();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') {
      ++at;
      continue;
    }
    const char* next = Token(at, end, last);
    if (next == nullptr) break;
    at = next;
  }
  return static_cast<std::size_t>(at - text.data());
}

const char* JsonStream::Token(const char* at, const char* end, bool last) {
  position_ = consumed_ + static_cast<std::size_t>(at - text_);
  switch (*at) {
    case '"':
      return StringToken(at, end);
    case ',':
      if (expect_ != Expect::kCommaOrEnd || open_.empty()) Fail(at, "unexpected comma");
      expect_ = open_.back() == '{' ? Expect::kKey : Expect::kValue;
      return at + 1;
    case ':':
      if (expect_ != Expect::kColon) Fail(at, "unexpected colon");
      expect_ = Expect::kValue;
      return at + 1;
    case '{':
    case '[':
      RequireValue(at);
      if (open_.size() >= kMaxDepth) Fail(at, "nested too deep");
      if (*at == '[') {
        if (const char* const behind = events_.TakeArray(at, end)) {
          ValueDone();
          return behind;
        }
      }
      open_.push_back(*at);
      expect_ = *at == '{' ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
      events_.Open(*at == '{');
      return at + 1;
    case '}':
    case ']': {
      const char wanted = *at == '}' ? '{' : '[';
      const bool may_end = expect_ == Expect::kCommaOrEnd || expect_ == Expect::kKeyOrEnd ||
                           expect_ == Expect::kValueOrEnd;
      if (!may_end || open_.empty() || open_.back() != wanted) Fail(at, "unexpected bracket");
      open_.pop_back();
      ValueDone();
      events_.Close();
      return at + 1;
    }
    case 't':
    case 'f':
    case 'n':
      return WordToken(at, end);
    default:
      return NumberToken(at, end, last);
  }
}

void JsonStream::RequireValue(const char* at) const {
  if (expect_ != Expect::kValue && expect_ != Expect::kValueOrEnd) Fail(at, "unexpected value");
}

void JsonStream::ValueDone() { expect_ = open_.empty() ? Expect::kNothing : Expect::kCommaOrEnd; }

const char* JsonStream::StringToken(const char* at, const char* end) {
  const char* const start = at + 1;
  bool escaped = false;
  const char* stop = start;
  for (;; ++stop) {
    if (stop >= end) return nullptr;
    const char c = *stop;
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20) Fail(stop, "control character in a string");
    if (c == '\\') {
      escaped = true;
      ++stop;
      if (stop >= end) return nullptr;
    }
  }
  std::string_view value(start, static_cast<std::size_t>(stop - start));
  if (escaped) {
    value = Unescape(value);
    if (value.data() == nullptr) Fail(at, "bad escape in a string");
  }
  if (expect_ == Expect::kKey || expect_ == Expect::kKeyOrEnd) {
    expect_ = Expect::kColon;
    events_.Key(value);
  } else {
    RequireValue(at);
    ValueDone();
    events_.String(value);
  }
  return stop + 1;
}

/// A view of `unescaped_`; one without data when an escape is malformed.
std::string_view JsonStream::Unescape(std::string_view raw) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  unescaped_.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      unescaped_ += raw[i];
      continue;
    }
    ++i;
    if (const auto name = kNames.find(raw[i]); name != std::string_view::npos) {
      unescaped_ += kMeanings[name];
      continue;
    }
    int code = raw[i] == 'u' ? HexFour(raw.substr(i + 1)) : -1;
    if (code < 0 || (code >= 0xDC00 && code < 0xE000 && !halves_)) return {};
    i += 4;
    if (code >= 0xD800 && code < 0xE000 && halves_) {
      unescaped_ += "??????";
      continue;
    }
    if (code >= 0xD800 && code < 0xDC00) {
      const bool paired = raw.substr(i + 1).starts_with("\\u");
      const int low = paired ? HexFour(raw.substr(i + 3)) : -1;
      if (low < 0xDC00 || low > 0xDFFF) return {};
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      i += 6;
    }
    AppendUtf8(unescaped_, static_cast<unsigned>(code));
  }
  return unescaped_;
}

const char* JsonStream::NumberToken(const char* at, const char* end, bool last) {
  RequireValue(at);
  const char* stop = at;
  while (stop < end && (IsDigit(*stop) || *stop == '.' || *stop == '-' || *stop == '+' ||
                        *stop == 'e' || *stop == 'E')) {
    ++stop;
  }
  if (stop == end && !last && stop > at) return nullptr;
  const std::string_view text(at, static_cast<std::size_t>(stop - at));
  if (text.empty() || NumberLength(text) != text.size()) Fail(at, "unexpected character");
  ValueDone();
  events_.Number(text);
  return stop;
}

const char* JsonStream::WordToken(const char* at, const char* end) {
  RequireValue(at);
  const std::string_view word = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
  const auto have = static_cast<std::size_t>(end - at);
  if (std::memcmp(at, word.data(), std::min(have, word.size())) != 0) Fail(at, "unknown word");
  if (have < word.size()) return nullptr;
  ValueDone();
  events_.Word(word);
  return at + word.size();
}

}  // namespace schedlens
