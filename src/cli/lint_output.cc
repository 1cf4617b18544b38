#include "cli/lint_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/wrap.h"
#include "model/text.h"
#include "model/url.h"

namespace schedlens {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Place(const LintedFile& file, const LintRule& rule) {
  std::string place = file.name;
  if (rule.line > 0) place += fmt::format(":{}", rule.line);
  if (!rule.name.empty()) place += " " + rule.name;
  return place;
}

/// SARIF's own words: it knows error, warning and note.
std::string Level(LintSeverity severity) { return ToString(severity); }

/// A path as a URI reference: its slashes stay.
std::string UriOf(const std::string& path) {
  std::string uri;
  for (const char c : path) uri += c == '/' ? std::string(1, c) : PercentEncode(std::string(1, c));
  return uri;
}

Json SarifResult(const LintedFile& file, const LintFinding& finding) {
  const LintRule& rule = file.rules[finding.rule];
  Json result;
  result["ruleId"] = finding.id;
  result["level"] = Level(finding.severity);
  result["message"]["text"] =
      finding.message + (finding.fix.empty() ? "" : " Instead: " + finding.fix);
  Json physical;
  physical["artifactLocation"]["uri"] = UriOf(file.name);
  if (rule.line > 0) physical["region"]["startLine"] = rule.line;
  Json location;
  location["physicalLocation"] = physical;
  if (!rule.name.empty()) {
    location["logicalLocations"] = Json::array({{{"name", rule.name}}});
  }
  result["locations"] = Json::array({location});
  return result;
}

}  // namespace

std::string LintText(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  std::string out;
  std::size_t found = 0;
  std::size_t rules = 0;
  for (const LintedFile& file : files) {
    rules += file.rules.size();
    for (const LintFinding& finding : file.report.findings) {
      ++found;
      out += fmt::format("{}: {}: {}\n", Place(file, file.rules[finding.rule]),
                         ToString(finding.severity), finding.id);
      out += Wrap(finding.message, kWidth, "  ", "  ");
      if (!finding.fix.empty()) out += Wrap("instead: " + finding.fix, kWidth, "  ", "  ");
    }
  }
  out +=
      fmt::format("{}{} rule{} looked at, {} finding{}; judged for {}, scraped every {}\n",
                  found > 0 ? "\n" : "", rules, rules == 1 ? "" : "s", found, found == 1 ? "" : "s",
                  linted_for.release.empty() ? "any release" : linted_for.release,
                  FormatDuration(linted_for.scrape_ms));
  for (const LintedFile& file : files) {
    if (!file.mended_yaml.empty()) {
      out += fmt::format("\n# {} mended\n{}", file.name, file.mended_yaml);
    }
  }
  return out;
}

std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  Json out;
  out["schema"] = "schedlens.lint/1";
  out["release"] = linted_for.release.empty() ? Json(nullptr) : Json(linted_for.release);
  out["scrape_interval"] = static_cast<double>(linted_for.scrape_ms) / 1000;
  out["findings"] = Json::array();
  out["mended"] = Json::array();
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      const LintRule& rule = file.rules[finding.rule];
      out["findings"].push_back({{"id", finding.id},
                                 {"severity", ToString(finding.severity)},
                                 {"file", file.name},
                                 {"line", rule.line},
                                 {"group", rule.group},
                                 {"rule", rule.name},
                                 {"message", finding.message},
                                 {"fix", finding.fix}});
    }
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
      if (!file.report.Mended(file.rules, i)) continue;
      out["mended"].push_back({{"file", file.name},
                               {"rule", file.rules[i].name},
                               {"before", file.rules[i].expr},
                               {"after", file.report.mended[i]}});
    }
    if (!file.mended_yaml.empty()) {
      out["yaml"].push_back({{"file", file.name}, {"text", file.mended_yaml}});
    }
  }
  return Dump(out);
}

std::string LintSarif(const std::vector<LintedFile>& files) {
  Json driver;
  driver["name"] = "schedlens";
  driver["version"] = SCHEDLENS_VERSION;
  driver["rules"] = Json::array();
  for (const LintCheck& check : LintChecks()) {
    driver["rules"].push_back({{"id", check.id},
                               {"shortDescription", {{"text", check.summary}}},
                               {"defaultConfiguration", {{"level", Level(check.severity)}}}});
  }
  Json run;
  run["tool"]["driver"] = driver;
  run["results"] = Json::array();
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      run["results"].push_back(SarifResult(file, finding));
    }
  }
  Json out;
  out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  out["version"] = "2.1.0";
  out["runs"] = Json::array({run});
  return Dump(out);
}

}  // namespace schedlens
