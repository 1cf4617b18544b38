#pragma once

// The texts of all messages, one file a language in this folder, embedded at build time:
//
//   # a comment
//   evidence.cpu = The process used {cores:.2f} cores on average.
//
// `{name}` puts an argument in. After a colon: the digits as printf has them (`.2f`, `.4g`), before
// them `%` for a fraction in percent, `ms` and `us` for seconds in milliseconds and microseconds:
// `{share:%.1f} %`; `hms` writes seconds as Prometheus writes durations: `1m30s`. Without a format
// numbers are written in full, times as RFC 3339 (`{start:at}`: for people), lists pair by pair
// with `list.pair`; after `list` stands what else is between two entries: `{names:list, }`.
// `{n?scrape|scrapes}` is the first where n is 1. `{title:l}` is a sentence in the middle of
// another: its first letter is a small one. Braces around anything else are text; `\{` is a brace,
// and `\s` a space that would be lost at the end of a line.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/series.h"
#include "base/text.h"

namespace schedlens {

/// The language files of this folder.
const std::vector<EmbeddedFile>& EmbeddedLanguages();

class Catalog {
 public:
  /// The texts of one language: "en", "zh", ... Throws Error(kUsage) for one without a file, naming
  /// those there are.
  static const Catalog& Of(std::string_view language);
  static std::vector<std::string> Languages();

  /// Reads the lines of a file. Throws Error(kFailed) for a line that is no `id = text`, and for an
  /// id that is there twice.
  explicit Catalog(std::string_view lines);

  /// The sentence. An empty message gives an empty text. Throws Error(kFailed) for an id without a
  /// text and for an argument that the message lacks.
  /// Times are in that zone.
  std::string Write(const Message& message, const Zone& zone = {}) const;

  bool Has(std::string_view id) const { return texts_.contains(id); }
  const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }

 private:
  std::string WriteArgument(const Message& message, std::string_view placeholder,
                            const Zone& zone) const;
  std::string WriteValue(const Value& value, std::string_view format, const Zone& zone) const;
  std::string WriteList(const std::vector<Message>& messages, std::string_view format,
                        const Zone& zone) const;

  std::map<std::string, std::string, std::less<>> texts_;
};

/// `2026-11-21 10:00:00` in that zone. Whole seconds, down.
std::string DateAndTime(TimeMs time, const Zone& zone = {});
/// `2026-11-21 10:00:00 UTC`.
std::string Moment(TimeMs time, const Zone& zone = {});

/// The sentences in English, as JSON, standard error and tests have them.
std::string InEnglish(const Message& message);
std::vector<std::string> InEnglish(const std::vector<Message>& messages);

}  // namespace schedlens
