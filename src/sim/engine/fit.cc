#include "sim/engine/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "model/json.h"
#include "sim/engine/text_lines.h"

namespace schedlens::sim {
namespace {

using core::Index;

// How many nodes have each reason; a node may have several.
std::map<std::string, std::size_t> CountReasons(const core::AttemptDetail& detail) {
  std::map<std::string, std::size_t> out;
  for (const core::RejectedNodes& group : detail.rejected) {
    for (const std::string& reason : group.reasons) out[reason] += group.nodes.size();
  }
  return out;
}

// Nodes by how many pods each takes, most first.
void PutSpread(Lines& out, const FitResult& fit, bool full) {
  constexpr std::size_t kGroups = 5;
  constexpr std::size_t kNames = 3;
  std::size_t groups = 0;
  for (auto at = fit.by_node.begin(); at != fit.by_node.end();) {
    const auto end = std::find_if(at, fit.by_node.end(),
                                  [&](const auto& node) { return node.second != at->second; });
    if (!full && ++groups > kGroups) {
      out.push_back(fmt::format("          fewer on {} more nodes", fit.by_node.end() - at));
      return;
    }
    std::vector<std::string> names;
    for (auto node = at; node != end; ++node) names.push_back(node->first);
    PutWrapped(out,
               fmt::format("  {:>6}  on {}{}", at->second, names.size() > 1 ? "each of " : "",
                           Some(names, full ? names.size() : kNames)),
               10);
    at = end;
  }
}

}  // namespace

void PutRejected(Lines& out, const core::AttemptDetail& detail,
                 const std::vector<std::string>& names, bool full) {
  constexpr std::size_t kGroups = 5;
  constexpr std::size_t kNames = 3;
  const std::size_t groups =
      full ? detail.rejected.size() : std::min(detail.rejected.size(), kGroups);
  for (std::size_t i = 0; i < groups; ++i) {
    const core::RejectedNodes& group = detail.rejected[i];
    std::vector<std::string> nodes;
    for (const core::NodeId node : group.nodes) nodes.push_back(names[Index(node)]);
    PutWrapped(out,
               fmt::format("  {:>6}  {}: {}", nodes.size(),
                           group.plugin.empty() ? kube::ToString(group.point)
                                                : std::string_view(group.plugin),
                           fmt::join(group.reasons, "; ")),
               10);
    PutWrapped(out, fmt::format("          {}", Some(nodes, full ? nodes.size() : kNames)), 10);
  }
  if (groups < detail.rejected.size()) {
    out.push_back(fmt::format("          {} more reasons", detail.rejected.size() - groups));
  }
}

std::string FitText(const Scenario& scenario, const FitResult& fit, bool full) {
  Lines out;
  const bool most = fit.count >= FitResult::kMost;
  PutWrapped(out,
             fmt::format("{}: {}{} more fit ({}, kube-scheduler {}, {} nodes)", fit.pod,
                         most ? "at least " : "", fit.count, scenario.name,
                         scenario.release.ToString(), fit.next.nodes),
             2);
  PutSpread(out, fit, full);
  if (!most) {
    PutWrapped(out, "The next one: " + fit.next.message, 2);
    PutRejected(out, fit.next, fit.nodes, full);
  }
  if (fit.pending > 0) {
    PutWrapped(out, fmt::format("{} pods that wait for a node were left out.", fit.pending), 2);
  }
  if (!scenario.extenders.empty()) out.emplace_back("Extenders were not asked.");
  return fmt::format("{}\n", fmt::join(out, "\n"));
}

std::string FitJson(const Scenario& scenario, const FitResult& fit) {
  return JsonText::Document(JsonStyle::kDocument,
                            [&](JsonText& json) {
                              json("schema", "schedlens.fit/1");
                              json("scenario", scenario.name);
                              json("kubernetes_version", scenario.release.ToString());
                              json("pod", fit.pod);
                              json("profile", fit.profile);
                              json("count", fit.count);
                              json("limit_reached", fit.count >= FitResult::kMost);
                              json("pending_left_out", fit.pending);
                              json("extenders_asked", false);
                              json.Array("nodes", [&] {
                                for (const auto& [name, count] : fit.by_node) {
                                  json.RowElement([&, n = &name, c = count] {
                                    json("node", *n);
                                    json("count", c);
                                  });
                                }
                              });
                              json.Object("next", [&] {
                                json("message", fit.next.message);
                                json.Array("reasons", [&] {
                                  for (const auto& [reason, nodes] : CountReasons(fit.next)) {
                                    json.RowElement([&, r = &reason, n = nodes] {
                                      json("reason", *r);
                                      json("nodes", n);
                                    });
                                  }
                                });
                                json.Array("rejected", [&] {
                                  for (const core::RejectedNodes& group : fit.next.rejected) {
                                    json.ObjectElement([&] {
                                      json("extension_point", kube::ToString(group.point));
                                      json("plugin", group.plugin);
                                      json("status", core::CodeText(group.code));
                                      json.Array("reasons", [&] {
                                        for (const std::string& reason : group.reasons)
                                          json.Element(reason);
                                      });
                                      json("count", group.nodes.size());
                                      json.Array("nodes", [&] {
                                        for (const core::NodeId node : group.nodes) {
                                          json.Element(fit.nodes[Index(node)]);
                                        }
                                      });
                                    });
                                  }
                                });
                              });
                            }) +
         "\n";
}

}  // namespace schedlens::sim
