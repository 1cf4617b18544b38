// What is looked at in every run sees what it is there to see.

#include "support/invariants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace schedlens::test {
namespace {

using Words = std::vector<std::string>;

/// The one thing that is broken; "" where nothing is.
std::string Broken(const Words& words, int code, const std::string& out,
                   const std::string& err = "") {
  const std::vector<std::string> broken = BrokenInvariants(words, code, out, err);
  EXPECT_LE(broken.size(), 1u) << testing::PrintToString(broken);
  return broken.empty() ? "" : broken[0];
}

TEST(Invariants, SeeWhatATerminalWouldObey) {
  EXPECT_EQ(Broken({"query"}, 0, "a\tb\n\xE2\x96\x88 \xC3\xA9 \xF0\x9F\x98\x80\n"), "");
  EXPECT_EQ(Broken({"query", "--color", "always"}, 0, "\x1b[1;31mred\x1b[0m\n"), "");
  for (const std::string bad : {"\x1b[31mred", "\x07", "\r", "\x7f", "\xC2\x9B", "\xE2\x80\xAE",
                                "\xE2\x81\xA6", "\xFF", "\xC3", "\xED\xA0\x80"}) {
    EXPECT_NE(Broken({"query"}, 0, bad), "") << testing::PrintToString(bad);
    EXPECT_NE(Broken({"query"}, 1, "", bad), "") << testing::PrintToString(bad);
  }
  EXPECT_NE(Broken({"query", "--color", "always"}, 0, "\x1b[2J"), "");
}

TEST(Invariants, SeeExitCodesThatSayNothing) {
  EXPECT_EQ(Broken({"lint", "f"}, 3, "findings"), "");
  EXPECT_EQ(Broken({"diagnose", "--fail-on", "certain"}, 3, "report"), "");
  EXPECT_NE(Broken({"query"}, 3, "x"), "");
  EXPECT_NE(Broken({"query"}, 6, "x"), "");
  EXPECT_NE(Broken({"query"}, 1, ""), "");
}

TEST(Invariants, SeeAnExitCodeAgainstTheVerdict) {
  const std::string incident =
      R"({"schema":"schedlens.diagnosis/1","verdict":"incident","findings":[{"confidence":"likely"}]})";
  const std::string nothing =
      R"({"schema":"schedlens.diagnosis/1","verdict":"insufficient-data","findings":[]})";
  EXPECT_EQ(Broken({"diagnose"}, 0, incident), "");
  EXPECT_EQ(Broken({"diagnose", "--fail-on=likely"}, 3, incident), "");
  EXPECT_EQ(Broken({"diagnose", "--fail-on", "certain"}, 0, incident), "");
  EXPECT_EQ(Broken({"diagnose"}, 5, nothing), "");
  EXPECT_EQ(Broken({"diagnose"}, 0,
                   R"({"schema":"schedlens.diagnoses/1","diagnoses":[)" + nothing + "," + incident +
                       "]}"),
            "");
  EXPECT_NE(Broken({"diagnose", "--fail-on", "likely"}, 0, incident), "");
  EXPECT_NE(Broken({"diagnose", "--fail-on", "certain"}, 3, incident), "");
  EXPECT_NE(Broken({"diagnose"}, 0, nothing), "");
  EXPECT_NE(Broken({"diagnose"}, 5, incident), "");
}

TEST(Invariants, SeeNumbersOutOfOrder) {
  EXPECT_EQ(Broken({"x"}, 0, R"({"a":[{"low":1,"value":2,"high":2.0000000001,"share":1}]})"), "");
  EXPECT_EQ(Broken({"x"}, 0, R"({"pods":{"value":3},"over":{"value":3,"low":null}})"), "");
  for (const char* bad :
       {R"({"low":3,"high":2})", R"({"a":{"low":3,"value":2}})", R"([{"value":3,"high":2}])",
        R"({"share":1.1})", R"({"share":{"value":-0.1}})", R"({"pods":2,"over":{"value":3}})"}) {
    EXPECT_NE(Broken({"x"}, 0, bad), "") << bad;
  }
}

TEST(Invariants, SeeFilesThatAreLeft) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "invariants_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string out = folder / "a.om";
  for (const char* other : {"a.om", "a.om.part", "b.om.AbCd12"}) std::ofstream(folder / other);
  EXPECT_EQ(Broken({"capture", "--out", out}, 0, ""), "");
  for (const char* other : {"a.om.AbCd12", "a.om.1234"}) {
    std::ofstream(folder / other);
    EXPECT_NE(Broken({"capture", "--out", out}, 0, ""), "") << other;
    EXPECT_NE(Broken({"capture", "--out=" + out}, 0, ""), "") << other;
    std::filesystem::remove(folder / other);
  }
  std::filesystem::remove_all(folder);
}

TEST(Invariants, SeeSecretsOfTheCommandLine) {
  const Words url = {"doctor", "--prometheus", "http://u:hunter22@h:9090/"};
  EXPECT_EQ(Broken(url, 1, "", "http://h:9090/ does not answer"), "");
  EXPECT_NE(Broken(url, 1, "", "http://u:hunter22@h:9090/ does not answer"), "");
  const Words header = {"doctor", "--header", "Authorization: Bearer t0ken-x"};
  EXPECT_NE(Broken(header, 0, "sent t0ken-x"), "");
  EXPECT_EQ(Broken({"doctor", "--header", "X-Scope-OrgID: tenant-a"}, 0, "of tenant-a"), "");
}

}  // namespace
}  // namespace schedlens::test
