#include "messages/catalog.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::string Write(const std::string& text, std::vector<Argument> args) {
  return Catalog("list.pair = {first}; {second}\nx = " + text).Write(Message("x", std::move(args)));
}

TEST(CatalogTest, FormatsArgumentsByTheirTypes) {
  EXPECT_EQ(Write("{a} is {b}", {{"b", "two"}, {"a", "one"}}), "one is two");
  EXPECT_EQ(Write("{n} of {m:.0f}", {{"n", arg::Count(0.1)}, {"m", arg::Count(1234)}}),
            "0.1 of 1234");
  EXPECT_EQ(Write("{s:.2f} s, {s:ms.1f} ms", {{"s", arg::Duration(0.0125)}}), "0.01 s, 12.5 ms");
  EXPECT_EQ(Write("{p:%.1f} %", {{"p", arg::Share(0.912)}}), "91.2 %");
  EXPECT_EQ(Write("{s:us.0f} us", {{"s", arg::Duration(0.000012)}}), "12 us");
  EXPECT_EQ(Write("every {s:hms}", {{"s", arg::Duration(90.015)}}), "every 1m30s15ms");
  EXPECT_EQ(Write("{s:hms}", {{"s", arg::Duration(-300)}}), "-5m");
  EXPECT_EQ(Write("{s:hms}", {{"s", arg::Duration(1e300)}}), "1e+300");
  EXPECT_EQ(Write("{n}, {s:.2f}", {{"n", arg::Count(NAN)}, {"s", arg::Duration(NAN)}}), "—, —");
  EXPECT_EQ(Write("{s:ms.1f}", {{"s", arg::Duration(HUGE_VAL)}}), "+Inf");
  EXPECT_EQ(Write("at {t}", {{"t", arg::Time(1'763'719'200'000)}}), "at 2025-11-21T10:00:00Z");
}

TEST(CatalogTest, ChoosesTheWordForOne) {
  EXPECT_EQ(Write("{n} {n?scrape|scrapes}", {{"n", arg::Count(1)}}), "1 scrape");
  EXPECT_EQ(Write("{n} {n?scrape|scrapes}", {{"n", arg::Count(2)}}), "2 scrapes");
}

TEST(CatalogTest, PutsMessagesIntoMessages) {
  const Catalog catalog("list.pair = {first}; {second}\na = <{list}>\nb = {n}");
  const auto b = [](int n) { return Message("b", {{"n", arg::Count(n)}}); };
  EXPECT_EQ(catalog.Write(Message("a", {{"list", b(1)}})), "<1>");
  EXPECT_EQ(catalog.Write(Message("a", {{"list", std::vector<Message>{b(1), b(2), b(3)}}})),
            "<1; 2; 3>");
}

TEST(CatalogTest, PutsWhatTheTextSaysBetweenEntries) {
  const auto b = [](const char* word) { return Verbatim(word); };
  const Catalog catalog("verbatim = {text}\na = <{list:list, }>\nz = {list:list、}");
  const Value list(std::vector<Message>{b("x"), b("y"), b("z")});
  EXPECT_EQ(catalog.Write(Message("a", {{"list", list}})), "<x, y, z>");
  EXPECT_EQ(catalog.Write(Message("z", {{"list", list}})), "x、y、z");
  EXPECT_EQ(catalog.Write(Message("a", {{"list", std::vector<Message>{}}})), "<>");
}

TEST(CatalogTest, PutsAMessageIntoTheMiddleOfASentence) {
  const Catalog catalog("a = Likely: {title:l}\nb = The end\nc = 慢\nd = `A`");
  const auto with = [&](const char* id) {
    return catalog.Write(Message("a", {{"title", Message(id)}}));
  };
  EXPECT_EQ(with("b"), "Likely: the end");
  EXPECT_EQ(with("c"), "Likely: 慢");
  EXPECT_EQ(with("d"), "Likely: `A`");
}

TEST(CatalogTest, LeavesOtherBracesAlone) {
  EXPECT_EQ(Write("x{verb=\"POST\"} EP{Bind} \\{name}", {}), "x{verb=\"POST\"} EP{Bind} {name}");
  EXPECT_EQ(Write("{a}", {{"a", "{b} %s"}}), "{b} %s");
  EXPECT_EQ(Write(";\\s", {}), "; ");
}

TEST(CatalogTest, SetsASpaceBetweenALatinWordAndACharacter) {
  EXPECT_EQ(Write("{a}很慢", {{"a", "Bind"}}), "Bind 很慢");
  EXPECT_EQ(Write("{a}，很慢", {{"a", "Bind"}}), "Bind，很慢");
}

TEST(CatalogTest, RefusesWhatItCannotWrite) {
  EXPECT_THROW(Write("{a}", {}), Error);
  EXPECT_THROW(Catalog("x = y").Write(Message("z")), Error);
  EXPECT_EQ(Catalog("x = y").Write({}), "");
  EXPECT_THROW(Catalog("x = y\nx = z"), Error);
  EXPECT_THROW(Catalog("no equals sign"), Error);
  EXPECT_THROW(Catalog::Of("de"), Error);
}

}  // namespace
}  // namespace schedlens
