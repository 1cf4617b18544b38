#ifndef SCHEDLENS_REPORT_MESSAGES_MESSAGES_H_
#define SCHEDLENS_REPORT_MESSAGES_MESSAGES_H_

// Every sentence the renderers write themselves, in English and Chinese. The English text is the
// key, so that the code reads as the report does. What the analysis wrote: report/sentences.h.

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

namespace schedlens {

struct Message {
  std::string_view english;  ///< what the code asks for; `{0}` marks arguments
  std::string_view chinese;
};

/// The whole table; a test compares it with the sources.
std::span<const Message> MessageTable();

class Messages {
 public:
  /// "en" or "zh"; throws Error(kUsage) for another language.
  explicit Messages(std::string_view lang);

  bool chinese() const { return chinese_; }
  /// The language of an HTML page: `en` or `zh-CN`.
  std::string_view tag() const { return chinese_ ? "zh-CN" : "en"; }

  /// The sentence in the reader's language, with the arguments put in.
  template <class... Args>
  std::string operator()(std::string_view english, const Args&... args) const {
    return fmt::format(fmt::runtime(Find(english)), args...);
  }

 private:
  std::string_view Find(std::string_view english) const;

  bool chinese_ = false;
};

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_MESSAGES_MESSAGES_H_
