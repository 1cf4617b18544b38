#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/format.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A command that fits on no line stays whole on its own, and so does a name.
bool HasLongCommand(const std::string& line, int width) {
  const std::size_t word = line.find_last_of(' ') + 1;  // 0 without one
  const bool name = line.find('_', word) != std::string::npos && line.size() - word <= 100;
  if (name && line.find_first_not_of(' ') == word) return true;
  const std::size_t open = line.find('`');
  const std::size_t close = line.rfind('`');
  if (open == std::string::npos || open == close) return false;
  const int indent = DisplayWidth(line.substr(0, open));
  return indent <= 13 && DisplayWidth(line.substr(open, close - open + 2)) + indent > width;
}

TEST(TextTest, OneScreenUnlessAskedForMore) {
  for (const auto& [name, diagnosis] : AllSamples()) {
    for (const char* lang : {"en", "zh"}) {
      const auto lines = Lines(RenderText(diagnosis, {.width = 80, .lang = lang}));
      EXPECT_LE(lines.size(), 30u) << name << " " << lang;
      EXPECT_LT(lines.size(),
                Lines(RenderText(diagnosis, {.width = 80, .full = true, .lang = lang})).size());
    }
  }
}

// The file may be the wrong one: said where the reader looks first, in a few lines.
TEST(TextTest, AWrongConfigurationIsToldOnOneScreen) {
  for (Diagnosis d : {ExtenderIncident(), HealthyCluster(), NoData()}) {
    for (const char* plugin : {"Coscheduling", "NodeResourceTopologyMatch", "Peaks"}) {
      d.warnings.push_back(
          Message("configuration.out_of_tree", {{"file", "c.yaml"}, {"plugin", plugin}}));
    }
    d.warnings.push_back(
        Message("configuration.contradicts", {{"file", "c.yaml"}, {"finding", "bind.extender"}}));
    const std::string brief = RenderText(d, {.width = 80});
    EXPECT_THAT(brief, HasSubstr("Config")) << brief;
    EXPECT_THAT(brief, HasSubstr("c.yaml configures no extender that explains bind.extender"));
    EXPECT_THAT(brief, Not(HasSubstr("Peaks")));
    EXPECT_LE(Lines(brief).size(), 30u);
    const std::string full = RenderText(d, {.width = 80, .full = true});
    EXPECT_THAT(full, HasSubstr("c.yaml enables Peaks"));
  }
}

/// A line each with its time and headline, and the command that opens it, then a count.
TEST(TextTest, OtherEpisodesAreListedUpToFive) {
  Diagnosis d = ExtenderIncident();
  d.findings.resize(1);
  d.changes.clear();
  d.impact.reset();
  Episode other;
  other.headline = Message("headline.slow");
  for (int i = 0; i < 8; ++i) {
    other.window = {d.window.start - (9 - i) * 600'000,
                    d.window.start - (9 - i) * 600'000 + 60'000};
    other.command = "schedlens diagnose --at " + std::to_string(i);
    d.episodes.push_back(other);
  }
  const std::string brief = RenderText(d, {.width = 120});
  std::size_t listed = 0;
  for (const std::string& line : Lines(brief)) listed += line.starts_with("Episode   2025-11-21");
  EXPECT_GE(listed, 3U) << brief;
  EXPECT_LE(listed, 5U) << brief;
  for (std::size_t i = 0; i < listed; ++i) {
    EXPECT_THAT(brief, HasSubstr("`schedlens diagnose --at " + std::to_string(i) + "`"));
  }
  EXPECT_THAT(brief, HasSubstr("Episode   " + std::to_string(8 - listed) + " more with `--full`"));
  // Times that were no incident are counted with them.
  d.also_seen.swap(d.episodes);
  d.also_seen.push_back(other);
  d.episodes.push_back(other);
  const std::string both = RenderText(d, {.width = 120});
  listed = 0;
  for (const std::string& line : Lines(both)) {
    listed += line.starts_with("Episode   2025") || line.starts_with("Also seen 2025");
  }
  EXPECT_GE(listed, 2U) << both;
  EXPECT_THAT(both, HasSubstr("Attempts are slow.\nAlso seen " + std::to_string(10 - listed) +
                              " more with `--full`\n"));
}

/// A narrow screen loses names before it loses how many pods were hit.
TEST(TextTest, HowManyPodsWereHitStaysOnANarrowScreen) {
  Diagnosis d = ExtenderIncident();
  const std::string pods = "Affected  Over ";
  for (const int width : {60, 80, 120}) {
    const std::string brief = RenderText(d, {.width = width});
    EXPECT_THAT(brief, HasSubstr("\n" + pods)) << brief;
    if (width >= 80) {
      EXPECT_THAT(brief, HasSubstr("Mostly ")) << brief;
    }
  }
}

/// What is too long ends at a sentence, not within one.
TEST(TextTest, EvidenceIsCutAtASentence) {
  Diagnosis d = ExtenderIncident();
  const std::string first = "The first sentence says what was seen on this cluster.";
  d.findings.front().evidence = {
      {Verbatim(first + " The second one goes on for a long while; it " +
                "has clauses of its own; and more. The third is short.")}};
  const std::string brief = RenderText(d, {.width = 80});
  EXPECT_THAT(brief, HasSubstr(first + "\n")) << brief;
  EXPECT_THAT(brief, Not(HasSubstr("The second"))) << brief;
  EXPECT_THAT(brief, Not(HasSubstr(first + " …"))) << brief;
}

TEST(TextTest, TheTimelineMarksSeveralEpisodes) {
  Diagnosis d = ExtenderIncident();
  const std::vector<TimeMs>& times = d.timeline.times;
  Episode other;
  other.window = {times[1], times[3]};
  other.headline = Message("headline.slow");
  d.episodes = {other, other};
  d.episodes[1].window = {times[5], times[8]};
  d.episodes[1].reported = true;
  const std::string full = RenderText(d, {.ascii = true, .width = 80, .full = true});
  EXPECT_THAT(full, HasSubstr("   episodes   --  ===\n")) << full;
  d.episodes = {d.episodes[1]};
  EXPECT_THAT(RenderText(d, {.ascii = true, .width = 80, .full = true}),
              Not(HasSubstr("\n   episodes")))
      << "one alone is the window";
}

TEST(TextTest, AnyNumberOfEpisodesFitsOnOneScreen) {
  for (Diagnosis d : {ExtenderIncident(), HealthyCluster()}) {
    Episode other;
    other.window = d.window;
    other.headline = Message("headline.slow");
    other.command = "schedlens diagnose --capture metrics.om.gz --start 0 --end 1";
    d.episodes.assign(50, other);
    EXPECT_LE(Lines(RenderText(d, {.width = 80})).size(), 30U);
  }
}

TEST(TextTest, CommandsAndQueriesAreWholeOnOneLine) {
  Diagnosis d = ExtenderIncident();
  const std::string query(300, 'q');
  d.findings.front().evidence = {{Verbatim("seen"), query}};
  d.findings.front().next_steps = {
      {Verbatim("Do `kubectl " + std::string(200, 'x') + " -A` first."), "", {}}};
  const std::string full = RenderText(d, {.width = 80, .queries = true});
  EXPECT_NE(full.find(query), std::string::npos);
  EXPECT_NE(full.find("`kubectl " + std::string(200, 'x') + " -A`"), std::string::npos);
  const std::string brief = RenderText(d, {.width = 80});
  EXPECT_EQ(brief.find("xxx"), std::string::npos);
  EXPECT_EQ(brief.find(query), std::string::npos);
}

/// However wide its command, at any width, and of however many other things there are.
TEST(TextTest, WhatToDoFollowsTheVerdictWhole) {
  Diagnosis d = ExtenderIncident();
  const std::string command = "kubectl get " + std::string(300, 'x');
  d.findings.front().action->command = Verbatim(command);
  d.findings.resize(1);
  Episode other;
  other.window = d.window;
  other.headline = Message("headline.slow");
  d.episodes.assign(50, other);
  for (const int width : {40, 60, 80, 100, 160}) {
    for (const bool full : {false, true}) {
      const std::string text = RenderText(d, {.width = width, .full = full});
      const std::size_t act = text.find("Do now    Restart or scale the extender;");
      ASSERT_NE(act, text.npos) << text;
      for (const char* later : {"Window    ", "Alert     ", "1. "}) {
        EXPECT_LT(act, text.find(later)) << later << text;  // npos is beyond all
      }
      EXPECT_NE(text.find("Run       `" + command + "`\n"), text.npos) << text;
      EXPECT_NE(text.find("\nOwner     "), text.npos) << text;
      EXPECT_NE(text.find("\nLater     "), text.npos) << text;
    }
  }
}

TEST(TextTest, TheConclusionComesFirst) {
  const auto lines = Lines(RenderText(ExtenderIncident(), {}));
  EXPECT_EQ(lines.front(), InEnglish(ExtenderIncident().headline));
}

TEST(TextTest, NoLineIsWiderThanTheTerminal) {
  for (const auto& [name, diagnosis] : AllSamples()) {
    for (const char* lang : {"en", "zh"}) {
      for (const bool ascii : {false, true}) {
        for (const int width : {60, 80, 100, 160}) {
          for (const bool full : {false, true}) {
            const RenderOptions options{.ascii = ascii, .width = width, .full = full, .lang = lang};
            for (const std::string& line : Lines(RenderText(diagnosis, options))) {
              if (HasLongCommand(line, width)) continue;
              EXPECT_LE(DisplayWidth(line), width) << name << " " << lang << " " << line;
            }
          }
        }
      }
    }
  }
}

TEST(TextTest, NoLineBeginsWithAMarkThatCloses) {
  for (const auto& [name, diagnosis] : AllSamples()) {
    if (name == "hostile") continue;  // a word longer than a line breaks anywhere
    for (int width = 40; width <= 120; ++width) {
      for (const std::string& line :
           Lines(RenderText(diagnosis, {.width = width, .full = true, .lang = "zh"}))) {
        const std::string start =
            line.substr(std::min(line.size(), line.find_first_not_of(' ')), 3);
        for (const char* mark : {"，", "。", "；", "：", "）"}) EXPECT_NE(start, mark) << line;
      }
    }
  }
}

TEST(TextTest, NothingMovesTheCursor) {
  for (const char* lang : {"en", "zh"}) {
    const std::string text = RenderText(HostileNames(), {.full = true, .lang = lang});
    EXPECT_EQ(Visible(text).find("\\ufffd"), std::string::npos);
    for (const std::string& line : Lines(text)) {
      EXPECT_EQ(Visible(line), line);
      EXPECT_EQ(CleanUtf8(line), line);
    }
  }
}

TEST(TextTest, ColourOnlyOnDemandAndOnlyItsOwn) {
  EXPECT_EQ(RenderText(ExtenderIncident(), {}).find('\x1b'), std::string::npos);
  std::string coloured = RenderText(HostileNames(), {.color = true, .full = true});
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
       at = coloured.find('\x1b', at + 1)) {
    const std::size_t end = coloured.find_first_not_of("[;0123456789", at + 1);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(coloured[end], 'm');
  }
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      stripped += coloured[i];
    }
  }
  EXPECT_EQ(stripped, RenderText(HostileNames(), {.full = true}));
}

TEST(TextTest, AsciiMeansAscii) {
  for (const char c : RenderText(ExtenderIncident(), {.ascii = true, .full = true})) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << c;
  }
}

}  // namespace
}  // namespace schedlens
