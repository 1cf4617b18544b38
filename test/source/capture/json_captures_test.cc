#include "source/capture/json_captures.h"

#include <gtest/gtest.h>

#include <string>

#include "schedlens/error.h"

namespace schedlens {
namespace {

struct Joined : JsonObjects {
  void Piece(std::string_view piece) override { text += piece; }
  void End() override { text += '|'; }
  std::string text;
};

TEST(JsonDocuments, CutsObjectsApartHoweverTheyArrive) {
  const std::string text = " [ {\"a\":{}} ,{\"}{\":\"\\\"}\"}\n] ";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    Joined joined;
    JsonDocuments documents("F", joined);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      documents.Feed(std::string_view(text).substr(at, piece));
    }
    documents.Finish();
    EXPECT_EQ(joined.text, "{\"a\":{}}|{\"}{\":\"\\\"}\"}|") << piece;
  }
}

TEST(JsonDocuments, RefusesWhatIsNoObject) {
  for (const char* text : {"1", "{}]", "[{}][", ",{}", "{", "[{}", "[[{}]]"}) {
    Joined joined;
    JsonDocuments documents("F", joined);
    EXPECT_THROW(
        {
          documents.Feed(text);
          documents.Finish();
        },
        Error)
        << text;
  }
}

}  // namespace
}  // namespace schedlens
