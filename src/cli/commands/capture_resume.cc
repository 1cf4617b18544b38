#include "cli/commands/capture_resume.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "model/url.h"
#include "source/http/api_server.h"

namespace schedlens {
namespace {

constexpr const char* kTenantHeader = "X-Scope-OrgID";

std::string NameOf(const std::string& header) { return header.substr(0, header.find(':')); }

bool IsTenant(const std::string& header) {
  return strcasecmp(NameOf(header).c_str(), kTenantHeader) == 0;
}

bool HasUser(const SourceOptions& options) {
  const auto url = ParseUrl(options.prometheus);
  return url && !(url->user.empty() && url->password.empty());
}

}  // namespace

std::string AskedText(const SourceOptions& options, const SourceInfo& info,
                      const std::string& alert, const std::string& window) {
  std::string asked = fmt::format("{} {} selector {} alert {} {}", info.name,
                                  options.http_config_file, options.selector, alert, window);
  if (!options.tenant.empty()) asked += " tenant " + options.tenant;
  std::set<std::string> names;
  for (const std::string& header : options.headers) {
    // The tenant is not a secret; other headers may be.
    if (IsTenant(header)) {
      asked += " " + header;
      continue;
    }
    std::string name = NameOf(header);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    names.insert(std::move(name));
  }
  if (!names.empty()) asked += fmt::format(" headers {}", fmt::join(names, ","));
  if (HasUser(options)) asked += " with a user";
  return asked;
}

bool LeavesOutWhoAsks(const SourceOptions& options) {
  return HasUser(options) || !options.http_config_file.empty() ||
         options.prometheus.starts_with(kServiceScheme) ||
         !std::all_of(options.headers.begin(), options.headers.end(), IsTenant);
}

bool StillAnswersTheSame(Source& source, const CapturePartFile& part) {
  const auto kept = part.Smallest();
  return kept && SameSamples(source.Ask(kept->first), kept->second);
}

}  // namespace schedlens
