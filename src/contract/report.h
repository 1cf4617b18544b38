#pragma once

#include "contract/diagnosis.h"

namespace schedlens {

struct RenderOptions {
  bool color = false;       ///< terminal colours (text only)
  bool ascii = false;       ///< no character beyond ASCII in bars and plots (text only)
  int width = 100;          ///< columns (text only); readable from 60 on
  int rows = 30;            ///< of one screen (text only); what to do is whole also without room
  bool full = false;        ///< everything, not one screen (text only)
  bool queries = false;     ///< that, and the query behind each claim (text only)
  std::string lang = "en";  ///< "en" or "zh" (all but JSON)
  /// Where the HTML page of this diagnosis is, for links to it; may be empty (Slack only).
  std::string link = {};
  Zone zone = {};  ///< of the times that people read; JSON stays in UTC
};

/// One value of the label that many schedulers are told apart by, and its diagnosis.
struct DiagnosedPart {
  std::string value;
  Diagnosis diagnosis;
};

/// Many schedulers behind one source, split by a label; in the order to be shown.
struct SplitDiagnosis {
  std::string label;
  std::vector<DiagnosedPart> parts;
};

/// Every renderer takes a diagnosis that passed the check of report/commands.h, as ParseDiagnosis
/// and all commands give it.
///
/// On one screen of `rows`: conclusion, findings, where the time went, who was hit, what to do.
/// With `full` also every stage, plugin and quantile, all evidence and gaps. Ends with a newline.
std::string RenderText(const Diagnosis& diagnosis, const RenderOptions& options);
/// The JSON contract, schema "schedlens.diagnosis/1": every field present, null where unknown.
std::string RenderJson(const Diagnosis& diagnosis);
/// Of that the parts to act upon, on one line of at most kLongestBrief bytes, schema
/// "schedlens.brief/1": lists are cut, `KEY_more` says by how many; a command or query that is too
/// long is left out, other texts are shortened.
std::string RenderBrief(const Diagnosis& diagnosis);
inline constexpr std::size_t kLongestBrief = 8000;
std::string RenderMarkdown(const Diagnosis& diagnosis, const RenderOptions& options);
/// One self-contained page: inline SVG, no script, no network.
std::string RenderHtml(const Diagnosis& diagnosis, const RenderOptions& options);
/// At most 1,500 characters of mrkdwn: what does not fit is left out whole.
std::string RenderSlack(const Diagnosis& diagnosis, const RenderOptions& options = {});
/// The body of Grafana's POST /api/annotations: the window in milliseconds, tags, text.
std::string RenderGrafanaAnnotation(const Diagnosis& diagnosis);

/// A table with a line for each part, then the reports of the parts that are not healthy.
std::string RenderText(const SplitDiagnosis& split, const RenderOptions& options);
std::string RenderMarkdown(const SplitDiagnosis& split, const RenderOptions& options);
/// One self-contained page: the table with a bar for each part, every part's findings folded.
std::string RenderHtml(const SplitDiagnosis& split, const RenderOptions& options);
/// Schema "schedlens.diagnoses/1": `label`, `summary`, and `diagnoses` with every part's own JSON.
std::string RenderJson(const SplitDiagnosis& split);

/// One of the reports that `serve` keeps.
struct KeptReport {
  std::string url;   ///< relative to the list
  std::string name;  ///< of its file, without the ending: the alert's and when it began
  TimeMs written = 0;
  std::string title_html;  ///< of the report's own page, escaped there; empty: unknown
  std::string failure;     ///< why there is no report; empty: there is one
};
/// A page with a line for each, in their order, and what to do where there is none.
std::string RenderReportList(const std::vector<KeptReport>& reports, const RenderOptions& options);

/// The JSON Schemas (draft 2020-12) of what RenderJson writes: of one diagnosis, and of several,
/// whose `$ref` to the first is by its `$id`.
std::string_view DiagnosisSchema();
std::string_view DiagnosesSchema();
/// The same of what RenderBrief writes.
std::string_view BriefSchema();

/// Reads what RenderJson wrote; rendering the result gives the same bytes in every format. Throws
/// Error(kFailed) naming `name` and the field that is missing, malformed or
/// fails that check.
Diagnosis ParseDiagnosis(std::string_view json, const std::string& name);

}  // namespace schedlens
