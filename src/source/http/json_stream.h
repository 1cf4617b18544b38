#pragma once

#include "base/source.h"

namespace schedlens {

// JSON read in pieces as they arrive, as events. A DOM, or a reader that wants the whole text,
// would hold an answer of 100 MB twice.

/// What a JSON text consists of, in order. Views are valid during the call only.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  /// An object, else an array, and the end of the innermost.
  virtual void Open(bool object) = 0;
  virtual void Close() = 0;
  virtual void Key(std::string_view name) = 0;
  virtual void String(std::string_view value) = 0;
  /// A number as written.
  virtual void Number(std::string_view text) = 0;
  /// `true`, `false`, `null`.
  virtual void Word(std::string_view word) = 0;
  /// Offered the text from an array's bracket on, before its events: returns behind the bracket
  /// that closes it if it has taken all of the array, null if it shall come as events.
  virtual const char* TakeArray(const char* /*at*/, const char* /*end*/) { return nullptr; }
};

/// Feed() the text in pieces of any size, then Finish(). Throws Error(kFailed) with the byte offset
/// for text that is not JSON (RFC 8259; byte sequences that are not UTF-8 are let through), for
/// nesting deeper than 100, and whatever the events throw.
class JsonStream {
 public:
  /// With `halves` each escaped surrogate, alone or in a pair, becomes six question marks.
  explicit JsonStream(JsonEvents& events, bool halves = false) : events_(events), halves_(halves) {}
  void Feed(std::string_view piece);
  void Finish();
  /// Forgets everything; the next Feed() starts a new text.
  void Reset();
  /// During an event: the byte of the text at which what it tells begins.
  std::size_t position() const { return position_; }

 private:
  enum class Expect { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };

  /// Consumes whole tokens; returns where the first incomplete one starts.
  std::size_t Consume(std::string_view text, bool last);
  const char* Token(const char* at, const char* end, bool last);
  const char* StringToken(const char* at, const char* end);
  const char* NumberToken(const char* at, const char* end, bool last);
  const char* WordToken(const char* at, const char* end);
  void ValueDone();
  void RequireValue(const char* at) const;
  std::string_view Unescape(std::string_view raw);
  [[noreturn]] void Fail(const char* at, const char* what) const;

  JsonEvents& events_;
  const bool halves_;
  std::size_t position_ = 0;
  std::vector<char> open_;  ///< '{' and '['
  Expect expect_ = Expect::kValue;
  std::string rest_;  ///< an incomplete token at the end of the last piece
  std::string unescaped_;
  std::size_t consumed_ = 0;  ///< bytes before the text at hand
  const char* text_ = nullptr;
};

// What `/api/v1/query` and `/api/v1/query_range` answer, read while it arrives.

/// An answer of the API: a result, or the server's own words for why there is none.
struct ApiAnswer {
  bool success = false;
  std::string error_type;  ///< "bad_data", "execution", "timeout", ...; empty on success
  std::string error;
  Answer answer;
};

/// Reads one answer, fed in pieces of any size, straight into series.
class ApiAnswerReader {
 public:
  /// More series than `max_series` throw Error(kFailed).
  explicit ApiAnswerReader(std::size_t max_series = 1000000);
  ~ApiAnswerReader();

  /// Throws Error(kFailed) for what is not JSON or has another shape than the API's.
  void Feed(std::string_view piece);
  /// Whether it holds as many series as are allowed.
  bool full() const;
  /// The whole answer; the reader is empty afterwards. Throws Error(kFailed) when the text ended
  /// early or told neither success nor an error.
  ApiAnswer Finish();
  /// Forgets what was fed.
  void Reset();

 private:
  class Events;
  std::unique_ptr<Events> events_;
};

/// The same for a text in one piece.
ApiAnswer ReadApiAnswer(std::string_view text);

}  // namespace schedlens
