// The HTML report as people use it beyond looking: with the keyboard alone, and on paper.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/base64.h"
#include "e2e/browser.h"

namespace schedlens {
namespace {

using nlohmann::json;
using test::Browser;
using test::fs::path;

path Golden(const std::string& name) { return path(SCHEDLENS_SOURCE_DIR) / "test/golden" / name; }

/// Pages of a PDF in base64: Chromium writes an object for each.
std::size_t PagesOf(const std::string& base64) {
  const std::string pdf = test::FromBase64(base64);
  std::size_t pages = 0;
  for (std::size_t at = pdf.find("/Type /Page"); at != std::string::npos;
       at = pdf.find("/Type /Page", at + 1)) {
    pages += pdf.compare(at, 12, "/Type /Pages") == 0 ? 0 : 1;
  }
  return pages;
}

class ReaderTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Widths, ReaderTest, testing::Values(1280, 390));

// Everything that can be opened, followed or scrolled is reached by Tab in the order of the page,
// and whoever is there can be seen.
TEST_P(ReaderTest, TabReachesEverythingInOrderAndShowsWhere) {
  const test::TempDir work;
  Browser browser(work.path(), GetParam(), false);
  for (const char* name : {"extender.html", "inversion.zh.html"}) {
    browser.Open(Golden(name));
    const int stops = browser.Run(R"(
        document.querySelectorAll('details').forEach(d => d.open = true);
        window.stops = [...document.querySelectorAll('a[href], summary, .scroll')];
        return stops.length;)");
    ASSERT_GT(stops, 10) << name;
    for (int i = 0; i < stops; ++i) {
      browser.PressTab();
      const json seen = browser.Run(R"(
          const here = document.activeElement, style = getComputedStyle(here);
          const box = here.getBoundingClientRect();
          return {at: stops.indexOf(here), what: here.outerHTML.slice(0, 80),
                  outline: style.outlineStyle, width: parseFloat(style.outlineWidth),
                  inside: box.bottom > 0 && box.top < innerHeight && box.right <= innerWidth + 1};)");
      ASSERT_EQ(seen["at"], i) << name << ": " << seen["what"];
      EXPECT_EQ(seen["outline"], "solid") << seen["what"];
      EXPECT_GE(seen["width"], 2) << seen["what"];
      EXPECT_EQ(seen["inside"], true) << seen["what"];
    }
    browser.PressTab();
    EXPECT_EQ(browser.Run("return stops.includes(document.activeElement);"), false);
    // What scrolls is no trap for those who cannot use a mouse.
    const json stuck = browser.Run(R"(
        return [...document.querySelectorAll('body *')].filter(e =>
            e.scrollWidth > e.clientWidth + 1 &&
            ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0)
            .map(e => e.outerHTML.slice(0, 80));)");
    EXPECT_EQ(stuck, json::array()) << name;
  }
}

/// Laid out as on A4: what leaves its box, and how dark the paper is.
json OnPaper(Browser& browser) {
  return browser.Run(R"(
      const page = document.documentElement;
      const cut = [...document.querySelectorAll('body *')].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width > 0 && getComputedStyle(e).position != 'absolute' &&
            box.right > page.clientWidth + 1;
      }).map(e => e.outerHTML.slice(0, 120));
      const thin = [...document.querySelectorAll('tbody th')].filter(e => e.offsetWidth > 0 &&
          e.offsetWidth < 40).map(e => e.outerHTML.slice(0, 120));
      return {cut, thin, background: getComputedStyle(document.body).backgroundColor,
              ink: getComputedStyle(document.body).color,
              folded: [...document.querySelectorAll('summary')].filter(e => e.offsetHeight > 0)
                  .length};)");
}

TEST(PaperTest, PrintsLightWholeAndShort) {
  constexpr int kPaper = 703;  // A4 less its margins, in CSS pixels
  const test::TempDir work;
  Browser browser(work.path(), kPaper, true);
  for (const char* name : {"extender.html", "healthy.html", "extender.zh.html", "no-data.html"}) {
    browser.Prefer("screen", true);
    browser.Open(Golden(name));
    browser.Prefer("print", true);
    json seen = OnPaper(browser);
    EXPECT_EQ(seen["background"], "rgb(255, 255, 255)") << name;
    EXPECT_EQ(seen["ink"], "rgb(0, 0, 0)") << name;
    EXPECT_EQ(seen["cut"], json::array()) << name;
    EXPECT_EQ(seen["thin"], json::array()) << name;
    EXPECT_EQ(seen["folded"], 0) << name << ": a folded table says nothing on paper";
    const std::size_t folded = PagesOf(browser.Print());
    EXPECT_THAT(folded, testing::AllOf(testing::Ge(1U), testing::Le(8U))) << name;

    browser.Run("document.querySelectorAll('details').forEach(d => d.open = true);");
    seen = OnPaper(browser);
    EXPECT_EQ(seen["cut"], json::array()) << name << ", unfolded";
    EXPECT_EQ(seen["thin"], json::array()) << name << ", unfolded";
    EXPECT_THAT(PagesOf(browser.Print()), testing::AllOf(testing::Ge(folded), testing::Le(20U)))
        << name << ", unfolded";
  }
}

}  // namespace
}  // namespace schedlens
