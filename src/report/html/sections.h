#ifndef SCHEDLENS_REPORT_HTML_SECTIONS_H_
#define SCHEDLENS_REPORT_HTML_SECTIONS_H_

// The sections of the page, as markup. Each is empty when the diagnosis has nothing for it.

#include <string>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"

namespace schedlens {

/// Verdict, headline, key facts, what was examined.
std::string HtmlHeader(const Messages& t, const Diagnosis& diagnosis);
/// The verdict as a badge; the alert's numbers and attempts; what was examined.
std::string HtmlVerdict(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlFacts(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlExamined(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlFindings(const Messages& t, const Diagnosis& diagnosis);
/// The findings alone, without their section.
std::string HtmlFindingList(const Messages& t, const Diagnosis& diagnosis);
/// Who was hit.
std::string HtmlImpact(const Messages& t, const Diagnosis& diagnosis);
/// What changed.
std::string HtmlChanges(const Messages& t, const Diagnosis& diagnosis);
/// "The alert"; "The quantile" without one.
std::string HtmlAlertTitle(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlAlert(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlHeatmap(const Messages& t, const Diagnosis& diagnosis);
/// The main picture: milliseconds a scheduled pod by stage, before and now; every number folded.
/// Without a scheduled pod the numbers alone.
std::string HtmlStages(const Messages& t, const Diagnosis& diagnosis);
/// That picture alone, without its section.
std::string HtmlPerPod(const Messages& t, const Diagnosis& diagnosis);
/// What its colours stand for.
std::string HtmlPerPodLegend(const Messages& t);
/// What each stage makes up of the slowest attempts, as proven intervals.
std::string HtmlTail(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlInversion(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlQuantiles(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlPlugins(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlQueue(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlCrossCheck(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlTimeline(const Messages& t, const Diagnosis& diagnosis);
std::string HtmlPostMortem(const Messages& t, const Diagnosis& diagnosis);
/// Gaps and warnings, every query, raw buckets, versions.
std::string HtmlAppendix(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_HTML_SECTIONS_H_
