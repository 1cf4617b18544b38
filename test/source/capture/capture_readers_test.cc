#include <gtest/gtest.h>

#include <string>

#include "schedlens/error.h"
#include "source/capture/capture_formats.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

TEST(JsonCaptures, AreCutApartHoweverTheyArrive) {
  const std::string text =
      " [ {\"metric\":{\"}{\":\"\\\"}\"},\"values\":[1],\"timestamps\":[1]} ,"
      "{\"metric\":{\"a\":\"b\"},\"values\":[2],\"timestamps\":[2]}\n] ";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const auto reader = NewExportReader("F");
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader->Feed(std::string_view(text).substr(at, piece));
    }
    const std::vector<Series> series = reader->Finish().series;
    ASSERT_EQ(series.size(), 2u) << piece;
    EXPECT_EQ(series[0].labels.Get("}{"), "\"}") << piece;
    EXPECT_EQ(series[1].samples, (std::vector<Sample>{{2, 2}})) << piece;
  }
}

TEST(JsonCaptures, RefuseWhatIsNoObject) {
  const std::string object = "{\"metric\":{\"a\":\"b\"},\"values\":[],\"timestamps\":[]}";
  for (const std::string& text : {std::string("1"), object + "]", "[" + object + "][", "," + object,
                                  std::string("{"), "[" + object, "[[" + object + "]]"}) {
    const auto reader = NewExportReader("F");
    EXPECT_THROW(
        {
          reader->Feed(text);
          reader->Finish();
        },
        Error)
        << text;
  }
}

TEST(TsdbDump, ReadsSeriesLineByLine) {
  EXPECT_EQ(ReadAs("{__name__=\"x\", a=\"b\"} 1.5 1000\n"
                   "{__name__=\"x\", a=\"b\"} NaN 2000\n"
                   "{__name__=\"x\", a=\"q\\\"\\n\\\\\\x1b}\\u00e9 \"} +Inf 1000\r\n"
                   "{__name__=\"y\"} 1e-07 -5\n"),
            "x{a=\"b\"} 1.5@1000 stale@2000\n"
            "x{a=\"q\\\"\\n\\\\\x1b}\xc3\xa9 \"} +Inf@1000\n"
            "y 1e-07@-5\n");
}

TEST(TsdbDump, CountsMillisecondsHoweverSmall) {
  // The exposition formats would take these for seconds.
  EXPECT_EQ(ReadAs("{__name__=\"x\"} 1 7\n"), "x 1@7\n");
}

TEST(TsdbDump, ReadsNativeHistograms) {
  const Exposition read =
      ParseCapture("{__name__=\"h\"} {count:3, sum:1.5, (0.5,1]:3} 7\n", "F", 0);
  ASSERT_EQ(read.series.size(), 1u);
  EXPECT_EQ(read.series[0].histograms,
            (std::vector<NativeSample>{{7, {3, 1.5, {{0.5, 1, 3, 0}}}}}));
}

TEST(TsdbDump, NamesTheLineThatCannotBeRead) {
  const std::pair<std::string, std::string> cases[] = {
      {"{__name__=\"x\"} 1 7", "line 1 of a TSDB dump: expected a line end (is the file cut off?)"},
      {"{__name__=\"x\"} 1 7\nx 1 7\n",
       "line 2 of a TSDB dump: expected a label set {...}, a value and a time"},
      {"{__name__=\"x\"} one 7\n", "line 1 of a TSDB dump: \"one\" is not a value"},
      {"{__name__=\"x\"} 1 7.5\n", "line 1 of a TSDB dump: \"7.5\" is not a time in milliseconds"},
      {"{__name__=\"x\"} 1\n",
       "line 1 of a TSDB dump: expected a value and a time after the label set"},
      {"{__name__=\"x\" a=\"b\"} 1 7\n",
       "line 1 of a TSDB dump: expected `,` or `}` in the label set"},
      {"{__name__=\"x\", a=b} 1 7\n",
       "line 1 of a TSDB dump: expected name=\"value\" in the label set"},
      {"{__name__=\"x\", a=\"\\q\"} 1 7\n",
       "line 1 of a TSDB dump: a label set that cannot be read"}};
  for (const auto& [text, why] : cases) EXPECT_EQ(ReadAs(text), "error: reading F: " + why);
}

}  // namespace
}  // namespace schedlens
