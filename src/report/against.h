#ifndef SCHEDLENS_REPORT_AGAINST_H_
#define SCHEDLENS_REPORT_AGAINST_H_

// How two diagnoses side by side are printed.

#include <string>
#include <string_view>

#include "contract/diagnosis.h"
#include "contract/report.h"

namespace schedlens {

/// Verdict and quantile of both sides, milliseconds a scheduled pod by stage, findings that are
/// new, kept and gone.
std::string RenderText(const Against& against, const RenderOptions& options);
std::string RenderMarkdown(const Against& against, const RenderOptions& options);
/// One self-contained page: no script, no network.
std::string RenderHtml(const Against& against, const RenderOptions& options);
/// Schema "schedlens.against/1": `then`, `now`, `stages`, `findings`, `notes`.
std::string RenderJson(const Against& against);
/// The JSON Schema (draft 2020-12) of that.
std::string_view AgainstSchema();

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_AGAINST_H_
