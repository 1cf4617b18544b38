#include "analysis/neighbours/server_behind.h"

#include <algorithm>

#include "analysis/glossary/glossary.h"
#include "analysis/neighbours/weighed.h"

namespace schedlens {
namespace {

/// As slow as this against the others; what machines differ in is less.
constexpr double kSlower = 2;
constexpr char kId[] = "apiserver.instance";

/// Seconds by which each request took longer than on the others.
double ExcessOf(const ServerAgainstOthers& server) {
  return std::max(0.0, server.seconds - server.expected) / server.requests;
}

double ExcessBefore(const PathEvidence& path, const std::string& instance) {
  for (const ServerAgainstOthers& server : path.servers_before) {
    if (server.instance == instance) return ExcessOf(server);
  }
  return 0;
}

}  // namespace

std::optional<CauseBehind> SlowServerBehind(const PathEvidence& path) {
  const double growth = path.RequestGrowth().value;
  if (path.servers.empty() || !(growth > 0)) return std::nullopt;
  const ServerAgainstOthers& slow = path.servers.front();
  const auto bindings = path.now.servers.find(slow.instance);
  if (bindings == path.now.servers.end()) return std::nullopt;
  const double grown = ExcessOf(slow) - ExcessBefore(path, slow.instance);
  const double weight = grown * bindings->second.bindings.value / growth;
  if (weight < kLikelyWeight || slow.seconds < kSlower * slow.expected) {
    return std::nullopt;
  }
  CauseBehind behind;
  const FindingText& text = TextOfFinding(kId);
  behind.id = kId;
  behind.object = slow.instance;
  behind.title = Message("behind.apiserver.instance", {{"object", slow.instance}});
  behind.confidence = Confidence::kLikely;
  behind.share = MeasuredOf(bindings->second.seconds, path.e2e_seconds, "1");
  behind.evidence.push_back({Message("evidence.behind.instance",
                                     {{"requests", arg::Count(slow.requests)},
                                      {"own", arg::Duration(slow.seconds / slow.requests)},
                                      {"expected", arg::Duration(slow.expected / slow.requests)},
                                      {"others", arg::Count(slow.others)}}),
                             ""});
  behind.next_steps = NextStepsOf(text);
  return behind;
}

}  // namespace schedlens
