#ifndef SCHEDLENS_REPORT_TEXT_SECTIONS_H_
#define SCHEDLENS_REPORT_TEXT_SECTIONS_H_

// The sections of the terminal report. Each is empty when the diagnosis has nothing for it, else
// starts with a blank line and a heading.

#include <string>
#include <string_view>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"
#include "report/text/layout.h"

namespace schedlens {

/// What every section writes with. Text handed in is already Visible().
struct TextPage {
  Terminal terminal;
  Messages t;
  bool queries = false;  ///< print the query behind each claim

  std::string Heading(std::string_view title) const;
  /// Wrapped, each line indented.
  std::string Paragraph(Ink ink, std::string_view text, int indent) const;
  /// Wrapped behind a marker: `- `, `1. `.
  std::string Item(std::string_view marker, Ink ink, std::string_view text, int indent,
                   Ink marker_ink = Ink::kPlain) const;
  /// A name, and its text wrapped to the right of it.
  std::string Fact(std::string_view name, std::string_view text) const;
};

/// What the alert shows, what is proven, and what that decides.
std::string AlertSentence(const TextPage& page, const AlertVerdict& alert);

/// The verdict in one sentence, and which of several schedulers it is about.
std::string HeadlineText(const TextPage& page, const Diagnosis& diagnosis);
/// When, by what and of which cluster this was made, and the command line whole; may be empty.
std::string MadeText(const TextPage& page, const Diagnosis& diagnosis);
/// A line for each of several schedulers, at most `most`; empty of one alone.
std::string UnitsText(const TextPage& page, const Diagnosis& diagnosis, std::size_t most);
/// The whole on one screen: at most 30 lines at 80 columns. Commands, queries and names are whole.
std::string BriefText(const TextPage& page, const Diagnosis& diagnosis);

std::string FindingsText(const TextPage& page, const Diagnosis& diagnosis);
/// Who was hit, and what changed.
std::string ImpactText(const TextPage& page, const Diagnosis& diagnosis);
std::string ChangesText(const TextPage& page, const Diagnosis& diagnosis);
std::string StagesText(const TextPage& page, const Diagnosis& diagnosis);
std::string TimelineText(const TextPage& page, const Diagnosis& diagnosis);
std::string QuantilesText(const TextPage& page, const Diagnosis& diagnosis);
std::string PluginsText(const TextPage& page, const Diagnosis& diagnosis);
std::string CrossCheckText(const TextPage& page, const Diagnosis& diagnosis);
/// Gaps, warnings, and how many queries were asked.
std::string RemarksText(const TextPage& page, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_TEXT_SECTIONS_H_
