// What `serve` shows of its reports: a list, and each of them.

#include "base/file.h"
#include "base/url.h"
#include "cli/commands/serve.h"
#include "report/format.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostReports = 200;

/// `Slow-20261127T100000Z`, as files are called, in the words of people.
std::string AlertAndTime(const std::string& name, const Zone& zone) {
  const std::size_t dash = std::min(name.rfind('-'), name.size());
  const std::string at = name.substr(std::min(dash + 1, name.size()));
  if (at.size() != 16) return name;
  const auto time = ParseTime(fmt::format("{}-{}-{}:{}:{}", at.substr(0, 4), at.substr(4, 2),
                                          at.substr(6, 5), at.substr(11, 2), at.substr(13)),
                              0);
  return time ? fmt::format("{}, {}", name.substr(0, dash), Moment(*time, zone)) : name;
}

/// A report's own title, which is HTML already; why there is no report. Empty for what is gone.
KeptReport Kept(const fs::path& path, fs::file_time_type written, const Zone& zone) {
  constexpr std::size_t kDigest = 17;  // of the alerts, with its dash
  const std::string file = path.filename(), stem = path.stem();
  KeptReport kept{.url = "reports/" + PercentEncode(file),
                  .name = AlertAndTime(stem.substr(0, stem.size() - kDigest), zone),
                  .written = 0,
                  .title_html = {},
                  .failure = {}};
  const auto system = std::chrono::file_clock::to_sys(written).time_since_epoch();
  kept.written = std::chrono::duration_cast<std::chrono::milliseconds>(system).count();
  try {
    constexpr std::size_t kHead = 4096;
    const std::string head = ReadAhead(*OpenByteSource(path, file), kHead);
    if (path.extension() == ".txt") {
      kept.failure = Trimmed(head);
      return kept;
    }
    constexpr std::string_view kOpen = "<title>";
    const std::size_t start = head.find(kOpen), end = head.find("</title>");
    if (start < end && end != head.npos) {
      kept.title_html = head.substr(start + kOpen.size(), end - start - kOpen.size());
    }
  } catch (const Error&) {  // removed meanwhile
  }
  return kept;
}

}  // namespace

WebReply ReportsPage(const std::string& folder, const RenderOptions& look) {
  std::vector<KeptReport> reports;
  for (const StoredReport& stored : StoredReports(folder)) {
    if (reports.size() >= kMostReports) break;
    for (const fs::path& file : stored.files) {
      if (file.extension() != ".json") {
        reports.push_back(Kept(file, stored.written, look.zone));
      }
    }
  }
  return {.body = RenderReportList(reports, look), .type = "text/html; charset=utf-8"};
}

WebReply ReportFile(const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(folder) / name;
  const std::string ending = path.extension();
  std::error_code none;
  if (path.filename() != name || !IsReport(path) || !fs::exists(path, none)) {
    return {.status = 404, .body = "no such report: / lists them\n"};
  }
  const char* type = ending == ".html"   ? "text/html"
                     : ending == ".json" ? "application/json"
                                         : "text/plain";
  return {.body = ReadFile(path), .type = fmt::format("{}; charset=utf-8", type)};
}

}  // namespace schedlens
