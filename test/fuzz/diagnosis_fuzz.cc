// A saved diagnosis may come from anywhere: whatever reads, renders in every format and language,
// the same way again after saving.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "contract/report.h"
#include "diagnose/pipeline/diagnose.h"
#include "messages/catalog.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace {

using schedlens::Diagnosis;
using schedlens::RenderOptions;

void RenderAll(const Diagnosis& d, const RenderOptions& options) {
  schedlens::RenderText(d, options);
  schedlens::RenderMarkdown(d, options);
  schedlens::RenderHtml(d, options);
  // At most four bytes a character.
  if (schedlens::RenderSlack(d, options).size() > 4 * 1500) std::abort();
  const schedlens::Against against = schedlens::SetAgainst(d, d);
  schedlens::RenderText(against, options);
  schedlens::RenderMarkdown(against, options);
  schedlens::RenderHtml(against, options);
  const schedlens::SplitDiagnosis split{"cluster", {{"a", d}, {"b", d}}};
  schedlens::RenderText(split, options);
  schedlens::RenderMarkdown(split, options);
  schedlens::RenderHtml(split, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Diagnosis d = schedlens::ParseDiagnosis(text, "fuzz");
    const std::string json = schedlens::RenderJson(d);
    if (schedlens::RenderJson(schedlens::ParseDiagnosis(json, "again")) != json) std::abort();
    if (schedlens::RenderJson(schedlens::Checked(d)) != json) std::abort();
    schedlens::RenderGrafanaAnnotation(d);
    for (const std::string& lang : schedlens::Catalog::Languages()) {
      RenderAll(d, {.width = 60, .lang = lang});
      RenderAll(d, {.ascii = true, .queries = true, .lang = lang});
    }
  } catch (const schedlens::Error&) {
    // Refused with a message: what a malformed document is for.
  }
  return 0;
}
