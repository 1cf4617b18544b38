#pragma once

// The texts of src/messages in the reader's language, for what the analysis says and for what the
// renderers write themselves.

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "messages/catalog.h"

namespace schedlens {

class Messages {
 public:
  /// "en", "zh", ...; throws Error(kUsage) for another language.
  explicit Messages(std::string_view lang, Zone zone = {})
      : catalog_(&Catalog::Of(lang)), zone_(std::move(zone)) {}

  /// Of all times that are written.
  const Zone& zone() const { return zone_; }

  /// The language of an HTML page: `en` or `zh-CN`.
  std::string tag() const { return (*this)("report.language"); }

  std::string operator()(const Message& message) const { return catalog_->Write(message, zone_); }
  std::vector<std::string> operator()(const std::vector<Message>& messages) const {
    std::vector<std::string> texts;
    for (const Message& message : messages) texts.push_back((*this)(message));
    return texts;
  }

  /// The text of an enumeration's value, which has one in `ids`, with its arguments.
  template <class Enum, class... Args>
  std::string Of(Enum value, std::initializer_list<const char*> ids, const Args&... args) const {
    return (*this)(ids.begin()[static_cast<int>(value)], args...);
  }

  /// The text of an id, with the arguments put in for {0}, {1}, ...
  template <class... Args>
  std::string operator()(std::string_view id, const Args&... args) const {
    Message message{std::string(id)};
    (message.args.push_back({std::to_string(message.args.size()), fmt::format("{}", args)}), ...);
    return catalog_->Write(message, zone_);
  }

 private:
  const Catalog* catalog_;
  Zone zone_;
};

}  // namespace schedlens
