// A saved diagnosis may come from anywhere: whatever reads, renders in every format, the same way
// again after saving.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analysis/diagnose/against.h"
#include "contract/report.h"
#include "report/against.h"
#include "schedlens/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::Diagnosis diagnosis = schedlens::ParseDiagnosis(text, "fuzz");
    const std::string json = schedlens::RenderJson(diagnosis);
    if (schedlens::RenderJson(schedlens::ParseDiagnosis(json, "again")) != json) std::abort();
    schedlens::RenderText(diagnosis, {.width = 60, .lang = "zh"});
    schedlens::RenderMarkdown(diagnosis, {});
    schedlens::RenderHtml(diagnosis, {});
    schedlens::RenderGrafanaAnnotation(diagnosis);
    const schedlens::Against against = schedlens::SetAgainst(diagnosis, diagnosis);
    schedlens::RenderText(against, {.width = 60});
    schedlens::RenderHtml(against, {});
    // At most four bytes a character.
    if (schedlens::RenderSlack(diagnosis).size() > 4 * 900) std::abort();
  } catch (const schedlens::Error&) {
    // Refused with a message: what a malformed document is for.
  }
  return 0;
}
