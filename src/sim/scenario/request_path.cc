#include "sim/scenario/request_path.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace schedlens::sim {
namespace {

void ReadWebhook(Section& section, std::vector<Webhook>* all) {
  const std::string name = section.Text("name", "");
  if (name.empty()) section.Fail(section.node(), "a webhook needs a `name`");
  auto found = std::find_if(all->begin(), all->end(),
                            [&](const Webhook& webhook) { return webhook.name == name; });
  if (found == all->end()) {
    found = all->insert(found, Webhook());
    found->name = name;
  }
  found->resource = section.Text("resource", found->resource);
  found->mutating = section.Flag("mutating", found->mutating);
  found->cost = section.Spread("cost", found->cost);
  found->fail = section.Number("fail", found->fail, 0, 1);
  found->timeout = section.Number("timeout", found->timeout, 0.001, 30);
  const std::string policy = section.Text("policy", found->ignore ? "Ignore" : "Fail");
  if (policy != "Ignore" && policy != "Fail") {
    section.Fail(section.node()["policy"],
                 fmt::format("`policy` is Ignore or Fail, not `{}`", policy));
  }
  found->ignore = policy == "Ignore";
}

void ReadServer(Section server, RequestPath* path) {
  path->on = true;
  path->instances = server.Count("instances", path->instances, 1, 20);
  path->spread = server.Flag("spread", path->spread);
  Section slow = server.Sub("slow_instance");
  path->slow_instance = slow.Count("number", path->slow_instance, 0, 20);
  path->slow_cost = slow.Spread("cost", path->slow_cost);
  slow.Finish();
  server.Each("webhooks", [&](Section& s) { ReadWebhook(s, &path->webhooks); });
  path->admission = server.Spread("admission", path->admission);
  Section flow = server.Sub("flowcontrol");
  path->seats = flow.Count("seats", path->seats, 0, 100'000);
  path->neighbours_rate = flow.Number("neighbours_rate", path->neighbours_rate, 0, 1e5);
  path->neighbours_cost = flow.Spread("neighbours_cost", path->neighbours_cost);
  flow.Finish();
  Section etcd = server.Sub("etcd");
  path->fsync = etcd.Spread("fsync", path->fsync);
  path->etcd_network = etcd.Spread("network", path->etcd_network);
  etcd.Finish();
  Section cpu = server.Sub("cpu");
  path->cores = cpu.Count("cores", path->cores, 0, 1024);
  path->request_cost = cpu.Spread("request_cost", path->request_cost);
  path->readers_rate = cpu.Number("neighbours_rate", path->readers_rate, 0, 1e5);
  path->readers_cost = cpu.Spread("neighbours_cost", path->readers_cost);
  cpu.Finish();
  Section audit = server.Sub("audit");
  path->audit = audit.Spread("cost", path->audit);
  path->audit_blocking = audit.Flag("blocking", path->audit_blocking);
  audit.Finish();
  server.Finish();
}

}  // namespace

bool Webhook::Matches(bool subresource) const {
  if (resource == "*/*" || resource == "pods/*") return true;
  return resource == (subresource ? "pods/binding" : "pods") || (!subresource && resource == "*");
}

void ReadRequestPath(Section& section, RequestPath* path) {
  if (section.Has("apiserver")) {
    ReadServer(section.Sub("apiserver"), path);
  } else {
    section.Find("apiserver");
  }
  if (!section.Has("network")) {
    section.Find("network");
    return;
  }
  if (!path->on) {
    section.Fail(section.node()["network"], "`network` needs `apiserver` beside it");
  }
  Section network = section.Sub("network");
  path->network = network.Spread("delay", path->network);
  network.Finish();
}

}  // namespace schedlens::sim
