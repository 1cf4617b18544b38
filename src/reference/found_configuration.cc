#include "reference/found_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kube/metrics.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using sim::core::Configuration;
using sim::core::FoundInFile;
using sim::core::RemarkKind;

/// The release of `text` (`1.20`, `1.23-1.25`) that is nearest to `wanted`; nothing where no
/// release is known.
std::optional<int> NearestRelease(const std::string& text, int wanted) {
  const auto newest = kube::ParseRelease(text);
  if (!newest) return std::nullopt;
  const auto oldest = kube::ParseRelease(text.substr(0, text.find('-')));
  const int minor = std::clamp(wanted, std::min(oldest.value_or(*newest), *newest), *newest);
  return std::clamp(minor, sim::Release::kOldest, sim::Release::kNewest);
}

std::string_view IdOf(RemarkKind kind) {
  switch (kind) {
    case RemarkKind::kUnknownField:
      return "configuration.remark.field";
    case RemarkKind::kNotAtPoint:
      return "configuration.remark.point";
    case RemarkKind::kNoPlugin:
      return "configuration.remark.no_plugin";
    case RemarkKind::kNotRead:
      return "configuration.remark.not_read";
    case RemarkKind::kOneOfSeveral:
      return "configuration.remark.several";
  }
  return "";
}

/// The configuration; where it is refused and looks like a template, the error says so:
/// `leaderElect: {{ .Values.elect }}` is YAML, and no configuration yet.
Configuration Read(std::string_view text, const std::string& name,
                   const std::optional<sim::Release>& release, const std::vector<std::string>& seen,
                   FoundInFile* found) {
  try {
    return sim::core::ReadConfiguration(text, name, release, seen, found);
  } catch (const Error& error) {
    const std::string advice = AdviceForTemplate(text);
    if (advice.empty() || std::string_view(error.what()).ends_with(advice)) throw;
    throw Error(error.kind(), fmt::format("{}; {}", error.what(), advice));
  }
}

}  // namespace

Configuration ReadAsFound(std::string_view text, const std::string& name,
                          const Diagnosis& diagnosis, FoundInFile* found) {
  std::vector<std::string> seen;
  for (const PluginRow& row : diagnosis.plugins) {
    if (!sim::core::IsInTree(row.plugin)) seen.push_back(row.plugin);
  }
  Configuration own = Read(text, name, std::nullopt, seen, found);
  const auto minor = NearestRelease(diagnosis.release, own.release.minor);
  if (!minor || *minor == own.release.minor) return own;
  *found = {};
  return Read(text, name, sim::Release{*minor}, seen, found);
}

std::vector<Message> RemarksOn(const FoundInFile& found, const Configuration& configuration) {
  std::vector<Message> out;
  for (const sim::core::ConfigurationRemark& remark : found.remarks) {
    Message text(std::string(IdOf(remark.kind)), {{"at", remark.at}});
    if (!remark.name.empty()) text.args.push_back({"name", remark.name});
    if (remark.kind == RemarkKind::kNoPlugin || remark.kind == RemarkKind::kNotRead) {
      text.args.push_back({"release", configuration.release.ToString()});
    }
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace schedlens
