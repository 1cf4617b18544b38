#include "replay/named_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/secrets.h"
#include "base/yaml_load.h"
#include "kube/metrics.h"
#include "kube/stage.h"
#include "schedlens/error.h"
#include "scheduler/framework/configuration.h"
#include "scheduler/framework/plugin_table.h"

namespace schedlens {
namespace {

using sim::core::Configuration;
using sim::core::ExtenderConfiguration;
using sim::core::ExtensionPoint;
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

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

Message Describe(const ExtenderConfiguration& extender, const std::string& verbs) {
  Message text("configuration.extender",
               {{"url", HideSecretsOfUrl(extender.url_prefix)},
                {"verbs", verbs},
                {"timeout", arg::Duration(extender.http_timeout_seconds)}});
  std::vector<std::string> resources;
  for (const auto& resource : extender.managed_resources) resources.push_back(resource.name);
  if (!resources.empty()) text.args.push_back({"resources", Join(resources)});
  const bool nodes = !extender.node_cache_capable;
  if (!resources.empty()) text.id += nodes ? ".resources_and_nodes" : ".resources";
  if (resources.empty() && nodes) text.id += ".nodes";
  return text;
}

std::string LoopVerbs(const ExtenderConfiguration& extender) {
  std::vector<std::string> verbs;
  if (!extender.filter_verb.empty()) verbs.push_back("filterVerb " + extender.filter_verb);
  if (!extender.prioritize_verb.empty()) {
    verbs.push_back("prioritizeVerb " + extender.prioritize_verb);
  }
  return Join(verbs);
}

std::string BindVerb(const ExtenderConfiguration& extender) {
  return extender.bind_verb.empty() ? "" : "bindVerb " + extender.bind_verb;
}

/// The extenders that have such a verb; empty when none has.
std::vector<Message> Extenders(const Configuration& configuration,
                               std::string (*verbs)(const ExtenderConfiguration&)) {
  std::vector<Message> found;
  for (const ExtenderConfiguration& extender : configuration.extenders) {
    const std::string text = verbs(extender);
    if (!text.empty()) found.push_back(Describe(extender, text));
  }
  return found;
}

std::string PluginsAt(const Configuration& configuration, ExtensionPoint point) {
  std::vector<std::string> names;
  for (const auto& profile : configuration.profiles) {
    for (const auto& plugin : profile.At(point)) {
      if (std::find(names.begin(), names.end(), plugin.name) == names.end()) {
        names.push_back(plugin.name);
      }
    }
  }
  return Join(names);
}

Message ClientLimit(const Configuration& configuration) {
  return Message("configuration.client_limit", {{"qps", arg::Number(configuration.client_qps)},
                                                {"burst", arg::Count(configuration.client_burst)}});
}

Message NodesToScore(const Configuration& configuration) {
  const int percentage = configuration.percentage_of_nodes_to_score;
  Message text("configuration.nodes_to_score.adaptive",
               {{"parallelism", arg::Count(configuration.parallelism)}});
  if (percentage != 0) {
    text.id = "configuration.nodes_to_score";
    text.args.push_back({"percentage", arg::Count(percentage)});
  }
  return text;
}

Message Plugins(const Configuration& configuration, ExtensionPoint point) {
  const std::string plugins = PluginsAt(configuration, point);
  Message text("configuration.no_plugins", {{"point", std::string(kube::ToString(point))}});
  if (!plugins.empty()) {
    text.id = "configuration.plugins";
    text.args.push_back({"plugins", plugins});
  }
  return text;
}

/// What a configuration says about a finding; an empty list rules it out. Nothing where it says
/// nothing of such. `looked_up`: the finding's first step was to look it up in the file.
std::optional<std::vector<Message>> SaysOf(const std::string& finding,
                                           const Configuration& configuration, bool* looked_up) {
  *looked_up = true;
  if (finding == "bind.extender") return Extenders(configuration, BindVerb);
  if (finding == "algorithm.extender") return Extenders(configuration, LoopVerbs);
  if (finding == "bind.client-throttling") return std::vector{ClientLimit(configuration)};
  *looked_up = false;
  if (finding == ToString(kube::Stage::kFilter) || finding == ToString(kube::Stage::kScore)) {
    return std::vector{NodesToScore(configuration)};
  }
  constexpr std::pair<std::string_view, ExtensionPoint> kPluginsOf[] = {
      {ToString(kube::Stage::kReserve), ExtensionPoint::kReserve},
      {"permit.wait", ExtensionPoint::kPermit},
      {ToString(kube::Stage::kPreBind), ExtensionPoint::kPreBind},
      {"prebind.volume", ExtensionPoint::kPreBind}};
  for (const auto& [id, point] : kPluginsOf) {
    if (finding == id) return std::vector{Plugins(configuration, point)};
  }
  return std::nullopt;
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

Diagnosis WithConfiguration(Diagnosis diagnosis, std::string_view text, const std::string& name) {
  sim::core::FoundInFile found;
  const Configuration configuration = ReadAsFound(text, name, diagnosis, &found);
  for (const sim::core::OutOfTreePlugin& plugin : found.out_of_tree) {
    Message warning("configuration.out_of_tree", {{"file", name}, {"plugin", plugin.name}});
    if (plugin.other_release) {
      warning.id = "configuration.out_of_tree.release";
      warning.args.push_back({"release", configuration.release.ToString()});
    } else if (sim::core::IsUnplayed(plugin.name, configuration.release.minor)) {
      warning.id = "configuration.unplayed";
    } else if (!plugin.close.empty()) {
      warning.id = "configuration.out_of_tree.close";
      warning.args.push_back({"meant", plugin.close});
    }
    diagnosis.warnings.push_back(std::move(warning));
  }
  for (Message& remark : RemarksOn(found, configuration)) {
    diagnosis.warnings.push_back(std::move(remark));
  }
  std::vector<Finding> findings;
  for (Finding& finding : diagnosis.findings) {
    bool looked_up = false;
    auto says = SaysOf(finding.id, configuration, &looked_up);
    const std::vector<Argument> both = {{"file", name}, {"finding", finding.id}};
    if (says && !says->empty()) {
      finding.evidence.push_back(
          {Message("configuration.says", {{"file", name}, {"what", std::move(*says)}}), ""});
      std::erase_if(finding.next_steps, [&](const NextStep& step) {
        return looked_up && step.text.id == "finding." + finding.id + ".step.1";
      });
    } else if (says && finding.confidence != Confidence::kCertain) {
      diagnosis.warnings.emplace_back("configuration.rules_out", both);
      continue;
    } else if (says) {
      diagnosis.warnings.emplace_back("configuration.contradicts", both);
    }
    findings.push_back(std::move(finding));
  }
  diagnosis.findings = std::move(findings);
  return diagnosis;
}

}  // namespace schedlens
