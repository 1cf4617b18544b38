#include "verify/placements.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include "base/file.h"
#include "schedlens/error.h"
#include "scheduler/cluster/objects_json.h"
#include "verify/attempt_check.h"
#include "verify/recording.h"
#include "verify/replayed_cluster.h"

namespace schedlens::verify {
namespace {

using sim::Release;

// The release that the nearest folder on the way to the set is named after, as in `1.26.4/taints`.
std::optional<Release> ReleaseOfFolder(const std::string& directory) {
  namespace fs = std::filesystem;
  for (fs::path at = fs::absolute(directory).lexically_normal(); at.has_relative_path();
       at = at.parent_path()) {
    try {
      return Release::Parse(at.filename().string());
    } catch (const Error&) {
      continue;  // a folder of another name
    }
  }
  return std::nullopt;
}

// v1beta1 was read from 1.19 to 1.22: what the decisions name tells more.
Release TellRelease(const core::Configuration& configuration, std::string_view decisions,
                    const std::string& file) {
  if (configuration.api_version == "v1") {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: apiVersion v1 does not tell the release, nor does the name of a "
                            "folder (1.26.4/...); give --kubernetes-version 1.N",
                            file));
  }
  if (configuration.api_version != "v1beta1") return configuration.release;
  const bool own_scores =
      decisions.find("\"NodeResourcesLeastAllocated\"") != std::string_view::npos;
  const bool shortcut = decisions.find("\"nominatedNodeShortcut\":true") != std::string_view::npos;
  return Release{shortcut && !own_scores ? 22 : 20};
}

void ReplayLine(const RecordedLine& line, ReplayedCluster& cluster, AttemptCheck& check,
                SetReport& report) {
  if (const auto* event = std::get_if<RecordedEvent>(&line.what)) {
    cluster.Apply(*event);
    return;
  }
  const auto& attempt = std::get<RecordedAttempt>(line.what);
  const core::PodId pod = cluster.StartAttempt(attempt);
  if (attempt.state_differs) {
    ++report.skipped;
  } else {
    ++report.attempts;
    report.log.StartAttempt(line.seq, attempt.pod_name, attempt.attempt);
    check.Check(attempt, pod);
  }
  cluster.EndAttempt(attempt, pod);
}

}  // namespace

SetReport ReplaySet(const std::string& directory, std::string_view kubernetes_version) {
  const std::filesystem::path folder(directory);
  const std::string decisions = ReadDecisions(directory);
  const std::string config_file = (folder / "config.yaml").string();
  const std::string config = ReadFile(config_file);
  std::optional<Release> release =
      kubernetes_version.empty() ? ReleaseOfFolder(directory) : Release::Parse(kubernetes_version);
  core::Configuration configuration = core::ReadConfiguration(config, config_file, release);
  if (!release) {
    release = TellRelease(configuration, decisions, config_file);
    configuration = core::ReadConfiguration(config, config_file, release);
  }

  SetReport report;
  report.directory = directory;
  report.kubernetes_version = fmt::format("1.{}", release->minor);
  if (decisions.find("\"resourceClaims\":") != std::string::npos) {
    report.not_modelled = "resourceClaims";
    return report;
  }
  core::Cluster objects(*release, std::make_shared<core::Strings>());
  const std::string cluster_file = (folder / "cluster.json").string();
  report.ignored =
      core::LoadObjects(ReadOfSet(directory, "cluster.json"), cluster_file, objects).ignored_fields;
  ReplayedCluster cluster(*release, objects);
  AttemptCheck check(cluster, configuration, report.log);
  std::size_t begin = 0;
  for (int number = 1; begin < decisions.size(); ++number) {
    const std::size_t end = std::min(decisions.find('\n', begin), decisions.size());
    const std::string_view text = std::string_view(decisions).substr(begin, end - begin);
    begin = end + 1;
    if (text.empty()) continue;
    try {
      ReplayLine(ReadRecordedLine(text), cluster, check, report);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{}: decisions, line {}: {}", directory, number, error.what()));
    }
  }
  for (const auto& [what, count] : cluster.ignored()) report.ignored[what] += count;
  if (report.attempts == 0) {
    throw Error(ErrorKind::kInsufficientData,
                fmt::format("{}: no attempt to compare in the decisions", directory));
  }
  return report;
}

std::vector<SetReport> ReplaySets(const std::string& directory,
                                  std::string_view kubernetes_version) {
  std::vector<SetReport> out;
  for (const std::string& set : FindSets(directory)) {
    out.push_back(ReplaySet(set, kubernetes_version));
  }
  return out;
}

}  // namespace schedlens::verify
