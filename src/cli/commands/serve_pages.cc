// What `serve` shows of its reports: a list, and each of them.

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/url.h"
#include "cli/commands/serve.h"
#include "cli/web/server.h"
#include "contract/report.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 200;

struct Written {
  fs::file_time_type at;
  fs::path path;
};

std::vector<Written> NewestFirst(const std::string& folder) {
  std::vector<Written> all;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!IsReport(at->path()) || at->path().extension() == ".json") continue;
    std::error_code gone;
    const auto written = at->last_write_time(gone);
    if (!gone) all.push_back({written, at->path()});
  }
  std::ranges::sort(all, std::greater(), &Written::at);
  all.resize(std::min(all.size(), kMostListed));
  return all;
}

/// A report's own title, which is HTML already; why there is no report. Empty for what is gone.
KeptReport Kept(const Written& written) {
  constexpr std::size_t kDigest = 17;  // of the alerts, with its dash
  const std::string file = written.path.filename(), stem = written.path.stem();
  KeptReport kept{.url = "reports/" + PercentEncode(file),
                  .name = stem.substr(0, stem.size() - kDigest),
                  .written = 0,
                  .title_html = {},
                  .failure = {}};
  const auto system = std::chrono::file_clock::to_sys(written.at).time_since_epoch();
  kept.written = std::chrono::duration_cast<std::chrono::milliseconds>(system).count();
  try {
    constexpr std::size_t kHead = 4096;
    const std::string head = ReadAhead(*OpenByteSource(written.path, file), kHead);
    if (written.path.extension() == ".txt") {
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

WebReply ReportsPage(const std::string& folder, const std::string& lang) {
  std::vector<KeptReport> reports;
  for (const Written& written : NewestFirst(folder)) reports.push_back(Kept(written));
  RenderOptions render;
  render.lang = lang;
  return {.body = RenderReportList(reports, render), .type = "text/html; charset=utf-8"};
}

WebReply ReportFile(const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(folder) / name;
  const std::string ending = path.extension();
  // What ends at a NUL, for the system, is another name.
  const bool named = path.filename() == name && name.find('\0') == name.npos && IsReport(path);
  std::error_code none;
  if (!named || !fs::exists(path, none)) {
    return {.status = 404, .body = "no such report: / lists them\n"};
  }
  const char* type = ending == ".html"   ? "text/html"
                     : ending == ".json" ? "application/json"
                                         : "text/plain";
  return {.body = ReadFile(path), .type = fmt::format("{}; charset=utf-8", type)};
}

}  // namespace schedlens
