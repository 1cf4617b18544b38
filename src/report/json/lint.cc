// The JSON forms of `lint`: schema schedlens.lint/1, and SARIF 2.1.0.

#include "messages/catalog.h"
#include "report/commands.h"
#include "report/escape.h"
#include "report/json/json.h"

namespace schedlens {
namespace {

std::size_t LeftOut(const std::vector<LintedFile>& files) {
  std::size_t count = 0;
  for (const LintedFile& file : files) count += file.report.left_out;
  return count;
}

Json LocationOf(const LintedFile& file, const LintRule& rule) {
  Json place = {{"artifactLocation", {{"uri", UrlPart(file.name, "/")}}}};
  if (rule.line > 0) place["region"] = {{"startLine", rule.line}};
  Json location = {{"physicalLocation", std::move(place)}};
  if (!rule.name.empty()) location["logicalLocations"] = Json::array({{{"name", rule.name}}});
  return location;
}

// SARIF's levels are our severities: error, warning and note.
Json SarifOf(const LintedFile& file, const LintFinding& finding) {
  const std::string fix = InEnglish(finding.fix);
  return {{"ruleId", finding.id},
          {"level", finding.severity},
          {"message",
           {{"text", InEnglish(finding.message) + (fix.empty() ? "" : ". Instead: " + fix)}}},
          {"locations", Json::array({LocationOf(file, PlaceOf(finding, file.rules))})}};
}

}  // namespace

std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  Json json = {{"schema", "schedlens.lint/1"},
               {"release", nullptr},
               {"scrape_interval", static_cast<double>(linted_for.scrape_ms) / 1000},
               {"findings", Json::array()}};
  if (!linted_for.release.empty()) json["release"] = linted_for.release;
  Json mended = Json::array(), yaml = Json::array();
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      const LintRule& rule = PlaceOf(finding, file.rules);
      Json& one = json["findings"].emplace_back(Json{{"id", finding.id},
                                                     {"severity", finding.severity},
                                                     {"file", file.name},
                                                     {"line", rule.line},
                                                     {"group", rule.group},
                                                     {"rule", rule.name}});
      one.update(TextMembers("message", finding.message));
      one.update(TextMembers("fix", finding.fix));
    }
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
      if (!file.report.Mended(file.rules, i)) continue;
      mended.push_back({{"file", file.name},
                        {"rule", file.rules[i].name},
                        {"before", file.rules[i].expr},
                        {"after", file.report.mended[i]}});
    }
    if (!file.mended) continue;
    yaml.push_back({{"file", file.name}, {"text", file.mended_yaml}, {"diff", file.diff}});
  }
  if (const std::size_t count = LeftOut(files)) json["findings_left_out"] = count;
  json["mended"] = std::move(mended);
  if (!yaml.empty()) json["yaml"] = std::move(yaml);
  return TextOf(json);
}

std::string LintSarif(const std::vector<LintedFile>& files, const std::vector<LintCheck>& checks,
                      const std::string& version) {
  Json rules = Json::array(), results = Json::array();
  for (const LintCheck& check : checks) {
    rules.push_back({{"id", check.id},
                     {"shortDescription", {{"text", InEnglish(check.summary)}}},
                     {"defaultConfiguration", {{"level", check.severity}}}});
  }
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      results.push_back(SarifOf(file, finding));
    }
  }
  Json run = {
      {"tool",
       {{"driver", {{"name", "schedlens"}, {"version", version}, {"rules", std::move(rules)}}}}},
      {"results", std::move(results)}};
  if (const std::size_t count = LeftOut(files)) run["properties"] = {{"findings_left_out", count}};
  return TextOf({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(run)})}});
}

}  // namespace schedlens
