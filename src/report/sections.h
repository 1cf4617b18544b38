#pragma once

// What the reports say, section by section, each made once for all formats.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "contract/report.h"
#include "report/messages/messages.h"
#include "report/section.h"

namespace schedlens {

/// What stands above all sections: which of several schedulers it is about, and the facts.
Section LeadOf(const Messages& t, const Diagnosis& diagnosis, ReportFormat format);
/// Those that have something to say, in the order of the format. `queries`: with every query that
/// was asked, where the format does not have them anyhow.
std::vector<Section> SectionsOf(const Messages& t, const Diagnosis& diagnosis, ReportFormat format,
                                bool queries = false);

/// The edges of window and baseline and the alert's crossings of its threshold, in order of time.
std::vector<Item> EventsOf(const Messages& t, const Diagnosis& diagnosis);

/// The usual fields of a post-mortem, in their usual order: what the data can fill in, and blanks
/// for people.
std::vector<Part> PostMortem(const Messages& t, const Diagnosis& diagnosis, ReportFormat format);

/// `Then an incident, now no incident: p99 3.64 s then, 120 ms now.`
std::string HeadlineOf(const Messages& t, const Against& against);
/// Both sides, milliseconds a scheduled pod by stage, findings that are new, kept and gone.
std::vector<Section> SectionsOf(const Messages& t, const Against& against, ReportFormat format);

/// `3 of 5 values of cluster have an incident.`
std::string HeadlineOf(const Messages& t, const SplitDiagnosis& split);
/// `cluster="a"`, Visible; `cluster=""` for series without the label.
std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part);
/// Whether the part's own report says more than its line in the table.
bool IsWorthAReport(const Diagnosis& diagnosis);

}  // namespace schedlens
