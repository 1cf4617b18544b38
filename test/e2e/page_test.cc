// The HTML report in a real browser: headless Chromium lays out the pages of the golden files (one
// of them full of hostile names) and of every example incident, wide and narrow, light and dark.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "e2e/base64.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A directory of this test's own, removed at its end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::path(testing::TempDir()) / "schedlens-pages-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A page with one frame a report and width. When all are loaded it writes a line each: name, width,
// width of the content, background colour, title, the values of all <data> elements, and what is
// seen of the first picture, of queries and of the heatmap's scale, and the content's width again
// with every fold open.
std::string Wrapper(const std::vector<std::string>& names) {
  std::string frames;
  for (const std::string& name : names) {
    for (const char* width : {"1280", "390"}) {
      frames += "<iframe data-name=\"" + name + "\" src=\"" + name + "\" width=\"" + width +
                "\" height=\"900\" style=\"border:0\"></iframe>\n";
    }
  }
  return "<!DOCTYPE html><meta charset=\"utf-8\"><title>pages</title><body>" + frames +
         R"(<pre></pre>
<script>
onload = () => {
  const lines = [];
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument;
    const seen = [...page.querySelectorAll('main section')];
    const rows = [...page.querySelectorAll('#stages .stage:not(.head)')].map(row => {
      const [name, bar, number, excess] = [...row.children].map(e => e.getBoundingClientRect());
      const apart = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 1;
      return {name: row.children[0].textContent, number: row.children[2].textContent,
              apart: apart(name, number) && apart(number, excess) &&
                     (apart(name, bar) || apart(bar, name)) && (apart(bar, number) || apart(number, bar)),
              bar: bar.width, height: bar.height,
              right: Math.max(name.right, bar.right, number.right, excess.right)};
    });
    const outside = [...page.querySelectorAll('code')].filter(
        c => /rate\(|increase\(|histogram_quantile\(/.test(c.textContent) &&
             !c.textContent.startsWith('schedlens ') && !c.closest('dl.meta') && c.checkVisibility());
    const shades = new Set([...page.querySelectorAll('svg .heat')].map(e => e.classList[1]));
    const scale = new Set([...page.querySelectorAll('.key-heat')].map(e => e.classList[1]));
    const values = [...page.querySelectorAll('data')].map(d => d.value);
    const report = {
      name: frame.dataset.name, width: Number(frame.width),
      content: page.documentElement.scrollWidth,
      background: getComputedStyle(page.body).backgroundColor,
      first: seen.length ? seen[0].id : '', rows: rows, queries: outside.length,
      unexplained: [...shades].filter(s => !scale.has(s)).length, shades: shades.size,
      wide: [...page.querySelectorAll('.scroll')].filter(
          e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.getAttribute('aria-label')),
      title: page.title, scripts: page.scripts.length,
      pictures: page.querySelectorAll('svg').length, values: values.join(' ')};
    for (const fold of page.querySelectorAll('details')) fold.open = true;
    report.unfolded = page.documentElement.scrollWidth;
    lines.push(JSON.stringify(report));
  }
  document.querySelector('pre').textContent = 'RESULT' + btoa(unescape(encodeURIComponent(
      '[' + lines.join(',') + ']'))) + 'END';
};
</script>)";
}

struct Seen {
  nlohmann::json pages;
  std::string console;  ///< what pages wrote to the console
};

// Opens the wrapper in a browser that prefers light or dark.
Seen Open(const fs::path& directory, bool dark) {
  const fs::path out = directory / "dom.html";
  const fs::path err = directory / "log.txt";
  const std::string command =
      "chromium --headless --hide-scrollbars --no-sandbox --disable-gpu --no-first-run "
      "--disable-dev-shm-usage "
      "--disable-background-networking --disable-component-update --disable-sync "
      "--allow-file-access-from-files --enable-logging=stderr --virtual-time-budget=20000 "
      "--user-data-dir='" +
      (directory / "profile").string() + "' " +
      (dark ? "--blink-settings=preferredColorScheme=0"
            : "--blink-settings=preferredColorScheme=1") +
      " --dump-dom 'file://" + (directory / "wrapper.html").string() + "' > '" + out.string() +
      "' 2> '" + err.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << ReadAll(err);
  Seen seen;
  std::istringstream log(ReadAll(err));
  for (std::string line; std::getline(log, line);) {
    if (line.find("CONSOLE") != std::string::npos) seen.console += line + "\n";
  }
  const std::string dom = ReadAll(out);
  const std::size_t from = dom.find("RESULT");
  const std::size_t to = dom.find("END", from);
  if (from == std::string::npos || to == std::string::npos) {
    ADD_FAILURE() << "the wrapper did not run: " << dom.substr(0, 2000) << ReadAll(err);
    return seen;
  }
  seen.pages = nlohmann::json::parse(test::FromBase64(dom.substr(from + 6, to - from - 6)));
  return seen;
}

void Collect(const nlohmann::json& json, std::set<double>& numbers) {
  if (json.is_number()) numbers.insert(json.get<double>());
  if (json.is_structured()) {
    for (const auto& item : json) Collect(item, numbers);
  }
}

// Puts page and JSON of every golden diagnosis and every example incident into the directory.
std::vector<std::string> Gather(const fs::path& directory) {
  std::vector<std::string> names;
  const fs::path source(SCHEDLENS_SOURCE_DIR);
  for (const auto& entry : fs::directory_iterator(source / "test/golden")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".html")) continue;
    names.push_back(name);
    fs::copy_file(entry.path(), directory / name);
    const std::string saved = name.substr(0, name.find('.')) + ".json";
    fs::copy_file(source / "test/golden" / saved, directory / (name + ".json"));
  }
  for (const auto& entry : fs::directory_iterator(source / "examples/incidents")) {
    const fs::path capture = entry.path() / "metrics.om.gz";
    if (!fs::exists(capture)) continue;
    const std::string name = entry.path().filename().string() + ".incident.html";
    const std::string command = std::string(SCHEDLENS_BINARY) + " diagnose --capture '" +
                                capture.string() + "' -o json --export-html '" +
                                (directory / name).string() + "' > '" +
                                (directory / (name + ".json")).string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    names.push_back(name);
  }
  return names;
}

// The first picture is rows of name, bar and numbers that do not cover each other.
void ExpectFirstPicture(const nlohmann::json& page, const std::string& what) {
  if (page["rows"].empty()) return;
  EXPECT_EQ(page["first"], "stages") << what;
  for (const auto& row : page["rows"]) {
    EXPECT_TRUE(row["apart"].get<bool>()) << what << row;
    EXPECT_GT(row["bar"].get<double>(), 90) << what << row;
    EXPECT_GT(row["height"].get<double>(), 10) << what << row;
    EXPECT_LE(row["right"].get<double>(), page["width"].get<double>()) << what << row;
  }
}

TEST(PageTest, OpensCleanlyWideAndNarrowLightAndDark) {
  const Scratch scratch;
  const std::vector<std::string> names = Gather(scratch.path());
  ASSERT_GE(names.size(), 12U);
  std::ofstream(scratch.path() / "wrapper.html") << Wrapper(names);

  std::set<std::string> backgrounds;
  std::size_t pictures = 0;
  for (const bool dark : {false, true}) {
    const Seen seen = Open(scratch.path(), dark);
    EXPECT_EQ(seen.console, "");
    ASSERT_EQ(seen.pages.size(), 2 * names.size());
    std::set<std::string> here;
    for (const auto& page : seen.pages) {
      const std::string what = page["name"].get<std::string>() + " at " + page["width"].dump();
      EXPECT_EQ(page["content"], page["width"]) << what << " overflows";
      EXPECT_EQ(page["unfolded"], page["width"]) << what << " overflows with its folds open";
      EXPECT_EQ(page["scripts"], 0) << what;
      ExpectFirstPicture(page, what);
      EXPECT_EQ(page["queries"], 0) << what << ": queries outside a fold";
      EXPECT_EQ(page["unexplained"], 0) << what << ": shades without a scale";
      pictures += page["rows"].size() + page["shades"].get<std::size_t>();
      if (!page["name"].get<std::string>().starts_with("hostile")) {
        EXPECT_EQ(page["wide"], nlohmann::json::array()) << what << " has tables to scroll";
      }
      EXPECT_NE(page["title"], "owned") << what;
      EXPECT_NE(page["title"], "") << what;
      here.insert(page["background"].get<std::string>());
      std::set<double> numbers;
      Collect(nlohmann::json::parse(
                  ReadAll(scratch.path() / (page["name"].get<std::string>() + ".json"))),
              numbers);
      std::istringstream values(page["values"].get<std::string>());
      int count = 0;
      for (std::string value; values >> value; ++count) {
        EXPECT_EQ(numbers.count(std::stod(value)), 1U) << what << ": " << value;
      }
      EXPECT_GT(count, 0) << what;
    }
    EXPECT_EQ(here.size(), 1U);
    backgrounds.insert(here.begin(), here.end());
  }
  EXPECT_GT(pictures, 100U);
  EXPECT_EQ(backgrounds.size(), 2U) << "light and dark look the same";
}

}  // namespace
}  // namespace schedlens
