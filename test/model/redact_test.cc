#include "model/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::Not;

Exposition Parse(const std::string& text) { return ParseExposition(text, "f", 1000); }

TEST(Redacted, HidesNamesConsistentlyAndKeepsWords) {
  const Exposition redacted =
      Redacted(Parse("# recorded from http://ip-10-0-0-1.internal:10259/metrics\n"
                     "up{instance=\"ip-10-0-0-1.internal:10259\",job=\"kube-scheduler\",pod=\"kube-"
                     "scheduler-0\"} 1\n"
                     "x{node=\"ip-10-0-0-1.internal\",le=\"0.5\",result=\"scheduled\"} 1\n"
                     "r{url=\"https://ip-10-0-0-1.internal:6443/api/"
                     "v1\",exported_pod=\"kube-scheduler-0\"} 1\n"),
               "salt");
  const std::string node(redacted.series[1].labels.Get("node"));
  const std::string pod(redacted.series[0].labels.Get("pod"));
  EXPECT_THAT(node, testing::MatchesRegex("n-[0-9a-f]{16}"));
  EXPECT_NE(node, pod);
  EXPECT_EQ(redacted.series[0].labels.Get("instance"), node + ":10259");
  EXPECT_EQ(redacted.series[0].labels.Get("job"), "kube-scheduler");
  EXPECT_EQ(redacted.series[1].labels.Get("le"), "0.5");
  EXPECT_EQ(redacted.series[1].labels.Get("result"), "scheduled");
  EXPECT_EQ(redacted.series[2].labels.Get("url"), "https://" + node + ":6443/api/v1");
  EXPECT_EQ(redacted.series[2].labels.Get("exported_pod"), pod);
  EXPECT_EQ(redacted.comments[0], "recorded from http://" + node + ":10259/metrics");
  EXPECT_THAT(WriteOpenMetrics(redacted), Not(HasSubstr("ip-10-0-0-1")));
}

TEST(Redacted, TheSaltDecidesTheCodes) {
  const Exposition plain = Parse("up{pod=\"a\"} 1\n");
  const auto code = [&](std::string_view salt) {
    return std::string(Redacted(plain, salt).series[0].labels.Get("pod"));
  };
  EXPECT_EQ(code("one"), code("one"));
  EXPECT_NE(code("one"), code("two"));
  EXPECT_NE(RandomSalt(), RandomSalt());
}

TEST(Redacted, AddressesOfEveryKindKeepTheirPort) {
  for (const std::string host : {"10.0.0.1", "[fd00::1]", "node-1"}) {
    const Exposition e = Redacted(
        Parse("r{instance=\"" + host + ":10259\",url=\"http://" + host + ":1/\"} 1\n"), "s");
    const std::string instance(e.series[0].labels.Get("instance"));
    EXPECT_TRUE(instance.ends_with(":10259")) << host;
    EXPECT_EQ(e.series[0].labels.Get("url"), "http://" + instance.substr(0, 18) + ":1/") << host;
  }
  const Exposition bare = Redacted(Parse("r{instance=\"fd00::1\"} 1\n"), "s");
  EXPECT_EQ(bare.series[0].labels.Get("instance").size(), 18u);
}

TEST(Redacted, ARealRecordingKeepsItsSeriesAndSamples) {
  const Exposition plain = ReadExposition(
      std::string(SCHEDLENS_TEST_DATA) + "/captures/restart-and-two-replicas-A.om.gz",
      std::nullopt);
  const Exposition redacted = Redacted(plain, "s");
  std::set<Labels> distinct;
  ASSERT_EQ(redacted.series.size(), plain.series.size());
  for (std::size_t i = 0; i < plain.series.size(); ++i) {
    distinct.insert(redacted.series[i].labels);
    EXPECT_EQ(redacted.series[i].samples.size(), plain.series[i].samples.size());
  }
  EXPECT_EQ(distinct.size(), plain.series.size()) << "no two series may become one";
  EXPECT_THAT(WriteOpenMetrics(redacted), Not(HasSubstr("127.0.0.1")));
}

}  // namespace
}  // namespace schedlens
