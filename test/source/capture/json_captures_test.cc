#include <gtest/gtest.h>

#include <string>

#include "schedlens/error.h"
#include "source/capture/capture_file.h"

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

}  // namespace
}  // namespace schedlens
