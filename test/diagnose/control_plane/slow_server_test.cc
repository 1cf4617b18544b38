#include <gtest/gtest.h>

#include "diagnose/control_plane/cluster.h"
#include "diagnose/control_plane/control_plane_facts.h"

namespace schedlens {
namespace {

using test::kNow;
using Pairs = std::vector<std::pair<std::string, std::string>>;

void AddRequests(test::Cluster* cluster, const std::string& instance, const std::string& verb,
                 double requests, double seconds) {
  const Pairs labels = {{"verb", verb}, {"resource", "pods"}};
  cluster->AddCalls("requests", "apiserver_request_duration_seconds", labels, requests, seconds,
                    seconds, "apiserver", instance);
}

TEST(CompareServersTest, ComparesEachVerbWithItself) {
  test::Cluster cluster;
  // The first one is asked for what takes long everywhere.
  AddRequests(&cluster, "1", "DELETE", 900, 0.5);
  AddRequests(&cluster, "1", "POST", 100, 0.1);
  for (const char* other : {"2", "3"}) {
    AddRequests(&cluster, other, "DELETE", 100, 0.5);
    AddRequests(&cluster, other, "POST", 900, 0.1);
  }
  for (const ServerAgainstOthers& server : CompareServers(cluster.facts(), kNow)) {
    EXPECT_NEAR(server.seconds, server.expected, 1e-6) << server.instance;
    EXPECT_EQ(server.others, 2);
  }
}

TEST(CompareServersTest, TheSlowestAgainstTheOthersComesFirst) {
  test::Cluster cluster;
  for (const char* instance : {"1", "2", "3"}) {
    AddRequests(&cluster, instance, "POST", 500, instance[0] == '2' ? 0.4 : 0.1);
  }
  const auto servers = CompareServers(cluster.facts(), kNow);
  ASSERT_EQ(servers.size(), 3u);
  EXPECT_EQ(servers[0].instance, "2");
  EXPECT_NEAR(servers[0].requests, 450, 1e-6) << "between its scrapes inside the window";
  EXPECT_NEAR(servers[0].seconds / servers[0].requests, 0.4, 1e-9);
  EXPECT_NEAR(servers[0].expected / servers[0].requests, 0.1, 1e-9);
}

TEST(CompareServersTest, OneServerAndFewRequestsAreNotCompared) {
  test::Cluster alone;
  AddRequests(&alone, "1", "POST", 500, 0.1);
  EXPECT_TRUE(CompareServers(alone.facts(), kNow).empty());
  AddRequests(&alone, "2", "POST", 10, 5);
  EXPECT_TRUE(CompareServers(alone.facts(), kNow).empty());
}

}  // namespace
}  // namespace schedlens
