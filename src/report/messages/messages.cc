#include "report/messages/messages.h"

namespace schedlens {

std::vector<std::string> Messages::operator()(const std::vector<Message>& messages) const {
  std::vector<std::string> texts;
  texts.reserve(messages.size());
  for (const Message& message : messages) texts.push_back((*this)(message));
  return texts;
}

}  // namespace schedlens
