#pragma once

// A headless Chromium that a test drives through chromedriver, as a reader would with keys.

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "e2e/server.h"

namespace schedlens::test {

class Browser {
 public:
  Browser(const fs::path& work, int width, bool dark)
      : port_(FreePort()),
        driver_({"chromedriver", "--port=" + std::to_string(port_)},
                "http://127.0.0.1:" + std::to_string(port_), "/status", work / "chromedriver.log") {
    const nlohmann::json arguments = {"--headless=new",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-dev-shm-usage",
                                      "--no-first-run",
                                      "--hide-scrollbars",
                                      "--disable-background-networking",
                                      "--window-size=" + std::to_string(width) + ",900",
                                      "--user-data-dir=" + (work / "profile").string()};
    const nlohmann::json options = {{"goog:chromeOptions", {{"args", arguments}}}};
    session_ = "/session/" + Post("/session", {{"capabilities", {{"alwaysMatch", options}}}})
                                 .at("sessionId")
                                 .get<std::string>();
    Prefer("screen", dark);
  }
  ~Browser() {
    try {
      Devtools("Browser.close", nlohmann::json::object());
    } catch (const std::exception&) {  // it is gone already
    }
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void Open(const fs::path& page) { Ask("/url", {{"url", "file://" + page.string()}}); }
  /// The value of a JavaScript function's body.
  nlohmann::json Run(const std::string& script) {
    return Ask("/execute/sync", {{"script", script}, {"args", nlohmann::json::array()}});
  }
  void PressTab() {
    const nlohmann::json keys = {{{"type", "keyDown"}, {"value", "\uE004"}},
                                 {{"type", "keyUp"}, {"value", "\uE004"}}};
    Ask("/actions", {{"actions", {{{"type", "key"}, {"id", "keyboard"}, {"actions", keys}}}}});
  }
  /// Lays the page out for `screen` or `print`, for a reader who prefers dark or light, and no
  /// motion: a test need not wait for it.
  void Prefer(const std::string& media, bool dark) {
    Devtools("Emulation.setEmulatedMedia",
             {{"media", media},
              {"features",
               {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}},
                {{"name", "prefers-reduced-motion"}, {"value", "reduce"}}}}});
  }
  /// The page as a PDF on A4, in base64.
  std::string Print() {
    return Ask("/print", {{"background", true}, {"page", {{"width", 21.0}, {"height", 29.7}}}});
  }

 private:
  nlohmann::json Post(const std::string& path, const nlohmann::json& body) {
    long status = 0;
    const std::string answer = driver_.client().Post(driver_.url() + path, body.dump(), &status);
    if (status != 200) throw std::runtime_error(path + ": " + answer);
    return nlohmann::json::parse(answer).at("value");
  }
  nlohmann::json Ask(const std::string& path, const nlohmann::json& body) {
    return Post(session_ + path, body);
  }
  nlohmann::json Devtools(const std::string& command, const nlohmann::json& parameters) {
    return Ask("/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
  }

  int port_;
  Server driver_;
  std::string session_;
};

}  // namespace schedlens::test
