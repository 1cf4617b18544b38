#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.h"
#include "cli/parse.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Values {
  std::string prometheus, capture;
  std::vector<std::string> headers;
  int concurrency = 6;
  bool ascii = false;
};

/// What a command sees after these arguments and settings.
Values Apply(const std::vector<std::string>& arguments, const std::vector<ConfigEntry>& settings) {
  Values values;
  const Program program =
      ProgramOf({OptionOf("--prometheus,--url", "URL", &values.prometheus),
                 OptionOf("--capture", "FILE", &values.capture, {.excludes = {"--prometheus"}}),
                 OptionOf("--header", "HEADER", &values.headers),
                 OptionOf("--concurrency", "N", &values.concurrency, {.range = {{1, 64}}}),
                 OptionOf("--ascii", "", &values.ascii)});
  CommandLine line(program);
  std::vector<const char*> argv = {"schedlens", "diagnose"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  line.Parse({argv.begin(), argv.end()});
  ApplySettings(settings, &line);
  return values;
}

TEST(Settings, FillWhatWasNotTyped) {
  const std::vector<ConfigEntry> settings = {{"", "url", {"http://s"}, "f:1"},
                                             {"", "header", {"A: 1", "B: 2"}, "f:2"},
                                             {"", "concurrency", {"9"}, "f:3"},
                                             {"", "ascii", {"true"}, "f:4"}};
  const Values options = Apply({"--concurrency", "2"}, settings);
  EXPECT_EQ(options.prometheus, "http://s");
  EXPECT_THAT(options.headers, ElementsAre("A: 1", "B: 2"));
  EXPECT_EQ(options.concurrency, 2);
  EXPECT_TRUE(options.ascii);
}

TEST(Settings, TheFirstOfTwoIsTheStronger) {
  EXPECT_EQ(
      Apply({}, {{"", "url", {"http://env"}, "e"}, {"", "url", {"http://file"}, "f"}}).prometheus,
      "http://env");
}

TEST(Settings, OneForThisCommandGoesBeforeOneForAll) {
  EXPECT_EQ(
      Apply({}, {{"", "url", {"http://all"}, "f:1"}, {"diagnose", "url", {"http://mine"}, "f:2"}})
          .prometheus,
      "http://mine");
  EXPECT_EQ(Apply({}, {{"query", "url", {"http://other"}, "f:2"}}).prometheus, "");
}

TEST(Settings, AStrongerPlaceGoesBeforeOneForThisCommand) {
  EXPECT_EQ(Apply({}, {{"", "url", {"http://user"}, "f:1", 1},
                       {"diagnose", "url", {"http://etc"}, "g:2", 2}})
                .prometheus,
            "http://user");
}

TEST(Settings, AServerFromAFileGivesWayToATypedCapture) {
  const Values options = Apply({"--capture", "c.om"}, {{"", "url", {"http://s"}, "f:1"}});
  EXPECT_EQ(options.capture, "c.om");
  EXPECT_EQ(options.prometheus, "");
}

TEST(Settings, OfTwoThatExcludeEachOtherTheStrongerOneStays) {
  const Values options =
      Apply({}, {{"", "prometheus", {"http://env"}, "e"}, {"", "capture", {"c.om"}, "f:1", 1}});
  EXPECT_EQ(options.prometheus, "http://env");
  EXPECT_EQ(options.capture, "");
}

TEST(Settings, ARefusedValueNamesItsOrigin) {
  try {
    Apply({}, {{"", "concurrency", {"lots"}, "c.yaml:7"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), testing::StartsWith("c.yaml:7: "));
  }
}

TEST(Settings, ShowMasksWhatMayBeSecret) {
  std::ostringstream out;
  ShowSettings({{"", "url", {"http://me:pw@host:1/x"}, "a"},
                {"", "header", {"Authorization: Bearer abc"}, "b"},
                {"diagnose", "baseline", {"off"}, "c"}},
               out);
  EXPECT_EQ(out.str(),
            "url: http://<secret>@host:1/x  # a\n"
            "header: Authorization: <secret>  # b\n"
            "diagnose.baseline: off  # c\n");
}

// The real binary, from the environment and a file of its own.

TEST(Settings, ShowConfigPrintsWhatIsInForceAndWhereFrom) {
  const TempDir dir;
  const std::string file = dir.Write("c.yaml", "color: never\nheader: 'X-Token: abc'\n");
  const Finished finished =
      RunBinary({"--show-config"}, "", {"SCHEDLENS_CONFIG=" + file, "PROMETHEUS_URL=http://p"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.out.find("abc"), std::string::npos);
  EXPECT_THAT(finished.out, HasSubstr("prometheus: http://p  # environment PROMETHEUS_URL\n"));
  EXPECT_THAT(finished.out, HasSubstr("color: never  # " + file + ":1\n"));
}

TEST(Settings, AFileGivesWhatACommandRequires) {
  const TempDir dir;
  const std::string file = dir.Write("c.yaml", "capture: {out: " + (dir / "x.om") + "}\n");
  const Finished given = RunBinary({"capture"}, "", {"SCHEDLENS_CONFIG=" + file});
  EXPECT_THAT(given.err, HasSubstr("no source"));
  const Finished not_given = RunBinary({"capture"}, "", {});
  EXPECT_EQ(not_given.code, 2);
  EXPECT_THAT(not_given.err, HasSubstr("--out is required."));
}

TEST(Settings, AMistypedNameInAFileIsAUsageErrorWithTheNearest) {
  const TempDir dir;
  const std::string file = dir.Write("c.yaml", "colour: never\n");
  const Finished finished = RunBinary({"explain", "quantile"}, "", {"SCHEDLENS_CONFIG=" + file});
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.err,
            "schedlens: " + file + ":1: unknown setting colour; did you mean color?\n");
}

TEST(Settings, AMistypedCommandInAFileIsAUsageError) {
  const TempDir dir;
  const std::string file = dir.Write("c.yaml", "reprot: {color: never}\n");
  const Finished finished = RunBinary({"explain", "quantile"}, "", {"SCHEDLENS_CONFIG=" + file});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("no command is named reprot; did you mean report?"));
}

TEST(Settings, AMissingFileOfTheEnvironmentIsAnError) {
  const Finished finished =
      RunBinary({"explain", "quantile"}, "", {"SCHEDLENS_CONFIG=/nonexistent/c"});
  EXPECT_NE(finished.code, 0);
  EXPECT_THAT(finished.err, HasSubstr("/nonexistent/c"));
}

}  // namespace
}  // namespace schedlens
