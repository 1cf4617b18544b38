// Any capture diagnosed, and the diagnosis in every format and language: done or refused with an
// Error, no NaN or infinity in print, and the JSON reads back as the same diagnosis.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/source.h"
#include "contract/report.h"
#include "diagnose/pipeline/diagnose.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace {

constexpr schedlens::TimeMs kRead = 1795223360353;

schedlens::Diagnosis Diagnosed(std::string_view bytes) {
  schedlens::SourceInfo info;
  info.kind = "capture";
  info.name = "fuzz.om";
  const auto source =
      schedlens::NewLocalSource(schedlens::ParseCapture(bytes, "fuzz.om", kRead).series, info);
  schedlens::DiagnoseRequest request;
  request.now = kRead;
  return schedlens::Diagnose(*source, schedlens::QuerySet::Embedded(), request);
}

void RenderAll(const schedlens::Diagnosis& diagnosis) {
  for (const char* lang : {"en", "zh"}) {
    const schedlens::RenderOptions options{.width = 60, .full = true, .lang = lang};
    schedlens::RenderText(diagnosis, options);
    schedlens::RenderText(diagnosis, {.ascii = true, .lang = lang});
    schedlens::RenderMarkdown(diagnosis, options);
    schedlens::RenderHtml(diagnosis, options);
    schedlens::RenderSlack(diagnosis, options);
  }
  schedlens::RenderGrafanaAnnotation(diagnosis);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (std::size_t{64} << 10)) return 0;  // diagnosed within milliseconds
  try {
    const auto diagnosis = Diagnosed({reinterpret_cast<const char*>(data), size});
    RenderAll(diagnosis);
    const std::string json = schedlens::RenderJson(diagnosis);
    // Bounds and labels are text in it; a number that is none would be a bare word.
    if (json.find(": nan") != std::string::npos || json.find(": inf") != std::string::npos) {
      std::abort();
    }
    if (schedlens::RenderJson(schedlens::ParseDiagnosis(json, "again")) != json) std::abort();
  } catch (const schedlens::Error&) {
    // Refused with a message: what a malformed capture is for.
  }
  return 0;
}
