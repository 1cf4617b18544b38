#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/series.h"

namespace schedlens {
namespace {

TEST(Labels, SortsDropsEmptyValuesAndKeepsTheLastOfEqualNames) {
  const Labels labels({{"b", "1"}, {"__name__", "up"}, {"a", "x"}, {"b", "2"}, {"c", ""}});
  EXPECT_EQ(labels.ToString(), R"(up{a="x",b="2"})");
  EXPECT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels.Get("b"), "2");
  EXPECT_EQ(labels.Get("c"), "");
  EXPECT_FALSE(labels.Has("c"));
}

TEST(Labels, AnEmptyLastValueRemovesTheLabel) {
  EXPECT_TRUE(Labels({{"a", "x"}, {"a", ""}}).empty());
}

TEST(Labels, CopiesWithChanges) {
  const Labels labels({{"__name__", "m"}, {"le", "1"}, {"pod", "p"}});
  EXPECT_EQ(labels.With("le", "2").ToString(), R"(m{le="2",pod="p"})");
  EXPECT_EQ(labels.With("le", "").ToString(), R"(m{pod="p"})");
  EXPECT_EQ(labels.Without("pod").ToString(), R"(m{le="1"})");
  EXPECT_EQ(labels.Without(std::vector<std::string>{"pod", "__name__"}).ToString(), R"({le="1"})");
  EXPECT_EQ(labels.Only({"pod", "absent"}).ToString(), R"({pod="p"})");
  EXPECT_EQ(labels.ToString(), R"(m{le="1",pod="p"})");
}

TEST(Labels, ToStringEscapesAndQuotes) {
  const struct {
    Labels labels;
    std::string text;
  } cases[] = {
      {Labels(), "{}"},
      {Labels({{"__name__", "up"}}), "up"},
      {Labels({{"__name__", "a:b"}}), "a:b"},
      {Labels({{"a", "x"}}), R"({a="x"})"},
      {Labels({{"__name__", "m"}, {"a", "q\"b\\n\nz"}}), R"(m{a="q\"b\\n\nz"})"},
      {Labels({{"__name__", "http.time"}, {"a b", "é"}}), R"({"http.time","a b"="é"})"},
      {Labels({{"__name__", "m"}, {"c:d", "1"}}), R"(m{"c:d"="1"})"},
  };
  for (const auto& c : cases) EXPECT_EQ(c.labels.ToString(), c.text);
}

TEST(Labels, OrderIsBytewiseByNameThenValue) {
  EXPECT_LT(Labels({{"a", "1"}}), Labels({{"a", "2"}}));
  EXPECT_LT(Labels({{"a", "2"}}), Labels({{"b", "1"}}));
  EXPECT_LT(Labels({{"a", "1"}}), Labels({{"a", "1"}, {"b", "1"}}));
  EXPECT_LT(Labels({{"a", "z"}}), Labels({{"a", "\xc3\xa9"}}));
  EXPECT_EQ(Labels({{"b", "1"}, {"a", "2"}}), Labels({{"a", "2"}, {"b", "1"}}));
}

TEST(Labels, LongNamesAndValuesAreKept) {
  for (const std::size_t size : {1u, 254u, 255u, 256u, 70'000u}) {
    const std::string name(size, 'n');
    const std::string value(size, 'v');
    const Labels labels({{name, value}, {"z", "1"}});
    EXPECT_EQ(labels.Get(name), value) << size;
    EXPECT_EQ(labels.Get("z"), "1") << size;
    EXPECT_EQ(labels.size(), 2u) << size;
    EXPECT_LT(labels, labels.With("z", "2")) << size;
    EXPECT_EQ(labels.Hash(), labels.Without("z").With("z", "1").Hash()) << size;
  }
}

/// Long texts are packed otherwise than others: none of it may be seen.
TEST(Labels, AreAsTheirPairsWhateverTheNames) {
  std::mt19937 random(7);
  std::vector<std::string> names = {"__name", "__name__x", "l",        "lf", "le_", "podd",
                                    "zone",   "\xff",      "__name__", "le", "pod"};
  for (const std::size_t size : {199u, 204u, 205u, 206u, 254u, 255u, 300u}) {
    names.emplace_back(size, 'n');
  }
  const std::vector<std::string> values = {"1", "2", "le", std::string(206, '\xff'),
                                           std::string(255, 'v')};
  std::vector<std::map<std::string, std::string>> all(300);
  for (auto& pairs : all) {
    for (std::size_t i = random() % 6; i > 0; --i) {
      pairs[names[random() % names.size()]] = values[random() % values.size()];
    }
  }
  for (const auto& one : all) {
    const Labels labels(std::vector<Labels::View>(one.begin(), one.end()));
    std::map<std::string, std::string> back;
    for (const auto& [name, value] : labels) back.emplace(name, value);
    EXPECT_EQ(back, one);
    for (const std::string& name : names) {
      const auto at = one.find(name);
      EXPECT_EQ(labels.Get(name), at == one.end() ? "" : at->second);
    }
    for (const auto& two : all) {
      const Labels other(std::vector<Labels::View>(two.begin(), two.end()));
      EXPECT_EQ(labels <=> other, one <=> two) << labels.ToString() << ' ' << other.ToString();
      EXPECT_EQ(labels == other, one == two);
    }
  }
}

TEST(Labels, IteratesOverPairsInOrder) {
  std::string text;
  for (const auto& [name, value] : Labels({{"b", "2"}, {"a", "1"}})) {
    text.append(name).append("=").append(value).append(";");
  }
  EXPECT_EQ(text, "a=1;b=2;");
  const Labels none;
  EXPECT_EQ(none.begin(), none.end());
}

TEST(Labels, OfSortedIsTheSameAsOfAnyOrder) {
  const std::vector<Labels::View> pairs = {{"__name__", "m"}, {"a", "1"}, {"b", "2"}};
  EXPECT_EQ(Labels::OfSorted(pairs), Labels({{"b", "2"}, {"__name__", "m"}, {"a", "1"}}));
  EXPECT_EQ(Labels::OfSorted({}), Labels());
}

TEST(Labels, CopiesShareTheirTextAndOutliveEachOther) {
  auto first = std::make_unique<Labels>(Labels({{"a", "1"}, {"b", "2"}}));
  Labels second = *first;
  EXPECT_EQ(second.Get("a").data(), first->Get("a").data());
  Labels third = std::move(*first);
  first.reset();
  second = third;
  third = Labels();
  EXPECT_EQ(second, Labels({{"b", "2"}, {"a", "1"}}));
  EXPECT_TRUE(second.Without(std::vector<std::string>{"a", "b"}).empty());
  EXPECT_EQ(second.Without(std::vector<std::string>{"a", "b"}), Labels());
}

TEST(Labels, AreCopiedByManyThreads) {
  const Labels labels({{"a", "1"}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([labels] {
      for (int k = 0; k < 1000; ++k) {
        const Labels copy = labels;
        ASSERT_EQ(copy.Get("a"), "1");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(labels.size(), 1U);
}

TEST(StaleMarker, IsOneNaNAmongMany) {
  EXPECT_TRUE(std::isnan(StaleMarker()));
  EXPECT_TRUE(IsStaleMarker(StaleMarker()));
  EXPECT_FALSE(IsStaleMarker(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(IsStaleMarker(0));
}

TEST(FamilyTest, TakesOneSuffixOff) {
  EXPECT_EQ(FamilyOf("x_seconds_bucket"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_seconds_sum"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_seconds_count"), "x_seconds");
  EXPECT_EQ(FamilyOf("x_count_bucket"), "x_count");
}

TEST(FamilyTest, LeavesOtherNames) {
  EXPECT_EQ(FamilyOf("x_seconds"), "x_seconds");
  EXPECT_EQ(FamilyOf("_sum"), "_sum");
  EXPECT_EQ(FamilyOf(""), "");
}

TEST(FamilyTest, CountersAreKnownByTheirSuffix) {
  EXPECT_TRUE(IsCounterName("x_total"));
  EXPECT_TRUE(IsCounterName("x_seconds_bucket"));
  EXPECT_FALSE(IsCounterName("x_seconds"));
  EXPECT_FALSE(IsCounterName(""));
}

TEST(MergeTimesTest, KeepsTheUnionAscending) {
  const struct {
    std::vector<TimeMs> before;
    std::vector<Sample> samples;
    std::vector<TimeMs> after;
  } rows[] = {
      {{}, {}, {}},
      {{}, {{5, 1}, {10, 1}}, {5, 10}},
      {{5, 10}, {{5, 2}, {10, 2}}, {5, 10}},
      {{5, 10}, {{7, 1}}, {5, 7, 10}},
      {{5, 10}, {{20, 1}, {1, 1}, {20, 3}}, {1, 5, 10, 20}},
  };
  for (const auto& row : rows) {
    std::vector<TimeMs> times = row.before;
    MergeTimes(row.samples, &times);
    EXPECT_EQ(times, row.after);
  }
}

}  // namespace
}  // namespace schedlens
