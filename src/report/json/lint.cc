// The JSON forms of `lint`: schema schedlens.lint/1, and SARIF 2.1.0.

#include "report/lint.h"

#include <algorithm>

#include "messages/catalog.h"
#include "model/url.h"
#include "report/json/writer.h"

namespace schedlens {
namespace {

/// A path as a URI reference: its slashes stay.
std::string UriOf(const std::string& path) {
  std::string uri;
  for (const char c : path) uri += c == '/' ? std::string(1, c) : PercentEncode(std::string(1, c));
  return uri;
}

/// `write(file, finding)` for each finding, as an element each.
template <typename Write>
void WriteFindings(JsonWriter& json, const std::vector<LintedFile>& files, const Write& write) {
  for (const LintedFile& file : files) {
    for (const LintFinding& finding : file.report.findings) {
      json.ObjectElement([&] { write(file, finding); });
    }
  }
}

std::size_t LeftOut(const std::vector<LintedFile>& files) {
  std::size_t count = 0;
  for (const LintedFile& file : files) count += file.report.left_out;
  return count;
}

void WriteFinding(JsonWriter& json, const LintedFile& file, const LintFinding& finding) {
  const LintRule& rule = PlaceOf(finding, file.rules);
  json("id", finding.id);
  json("severity", ToString(finding.severity));
  json("file", file.name);
  json("line", rule.line);
  json("group", rule.group);
  json("rule", rule.name);
  json.Text("message", "message_detail", finding.message);
  json.Text("fix", "fix_detail", finding.fix);
}

void WriteMended(JsonWriter& json, const LintedFile& file) {
  for (std::size_t i = 0; i < file.rules.size(); ++i) {
    if (!file.report.Mended(file.rules, i)) continue;
    json.ObjectElement([&] {
      json("file", file.name);
      json("rule", file.rules[i].name);
      json("before", file.rules[i].expr);
      json("after", file.report.mended[i]);
    });
  }
}

void WriteLocation(JsonWriter& json, const LintedFile& file, const LintRule& rule) {
  json.Object("physicalLocation", [&] {
    json.Object("artifactLocation", [&] { json("uri", UriOf(file.name)); });
    if (rule.line > 0) json.Object("region", [&] { json("startLine", rule.line); });
  });
  if (rule.name.empty()) return;
  json.Array("logicalLocations", [&] { json.ObjectElement([&] { json("name", rule.name); }); });
}

// SARIF's levels are our severities: error, warning and note.
void WriteSarifResult(JsonWriter& json, const LintedFile& file, const LintFinding& finding) {
  json("ruleId", finding.id);
  json("level", ToString(finding.severity));
  json.Object("message", [&] {
    const std::string fix = InEnglish(finding.fix);
    json("text", InEnglish(finding.message) + (fix.empty() ? "" : ". Instead: " + fix));
  });
  json.Array("locations", [&] {
    json.ObjectElement([&] { WriteLocation(json, file, PlaceOf(finding, file.rules)); });
  });
}

void WriteSarifDriver(JsonWriter& json, const std::vector<LintCheck>& checks,
                      const std::string& version) {
  json("name", "schedlens");
  json("version", version);
  json.Array("rules", [&] {
    for (const LintCheck& check : checks) {
      json.ObjectElement([&] {
        json("id", check.id);
        json.Object("shortDescription", [&] { json("text", InEnglish(check.summary)); });
        json.Object("defaultConfiguration", [&] { json("level", ToString(check.severity)); });
      });
    }
  });
}

}  // namespace

std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for) {
  const auto members = [&](JsonWriter& json) {
    json("schema", "schedlens.lint/1");
    if (linted_for.release.empty()) {
      json.Null("release");
    } else {
      json("release", linted_for.release);
    }
    json("scrape_interval", static_cast<double>(linted_for.scrape_ms) / 1000);
    json.Array("findings", [&] {
      WriteFindings(json, files, [&](const LintedFile& file, const LintFinding& finding) {
        WriteFinding(json, file, finding);
      });
    });
    if (const std::size_t count = LeftOut(files)) json("findings_left_out", count);
    json.Array("mended", [&] {
      for (const LintedFile& file : files) WriteMended(json, file);
    });
    const auto mended = [](const LintedFile& file) { return file.mended; };
    if (std::none_of(files.begin(), files.end(), mended)) return;
    json.Array("yaml", [&] {
      for (const LintedFile& file : files) {
        if (!mended(file)) continue;
        json.ObjectElement([&] {
          json("file", file.name);
          json("text", file.mended_yaml);
          json("diff", file.diff);
        });
      }
    });
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

std::string LintSarif(const std::vector<LintedFile>& files, const std::vector<LintCheck>& checks,
                      const std::string& version) {
  const auto members = [&](JsonWriter& json) {
    json("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json("version", "2.1.0");
    json.Array("runs", [&] {
      json.ObjectElement([&] {
        json.Object("tool", [&] {
          json.Object("driver", [&] { WriteSarifDriver(json, checks, version); });
        });
        json.Array("results", [&] {
          WriteFindings(json, files, [&](const LintedFile& file, const LintFinding& finding) {
            WriteSarifResult(json, file, finding);
          });
        });
        if (const std::size_t count = LeftOut(files)) {
          json.Object("properties", [&] { json("findings_left_out", count); });
        }
      });
    });
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
