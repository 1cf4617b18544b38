#ifndef SCHEDLENS_ANALYSIS_DIAGNOSE_POPULATION_H_
#define SCHEDLENS_ANALYSIS_DIAGNOSE_POPULATION_H_

// Which schedulers a diagnosis is about: those of the selector, of the alert's expression and of
// its firings, all together. A label is never dropped in silence.

#include <vector>

#include "analysis/collect/facts.h"
#include "analysis/diagnose/gather.h"
#include "contract/message.h"

namespace schedlens {

/// The facts of the request's schedulers. Without any that match, they have no targets, and
/// `nothing` names what was asked for and what was seen. A label of the firings that no scheduler
/// has at all (an external label, added on the alert's way out) is left out with a warning; so is
/// every such label of a pair of raw pages, which have none of a scrape's.
struct Population {
  Facts facts;
  std::vector<Message> warnings;
  Message nothing;
};
Population CollectPopulation(Source& source, const QuerySet& queries,
                             const DiagnoseRequest& request, const TimeRange& range);

/// Why the facts have no targets, as a phrase: which matcher of their selector fits no scheduler,
/// or when one was scraped instead. Empty where nothing is known. Throws as WhyEmpty does.
Message WhyNoScheduler(Source& source, const Facts& facts);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DIAGNOSE_POPULATION_H_
