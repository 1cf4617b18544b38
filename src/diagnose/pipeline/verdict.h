#pragma once

// The verdict in a word, a sentence and a severity.

#include "diagnose/pipeline/gather.h"

namespace schedlens {

/// Is it an incident? Yes where the alert is decided above its threshold. Where it is decided
/// below: an artifact if it fires all the same, else no, but for a metric that is not of attempts.
/// Without a decision yes where the window is an episode. Numbers that contradict each other, or
/// are too few, leave it open.
Verdict JudgeVerdict(const WindowEvidence& c, const AlertVerdict& alert);

// Which of several diagnoses a reader wants first.

/// 0 for an incident, then what cannot be decided, artifacts, lack of data, and all is well.
int SeverityRank(Verdict verdict);

/// Of schedulers judged each by itself the worst is the least: those that the alert fires for come
/// before the others, those without data last; then by verdict, by the confidence of the first
/// finding, and by what the alert shows, as far as that is not proven wrong.
using Severity = std::tuple<bool, bool, int, int, double>;
Severity SeverityOf(const Diagnosis& diagnosis);

/// The verdict in one sentence: how sure the leading cause is, the cause and its share. Where it is
/// not proven also the runner-up, and what would tell the two apart.
Message Headline(const Diagnosis& diagnosis);

/// Whether its alert is about something else than the control plane, and said to be.
inline bool IsElsewhere(const Diagnosis& diagnosis) {
  return diagnosis.headline.id == "headline.elsewhere";
}

/// Sentences of the episodes that were not judged, and what the alert showed in each. The reported
/// one is as the diagnosis is.
void FinishEpisodes(Diagnosis* diagnosis);

// Which schedulers a diagnosis is about: those of the selector, of the alert's expression and of
// its firings, all together. A label is never dropped in silence.

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
