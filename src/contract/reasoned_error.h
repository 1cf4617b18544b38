#ifndef SCHEDLENS_CONTRACT_REASONED_ERROR_H_
#define SCHEDLENS_CONTRACT_REASONED_ERROR_H_

#include <string>
#include <utility>

#include "contract/message.h"
#include "schedlens/error.h"

namespace schedlens {

/// An error whose reason is a message of the analysis. `cli` writes it after the text: `TEXT:
/// REASON`.
class ReasonedError : public Error {
 public:
  ReasonedError(ErrorKind kind, const std::string& text, Message reason)
      : Error(kind, text), reason_(std::move(reason)) {}
  const Message& reason() const { return reason_; }

 private:
  Message reason_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CONTRACT_REASONED_ERROR_H_
