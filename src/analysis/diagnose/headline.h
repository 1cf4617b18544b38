#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_

#include <string>

#include "contract/diagnosis.h"
#include "contract/message.h"

namespace schedlens {

/// The verdict in one sentence, with the leading cause, its share and what is proven of it.
Message Headline(const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_HEADLINE_H_
