#include "source/http/json_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// Writes the events down: `{k:"s"1 [w]}`.
class Recorder : public JsonEvents {
 public:
  std::string text, closing;
  void Open(bool object) override {
    text += object ? "{ " : "[ ";
    closing += object ? '}' : ']';
  }
  void Close() override {
    text += std::string(1, closing.back()) + " ";
    closing.pop_back();
  }
  void Key(std::string_view name) override { text += "key=" + std::string(name) + " "; }
  void String(std::string_view value) override { text += "text=" + std::string(value) + " "; }
  void Number(std::string_view number) override { text += std::string(number) + " "; }
  void Word(std::string_view word) override { text += std::string(word) + " "; }
};

std::string Events(const std::string& json, std::size_t piece) {
  Recorder recorder;
  JsonStream stream(recorder);
  for (std::size_t at = 0; at < json.size(); at += piece) stream.Feed(json.substr(at, piece));
  stream.Finish();
  return recorder.text;
}

std::string ErrorOf(const std::string& json, std::size_t piece) {
  try {
    Events(json, piece);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonStream, EventsAreTheSameHoweverTheTextIsCut) {
  struct Case {
    const char* json;
    const char* events;
  };
  for (const Case& c : {
           Case{R"( {"a" : [1, -2.5e+3,"x"] , "b":{}, "c":[ ]} )",
                "{ key=a [ 1 -2.5e+3 text=x ] key=b { } key=c [ ] } "},
           Case{R"(["q\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac\ud83d\ude00"])",
                "[ text=q\"\\/\b\f\n\r\t text=A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 ] "},
           Case{"[true,false,null]", "[ true false null ] "},
           Case{"12.5", "12.5 "},
           Case{"\"\"", "text= "},
           Case{"0", "0 "},
       }) {
    for (std::size_t piece = 1; piece <= std::string(c.json).size(); ++piece) {
      EXPECT_EQ(Events(c.json, piece), c.events) << c.json << " in pieces of " << piece;
    }
  }
}

TEST(JsonStream, WhatIsNotJsonIsRefusedHoweverItIsCut) {
  for (const char* json : {"",
                           " ",
                           "{",
                           "[1",
                           "[1,]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{1:2}",
                           "[1 2]",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "tru",
                           "nul",
                           "truth",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"a\nb\"",
                           "[}",
                           "{]",
                           "]",
                           "1 2",
                           "[]]",
                           "<html>",
                           "{\"a\":1 \"b\":2}",
                           "[,1]",
                           ":",
                           "\x01"}) {
    const std::string text = json;
    for (std::size_t piece = 1; piece <= std::max<std::size_t>(1, text.size()); ++piece) {
      EXPECT_EQ(ErrorOf(text, piece).rfind("not JSON: ", 0), 0u)
          << json << " in pieces of " << piece;
    }
  }
}

TEST(JsonStream, SaysWhere) {
  EXPECT_EQ(ErrorOf("[1,x]", 5), "not JSON: unexpected character at byte 3");
  EXPECT_EQ(ErrorOf("[1,x]", 2), "not JSON: unexpected character at byte 3");
  EXPECT_EQ(ErrorOf("{\"a\":[1,2", 3), "not JSON: the text ends early, after 9 bytes");
}

TEST(JsonStream, NestingHasABound) {
  EXPECT_NE(ErrorOf(std::string(100000, '['), 4096).find("nested too deep"), std::string::npos);
}

TEST(JsonStream, AnEndlessTextIsNotRescannedForEver) {
  EXPECT_NE(ErrorOf("\"" + std::string(std::size_t{6} << 20, 'x'), 65536).find("without end"),
            std::string::npos);
}

TEST(JsonStream, CanStartAgain) {
  Recorder recorder;
  JsonStream stream(recorder);
  stream.Feed("{\"half\": [");
  stream.Reset();
  recorder.text.clear();
  stream.Feed("[1]");
  stream.Finish();
  EXPECT_EQ(recorder.text, "[ 1 ] ");
}

}  // namespace
}  // namespace schedlens
