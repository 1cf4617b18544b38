#include "report/json/json.h"

#include <algorithm>
#include <cmath>

#include "base/seconds.h"
#include "base/text.h"
#include "contract/report.h"
#include "messages/catalog.h"
#include "report/checked.h"
#include "report/escape.h"
#include "report/messages/wording.h"

namespace schedlens {
namespace {

class TreeText : public JsonText {
 public:
  using JsonText::JsonText;

  void Members(const Json& object) {
    for (const auto& [key, value] : object.items()) {
      Key(key);
      PutTree(value);
    }
  }

 private:
  void PutTree(const Json& json) {
    if (json.is_object()) {
      Inside(
          '{', [&] { Members(json); }, '}');
    } else if (json.is_array()) {
      // A timeline has thousands of numbers.
      const bool numbers = style() == JsonStyle::kReport &&
                           std::all_of(json.begin(), json.end(), [](const Json& one) {
                             return one.is_number() || one.is_null();
                           });
      const auto elements = [&] {
        for (const Json& one : json) {
          NewLine();
          PutTree(one);
        }
      };
      const auto array = [&] { Inside('[', elements, ']'); };
      numbers ? OnOneLine(array) : array();
    } else if (json.is_string()) {
      Put(json.get_ref<const std::string&>());
    } else if (json.is_number_float()) {
      Put(json.get<double>());
    } else {
      PutLiteral(json.dump());
    }
  }
};

Json Diagnosed(const Diagnosis& diagnosis) {
  return With({{"schema", kDiagnosisSchema}}, diagnosis);
}

}  // namespace

std::string TextOf(const Json& json, JsonStyle style) {
  return JsonText::Document<TreeText>(style, [&](TreeText& text) { text.Members(json); }) + "\n";
}

Json With(Json object, const Json& more) {
  object.update(more);
  return object;
}

std::string DetailKey(std::string_view key, bool several) {
  if (several && key.ends_with('s')) key.remove_suffix(1);
  return std::string(key) + (several ? "_details" : "_detail");
}

Json TextMembers(std::string_view key, const Message& message) {
  return {{std::string(key), InEnglish(message)},
          {DetailKey(key, false), message.empty() ? std::nullopt : std::optional(message)}};
}

Json TextMembers(std::string_view key, const std::vector<Message>& messages) {
  return {{std::string(key), InEnglish(messages)}, {DetailKey(key, true), messages}};
}

Json JsonOf(const std::vector<std::pair<std::string, std::string>>& labels) {
  Json object = Json::object();
  for (const auto& [name, value] : labels) object[name] = value;
  return object;
}

void to_json(Json& json, const Message& message) {
  Json args = Json::object();
  for (const Argument& argument : message.args) args[argument.name] = argument.value;
  json = {{"id", message.id}, {"args", std::move(args)}, {"text", InEnglish(message)}};
}

// One field, whose name is the type. A number that JSON lacks is its text.
void to_json(Json& json, const Value& value) {
  using enum Value::Type;
  Json& held = (json = Json::object())[std::string(kValueTypes[static_cast<int>(value.type)])];
  if (value.type <= kPromql) {
    held = value.text;
  } else if (value.type == kTime) {
    held = MsToSeconds(value.time);
  } else if (value.type == kMessages) {
    held = value.messages;
  } else if (std::isfinite(value.number)) {
    held = value.number;
  } else {
    held = FormatNumber(value.number);
  }
}

void to_json(Json& json, const NextStep& step) {
  json = With(step.text,
              {{"query", step.query}, {"answered", step.answered}, {"command", step.command}});
}

void to_json(Json& json, const Labels& labels) {
  json = Json::object();
  for (const auto& [name, value] : labels) json[std::string(name)] = value;
}

void to_json(Json& json, const Basis& basis) { json = ToString(basis); }

void to_json(Json& json, Semantics::Dialect dialect) {
  json = dialect == Semantics::Dialect::kPrometheus ? "prometheus" : "victoriametrics";
}

void JsonWriter::Number(std::string_view key, std::optional<double> value, std::string_view unit,
                        BasisKind basis) {
  if (!value || !std::isfinite(*value)) return (*this)(key, nullptr);
  const std::optional<double> bound = basis == BasisKind::kExact ? value : std::nullopt;
  (*this)(key, Measured{value, bound, bound, std::string(unit), basis});
}

void JsonWriter::operator()(std::string_view key, TimeMs time) { (*this)(key, MsToSeconds(time)); }

void JsonWriter::operator()(std::string_view key, const std::optional<TimeMs>& time) {
  (*this)(key, time ? std::optional(MsToSeconds(*time)) : std::nullopt);
}

void JsonWriter::operator()(std::string_view key, const std::vector<TimeMs>& times) {
  std::vector<double> seconds;
  for (const TimeMs time : times) seconds.push_back(MsToSeconds(time));
  (*this)(key, seconds);
}

void JsonWriter::operator()(std::string_view key, const std::vector<NextStep>& steps) {
  std::vector<std::string> texts;
  for (const NextStep& step : steps) texts.push_back(InEnglish(step.text));
  (*this)(key, texts);
  object_[DetailKey(key, true)] = steps;
}

std::string RenderJson(const Diagnosis& diagnosis) {
  return TextOf(Diagnosed(diagnosis), JsonStyle::kReport);
}

std::string RenderJson(const SplitDiagnosis& split) {
  Json summary = Json::array(), diagnoses = Json::array();
  for (const DiagnosedPart& part : split.parts) {
    const Diagnosis& d = part.diagnosis;
    summary.push_back({{"value", Visible(part.value)},
                       {"verdict", d.verdict},
                       {"shown", d.alert ? d.alert->shown : std::nullopt},
                       {"attempts", d.attempts},
                       {"finding", nullptr},
                       {"headline", Visible(InEnglish(d.headline))}});
    if (!d.findings.empty()) summary.back()["finding"] = Visible(d.findings.front().id);
    diagnoses.push_back(Diagnosed(d));
  }
  return TextOf({{"schema", "schedlens.diagnoses/1"},
                 {"label", Visible(split.label)},
                 {"summary", std::move(summary)},
                 {"diagnoses", std::move(diagnoses)}},
                JsonStyle::kReport);
}

std::string RenderGrafanaAnnotation(const Diagnosis& d) {
  const Messages t{"en"};
  // Grafana shows the text as sanitised HTML.
  std::string text = EscapeHtml(Shorten(Visible(Headline(t, d)), 500));
  std::vector<std::string> tags = {"schedlens", ToString(d.verdict)};
  for (const Finding& finding : d.findings) {
    text += "<br>" + EscapeHtml(Shorten(Visible(t(finding.title)), 200)) + " (" +
            ConfidenceWord(t, finding.confidence) + ")";
    tags.push_back(Shorten(Visible(finding.id), 60));
  }
  return TextOf(
      {{"time", d.window.start}, {"timeEnd", d.window.end}, {"tags", tags}, {"text", text}});
}

}  // namespace schedlens
