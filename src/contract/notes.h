#ifndef SCHEDLENS_CONTRACT_NOTES_H_
#define SCHEDLENS_CONTRACT_NOTES_H_

// What servers remark beside their answers, each once however many answers carry it.

#include <algorithm>
#include <string>
#include <vector>

#include "contract/source.h"

namespace schedlens {

/// Appends what `to` does not hold yet.
inline void AddNew(const std::vector<std::string>& from, std::vector<std::string>* to) {
  for (const std::string& text : from) {
    if (std::find(to->begin(), to->end(), text) == to->end()) to->push_back(text);
  }
}

/// The same with an answer's warnings and infos.
inline void AddNotes(const Answer& answer, std::vector<std::string>* to) {
  AddNew(answer.warnings, to);
  AddNew(answer.infos, to);
}

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_NOTES_H_
