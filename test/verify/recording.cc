#include "verify/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "schedlens/error.h"
#include "verify/recorded_json.h"

namespace schedlens::verify {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kDecisions = "decisions.jsonl";
constexpr std::string_view kByScheduler = "True PreemptionByScheduler";

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list) out.push_back(item.get<std::string>());
  return out;
}

RecordedRejection ReadRejection(const Json& json) {
  return {json.at("plugin").get<std::string>(), json.at("code").get<std::string>(),
          Texts(json.at("reasons"))};
}

RecordedNode ReadNode(const Json& json) {
  RecordedNode node;
  node.name = json.at("node").get<std::string>();
  node.pods = json.at("pods").get<std::int64_t>();
  node.requested = json.at("requested").dump();
  node.nonzero = json.at("nonzero").dump();
  if (json.contains("scalar")) {
    for (const auto& item : json["scalar"].items()) {
      if (item.value() != 0) node.scalars.push_back(item.key() + "=" + item.value().dump());
    }
  }
  node.verdict = json.at("verdict").get<std::string>();
  if (json.contains("fail")) node.fail = ReadRejection(json["fail"]);
  if (json.contains("failedPass")) node.failed_pass = json["failedPass"].get<std::int64_t>();
  node.nominated_pods = json.value("nominatedPodsConsidered", false);
  if (json.contains("alsoFailing")) {
    for (const Json& item : json["alsoFailing"]) node.also_failing.push_back(ReadRejection(item));
  }
  node.scored = json.contains("raw");
  if (node.scored) {
    node.raw = json["raw"].get<std::vector<std::int64_t>>();
    node.norm = json.at("norm").get<std::vector<std::int64_t>>();
    node.total = json.at("total").get<std::int64_t>();
  }
  return node;
}

RecordedPreemption ReadPreemption(const Json& json) {
  RecordedPreemption out;
  out.eligible = json.at("eligible").get<bool>();
  if (json.contains("message")) out.message = json["message"].get<std::string>();
  if (json.contains("notEligible")) out.not_eligible = json["notEligible"].get<std::string>();
  out.code = json.value("code", "");
  out.nominated_node = json.value("nominatedNode", "");
  if (json.contains("potentialNodes")) out.potential_nodes = Texts(json["potentialNodes"]);
  if (json.contains("candidates")) {
    for (const Json& item : json["candidates"]) {
      out.candidates.push_back({item.at("node").get<std::string>(), Texts(item.at("victims")),
                                item.at("pdbViolations").get<std::int64_t>()});
    }
  }
  return out;
}

RecordedAttempt ReadAttempt(const Json& json) {
  RecordedAttempt out;
  out.pod_name = json.at("podName").get<std::string>();
  out.attempt = json.value("attempt", std::int64_t{0});
  out.pod = json.at("pod").dump();
  out.state_differs = json.value("stateDiffers", false);
  out.result = json.at("result").get<std::string>();
  out.node = json.at("node").get<std::string>();
  if (json.contains("preFilterFail")) out.prefilter_fail = ReadRejection(json["preFilterFail"]);
  if (json.contains("preFilterNodes")) out.prefilter_nodes = Texts(json["preFilterNodes"]);
  out.nominated_shortcut = json.value("nominatedNodeShortcut", false);
  out.node_hint = json.value("nodeHint", "");
  out.hint_shortcut = json.value("nodeHintShortcut", false);
  out.arrived_ms = json.value("arrivedMs", 0.0);
  out.feasible_nodes = json.at("feasibleNodes").get<std::int64_t>();
  out.evaluated_nodes = json.at("evaluatedNodes").get<std::int64_t>();
  for (const Json& node : json.at("nodes")) out.nodes.push_back(ReadNode(node));
  if (json.contains("scorePlugins")) {
    out.score_plugins.emplace();
    for (const Json& plugin : json["scorePlugins"]) {
      out.score_plugins->push_back({plugin.at("name").get<std::string>(),
                                    plugin.at("weight").get<std::int64_t>(),
                                    plugin.at("normalizes").get<bool>()});
    }
    out.top_score = json.at("topScore").get<std::int64_t>();
    out.tied = Texts(json.at("tied"));
  }
  if (json.contains("postFilter")) out.preemption = ReadPreemption(json["postFilter"]);
  if (json.contains("message")) out.message = json["message"].get<std::string>();
  return out;
}

RecordedEvent ReadEvent(const Json& json) {
  using Kind = RecordedEvent::Kind;
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"objectPut", Kind::kObjectPut},
      {"podAdded", Kind::kPodAdded},
      {"podPending", Kind::kPodPending},
      {"podUpdated", Kind::kPodUpdated},
      {"bound", Kind::kBound},
      {"podDeleted", Kind::kPodDeleted},
      {"podTerminating", Kind::kPodTerminating},
      {"podNominated", Kind::kPodNominated}};
  const std::string name = json.at("event").get<std::string>();
  const auto* row = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const auto& kind) { return kind.first == name; });
  if (row == std::end(kKinds)) {
    throw Error(ErrorKind::kFailed, fmt::format("unknown event `{}`", name));
  }
  RecordedEvent out;
  out.kind = row->second;
  if (json.contains("object")) {
    out.object = json.at("object").dump();
    return out;
  }
  out.pod = json.at("pod").get<std::string>();
  out.preempted = json.value("disruptionTarget", std::string(kByScheduler)) == kByScheduler;
  if (out.kind == Kind::kBound) out.start_time = json.at("startTime").get<std::string>();
  if (out.kind == Kind::kPodNominated) {
    out.nominated_node = json.at("nominatedNodeName").get<std::string>();
  }
  return out;
}

// A file of a set, or its packed twin; empty if neither is there.
std::string FileIn(const fs::path& directory, const std::string& name) {
  for (const std::string& file : {name + ".gz", name}) {
    const fs::path path = directory / file;
    if (fs::exists(path)) return path.string();
  }
  return "";
}

}  // namespace

RecordedLine ReadRecordedLine(std::string_view text) {
  try {
    const Json json = ParseRecorded(text);
    RecordedLine line;
    line.seq = json.value("seq", std::int64_t{0});
    if (json.at("kind") == "event") {
      line.what = ReadEvent(json);
    } else {
      line.what = ReadAttempt(json);
    }
    return line;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kFailed, error.what());
  }
}

std::vector<std::string> FindSets(const std::string& directory) {
  if (!fs::is_directory(directory)) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: no such folder", directory));
  }
  if (!FileIn(directory, kDecisions).empty()) return {directory};
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory() && !FileIn(entry.path(), kDecisions).empty()) {
      out.push_back(entry.path().string());
    }
  }
  if (out.empty()) {
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: no set found; a set is a folder with cluster.json, config.yaml "
                            "and decisions.jsonl.gz",
                            directory));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string ReadDecisions(const std::string& directory) { return ReadOfSet(directory, kDecisions); }

std::string ReadOfSet(const std::string& directory, const std::string& name) {
  const std::string path = FileIn(directory, name);
  if (path.empty()) throw Error(ErrorKind::kFailed, fmt::format("{}: no {}", directory, name));
  const auto source = OpenByteSource(path, path);
  std::string out(std::size_t{1} << 20, '\0');
  std::size_t size = 0;
  while (const std::size_t n = source->Read(out.data() + size, out.size() - size)) {
    size += n;
    if (size == out.size()) out.resize(2 * size);
  }
  out.resize(size);
  return out;
}

}  // namespace schedlens::verify
