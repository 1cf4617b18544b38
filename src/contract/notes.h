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

/// That a server left data out of an answer, in its words: a store is down, a remote read failed.
inline Message PartialAnswer(std::string words) {
  return Message("source.partial", {{"text", std::move(words)}});
}
inline bool IsPartialAnswer(const Message& message) { return message.id == "source.partial"; }

/// A remark for each of an answer's warnings and infos. A warning that is not about the expression
/// (those begin with "PromQL") says that the answer is partial.
inline void AddNotes(const Answer& answer, std::vector<Message>* to) {
  for (const std::string& words : answer.warnings) {
    AddNew({words.starts_with("PromQL") ? SourceNote(words) : PartialAnswer(words)}, to);
  }
  for (const std::string& words : answer.infos) AddNew({SourceNote(words)}, to);
}

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_NOTES_H_
