#ifndef SCHEDLENS_ANALYSIS_LINT_NOTE_H_
#define SCHEDLENS_ANALYSIS_LINT_NOTE_H_

#include <functional>
#include <string>
#include <string_view>

#include "contract/message.h"

namespace schedlens {

/// Takes what one check found: an id of LintChecks(), the sentence, and what to write instead.
using LintNote =
    std::function<void(const std::string& id, const Message& message, const Message& fix)>;

/// An expression to write instead.
inline Message WriteInstead(std::string_view promql) {
  return Message("lint.write", {{"promql", arg::Promql(promql)}});
}

/// A name or a value that was likely meant.
inline Message DidYouMean(std::string_view words) {
  return Message("lint.did_you_mean", {{"words", words}});
}

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_LINT_NOTE_H_
