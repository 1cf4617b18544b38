#include <gtest/gtest.h>

#include "source/capture/capture_formats.h"

namespace schedlens {
namespace {

TEST(ExportFile, ReadsAnObjectALine) {
  EXPECT_EQ(
      ReadAs(
          R"({"metric":{"__name__":"x","a":"b"},"values":[1,2.5,null],"timestamps":[1,2,3]})"
          "\n"
          R"({"metric":{"__name__":"x","a":"b"},"values":["Infinity"],"timestamps":[4],"more":[{}]})"
          "\n"),
      "x{a=\"b\"} 1@1 2.5@2 stale@3 +Inf@4\n");
}

TEST(ExportFile, NamesTheObjectThatCannotBeRead) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"metric":{"a":"b"},"values":[1,2],"timestamps":[1]})", "2 values and 1 timestamps"},
      {R"({"metric":{},"values":[1],"timestamps":[1]})", "an object without metric"},
      {R"({"metric":{"a":"b"},"values":[true],"timestamps":[1]})", "an unexpected true"},
      {R"({"metric":{"a":"b"},"values":["x"],"timestamps":[1]})", "the value \"x\""},
      {R"({"metric":{"a":"b"},"values":[1],"timestamps":[1.5]})", "the timestamp \"1.5\""},
      {R"({"metric":{"a":["b"]},"values":[1],"timestamps":[1]})", "an unexpected list or object"},
      {R"({"metric":"x","values":[1],"timestamps":[1]})", "an unexpected value"}};
  for (const auto& [text, why] : cases) {
    EXPECT_EQ(
        ReadAs(text),
        "error: reading F: object 1, from byte 0 on: not an export of VictoriaMetrics: " + why);
  }
}

}  // namespace
}  // namespace schedlens
