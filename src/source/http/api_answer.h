#pragma once

// What `/api/v1/query` and `/api/v1/query_range` answer, read while it arrives.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/source.h"

namespace schedlens {

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
