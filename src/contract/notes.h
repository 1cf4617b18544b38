#ifndef SCHEDLENS_CONTRACT_NOTES_H_
#define SCHEDLENS_CONTRACT_NOTES_H_

// What servers remark next to their answers, each once however many answers carry it.

#include <algorithm>
#include <string>
#include <vector>

#include "contract/message.h"
#include "contract/source.h"

namespace schedlens {

/// Appends what `to` does not hold yet.
inline void AddNew(const std::vector<Message>& from, std::vector<Message>* to) {
  for (const Message& message : from) {
    if (std::find(to->begin(), to->end(), message) == to->end()) to->push_back(message);
  }
}

/// A remark in the words of the server, or of what reads its data.
inline Message SourceNote(std::string words) {
  return Message("source.note", {{"text", std::move(words)}});
}

/// The same with an answer's warnings and infos.
inline void AddNotes(const Answer& answer, std::vector<Message>* to) {
  for (const auto* notes : {&answer.warnings, &answer.infos}) {
    for (const std::string& words : *notes) AddNew({SourceNote(words)}, to);
  }
}

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_NOTES_H_
