#pragma once

// Why a selector has no samples, told so that the next try has some.

#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "promql/ast.h"

namespace schedlens {

/// One sentence about a selector without samples in the range: which of its matchers nothing fits,
/// with the nearest value or label; when it was scraped instead; of a scheduler's metric that its
/// release does not have, the name that takes its place; of any other name the nearest one here.
/// `what` stands for the selector's metric in the sentence where the matchers name it by no
/// equality; empty: by its regular expression. Empty where the selector has samples and where
/// nothing is known. Throws Error(kAuth) and Error(kInterrupted) of the source; its other failures
/// leave the sentence out, since they must not hide what it was to explain.
Message WhyEmpty(Source& source, const std::vector<promql::Matcher>& matchers,
                 const TimeRange& range, const std::string& what = "");

/// The same of every selector of an expression that is evaluated within the range, each sentence
/// once. Selectors with an offset or `@` are left out. Throws Error(kUsage), too, where the
/// expression does not parse.
std::vector<Message> WhyEmptyOf(Source& source, const std::string& promql, const TimeRange& range);

}  // namespace schedlens
