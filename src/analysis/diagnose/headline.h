#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_

#include <string>

#include "contract/diagnosis.h"
#include "contract/message.h"

namespace schedlens {

/// The verdict in one sentence: how sure the leading cause is, the cause and its share. Where it is
/// not proven also the runner-up, and what would tell the two apart.
Message Headline(const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_
