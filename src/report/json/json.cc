// The JSON contract, written and read back.

#include "report/json/json.h"

#include "base/not_finite.h"
#include "report/commands.h"
#include "report/format.h"

namespace schedlens {
namespace {

constexpr std::string_view kDiagnosisSchema = "schedlens.diagnosis/1";

Json Diagnosed(const Diagnosis& diagnosis) {
  Json json = Object("schema", kDiagnosisSchema);
  json.update(diagnosis);
  return json;
}

// Both throw a std::exception for what is none.
Message ReadMessage(const Json& json, int depth);

Value ReadValue(const Json& json, int depth) {
  const auto& members = json.get_ref<const Json::object_t&>();
  if (members.size() != 1) throw std::bad_optional_access();
  const auto& [name, held] = members.front();
  const auto found = std::find(std::begin(kValueTypes), std::end(kValueTypes), name);
  if (found == std::end(kValueTypes)) throw std::bad_optional_access();
  Value value;
  value.type = static_cast<Value::Type>(found - std::begin(kValueTypes));
  if (value.type == Value::Type::kMessages) {
    for (const Json& item : held.get_ref<const Json::array_t&>()) {
      value.messages.push_back(ReadMessage(item, depth + 1));
    }
  } else if (value.type <= Value::Type::kPromql) {
    value.text = held.get<std::string>();
  } else if (value.type == Value::Type::kTime) {
    value.time = TimeOfSeconds(held.get<double>()).value();
  } else {
    value.number =
        held.is_string() ? ParseNumber(held.get<std::string>()).value() : held.get<double>();
  }
  return value;
}

Message ReadMessage(const Json& json, int depth) {
  if (depth > kDeepestMessage) throw std::bad_optional_access();
  Message message(json.at("id").get<std::string>());
  for (const auto& [name, held] : json.at("args").get_ref<const Json::object_t&>()) {
    message.args.push_back({name, ReadValue(held, depth)});
  }
  return message;
}

/// The message that stands for an English sentence; `details` may be null. The sentence itself
/// where the message is not one of this release or says something else here: what a file says stays
/// what it says. Empty for an empty sentence.
Message MessageOf(const std::string& english, const Json* details) {
  if (english.empty()) return {};
  try {
    Message message = details == nullptr ? Message() : ReadMessage(*details, 0);
    if (InEnglish(message) == english) return message;
  } catch (const std::exception&) {  // an id or an argument of another release
  }
  return Verbatim(english);
}

/// Parses JSON whose members keep their order, for which each is compared with those before it:
/// throws Error(kFailed) where an object has more of them than any diagnosis, and nlohmann's
/// errors.
Json ParseOrdered(std::string_view text) {
  constexpr std::size_t kMostMembers = 256;
  std::vector<std::size_t> members;  // of each object that is open
  const auto count = [&](int, Json::parse_event_t event, Json&) {
    if (event == Json::parse_event_t::object_start) members.push_back(0);
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key && ++members.back() > kMostMembers) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("an object has more than {} members", kMostMembers));
    }
    return true;
  };
  return Json::parse(text, count);
}

[[noreturn]] void FailDocument(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kFailed, Visible("cannot read diagnosis " + name + ": " + what +
                                          "; give a file that `diagnose -o json` wrote"));
}

// Fills the fields of json/json.h from one JSON object. `path` names the object in messages.
class JsonReader {
 public:
  JsonReader(const Json& object, std::string path, const std::string& name)
      : object_(object), path_(std::move(path)), name_(name) {
    if (!object.is_object()) Fail(path_, "an object");
  }

  template <class T>
  void operator()(std::string_view key, T& member) {
    Get(At(key), PathOf(key), member);
  }

  /// What a document of before this member lacks stays as it is.
  template <class T>
  void Added(std::string_view key, T& member) {
    if (Details(key) != nullptr) (*this)(key, member);
  }

  void Number(std::string_view key, std::optional<double>& member, std::string_view, BasisKind) {
    std::optional<Measured> measured;
    (*this)(key, measured);
    member = measured ? measured->value : std::nullopt;
  }

  void Number(std::string_view key, double& member, std::string_view unit, BasisKind basis) {
    std::optional<double> value;
    Number(key, value, unit, basis);
    member = value.value_or(kNaN);
  }

  /// A time that may be absent may be so as a field.
  void operator()(std::string_view key, std::optional<TimeMs>& member) {
    if (const Json* json = Details(key)) Get(*json, PathOf(key), member);
  }

  void operator()(std::string_view key, Message& member) {
    std::string english;
    (*this)(key, english);
    member = MessageOf(english, Details(DetailKey(key, false)));
  }

  void operator()(std::string_view key, std::vector<Message>& member) {
    EachSentence(key, [&](const std::string& english, const Json* detail, std::size_t) {
      member.push_back(MessageOf(english, detail));
    });
  }

  void operator()(std::string_view key, std::vector<NextStep>& member) {
    EachSentence(key, [&](const std::string& english, const Json* detail, std::size_t i) {
      NextStep& step = member.emplace_back(NextStep{MessageOf(english, detail), "", {}, ""});
      if (detail == nullptr || !detail->is_object()) return;
      JsonReader reader(*detail, fmt::format("{}[{}]", PathOf(DetailKey(key, true)), i), name_);
      EachAdded(reader, "query", step.query, "answered", step.answered, "command", step.command);
    });
  }

  void OrNull(std::string_view key, double& member) {
    std::optional<double> number;
    (*this)(key, number);
    member = number.value_or(kNaN);
  }

  void Bound(std::string_view key, double& member) {
    OrNull(key, member);
    if (std::isnan(member)) member = kInfinity;
  }

  void Bounds(std::string_view key, std::vector<double>& member) {
    (*this)(key, member);
    for (double& bound : member) {
      if (std::isnan(bound)) bound = kInfinity;
    }
  }

 private:
  [[noreturn]] void Fail(const std::string& path, std::string_view expected) const {
    FailDocument(name_, (path.empty() ? "the document" : "field " + Shorten(path, 100)) +
                            " must be " + std::string(expected));
  }

  std::string PathOf(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  const Json& At(std::string_view key) const {
    const Json* found = Details(key);
    if (found == nullptr) Fail(PathOf(key), "present");
    return *found;
  }

  /// Null where there is none: files of before the messages were kept have the sentences alone.
  const Json* Details(std::string_view key) const {
    const auto found = object_.find(std::string(key));
    return found == object_.end() ? nullptr : &*found;
  }

  /// `read(sentence, detail, index)`; the detail is null where it is not there.
  template <class Read>
  void EachSentence(std::string_view key, Read read) {
    std::vector<std::string> sentences;
    (*this)(key, sentences);
    const Json* details = Details(DetailKey(key, true));
    const std::size_t known = details != nullptr && details->is_array() ? details->size() : 0;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      read(sentences[i], i < known ? &(*details)[i] : nullptr, i);
    }
  }

  void Get(const Json& json, const std::string& path, TimeMs& member) const {
    const auto time = TimeOfSeconds(json.is_number() ? json.get<double>() : kNaN);
    if (!time) Fail(path, "a time in unix seconds");
    member = *time;
  }

  void Get(const Json& json, const std::string& path, std::string& member) const {
    if (!json.is_string()) Fail(path, "text");
    member = json.get<std::string>();
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void Get(const Json& json, const std::string& path, T& member) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) Fail(path, "true or false");
    } else if constexpr (std::is_same_v<T, double>) {
      if (!json.is_number()) Fail(path, "a number");
    } else if constexpr (std::is_same_v<T, int>) {
      const bool small = json.is_number_integer() && json >= 0 && json <= 1'000'000;
      if (!small) Fail(path, "a small integer");
    } else if (!json.is_number_unsigned()) {
      Fail(path, "a whole number");
    }
    member = json.get<T>();
  }

  void Get(const Json& json, const std::string& path, std::optional<double>& member) const {
    if (!json.is_null() && !json.is_number()) Fail(path, "a number or null");
    if (json.is_number()) member = json.get<double>();
  }

  // An enumeration: whichever value prints as this word. What is beyond the last prints as it.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void Get(const Json& json, const std::string& path, Enum& member) const {
    std::string expected, last;
    for (int i = 0;; ++i) {
      member = static_cast<Enum>(i);
      const std::string word = ToString(member);
      if (json == word) return;
      if (word == last) Fail(path, expected);
      expected += (i > 0 ? " or \"" : "\"") + word + "\"";
      last = word;
    }
  }

  void Get(const Json& json, const std::string& path, Basis& member) const {
    std::string words;
    Get(json, path, words);
    member = ParseBasis(words);
  }

  void Get(const Json& json, const std::string& path,
           std::vector<std::pair<std::string, std::string>>& member) const {
    if (!json.is_object()) Fail(path, "an object of labels");
    for (const auto& [label, value] : json.items()) {
      std::string text;
      Get(value, path + "." + label, text);
      member.emplace_back(label, std::move(text));
    }
  }

  template <class T>
  void Get(const Json& json, const std::string& path, std::optional<T>& member) const {
    member.reset();
    if (!json.is_null()) Get(json, path, member.emplace());
  }

  void Get(const Json& json, const std::string& path, std::vector<double>& member) const {
    if (!json.is_array()) Fail(path, "an array");
    for (const Json& item : json) {
      if (!item.is_null() && !item.is_number()) Fail(path, "an array of numbers and nulls");
      member.push_back(item.is_null() ? kNaN : item.get<double>());
    }
  }

  template <class T>
  void Get(const Json& json, const std::string& path, std::vector<T>& member) const {
    if (!json.is_array()) Fail(path, "an array");
    member.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      Get(json[i], path + "[" + std::to_string(i) + "]", member.emplace_back());
    }
  }

  template <class T>
  requires std::is_class_v<T>
  void Get(const Json& json, const std::string& path, T& member) const {
    JsonReader reader(json, path, name_);
    Fields(reader, member);
  }

  const Json& object_;
  std::string path_;
  const std::string& name_;
};

/// Documents of before there was `also_seen` have its times among the episodes.
void SplitOff(std::vector<Episode>* episodes, std::vector<Episode>* also_seen) {
  const auto was_none = [](const Episode& one) {
    return !one.reported && one.verdict != Verdict::kIncident;
  };
  std::ranges::copy_if(*episodes, std::back_inserter(*also_seen), was_none);
  std::erase_if(*episodes, was_none);
}

}  // namespace

std::string DetailKey(std::string_view key, bool several) {
  if (several && key.ends_with('s')) key.remove_suffix(1);
  return std::string(key) + (several ? "_details" : "_detail");
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
  json = step.text;
  json.update(Object("query", step.query, "answered", step.answered, "command", step.command));
}

void to_json(Json& json, const Basis& basis) { json = ToString(basis); }

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

void JsonWriter::operator()(std::string_view key, const Message& message) {
  (*this)(key, InEnglish(message));
  (*this)(DetailKey(key, false), message.empty() ? Json() : Json(message));
}

void JsonWriter::operator()(std::string_view key, const std::vector<Message>& messages) {
  (*this)(key, InEnglish(messages));
  object_[DetailKey(key, true)] = messages;
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
  const Json summary = EachOf(split.parts, [](const DiagnosedPart& part) {
    const Diagnosis& d = part.diagnosis;
    const auto& findings = d.findings;
    return Object("value", Visible(part.value), "verdict", d.verdict, "shown",
                  d.alert ? d.alert->shown : std::nullopt, "attempts", d.attempts, "finding",
                  findings.empty() ? Json() : Json(Visible(findings.front().id)), "headline",
                  Visible(InEnglish(d.headline)));
  });
  const Json diagnoses =
      EachOf(split.parts, [](const DiagnosedPart& part) { return Diagnosed(part.diagnosis); });
  return TextOf(Object("schema", "schedlens.diagnoses/1", "label", Visible(split.label), "summary",
                       summary, "diagnoses", diagnoses),
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

Diagnosis ParseDiagnosis(std::string_view json, const std::string& name) {
  Json document;
  const std::string_view shallow = ShallowJson(json);
  if (shallow.size() < json.size()) FailDocument(name, "nested too deeply");
  try {
    document = ParseOrdered(shallow);
  } catch (const Error& error) {
    FailDocument(name, error.what());
  } catch (const Json::parse_error& error) {
    FailDocument(name, "not JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    FailDocument(name, "a number is out of range");
  }
  JsonReader reader(document, "", name);
  std::string schema;
  reader("schema", schema);
  if (schema != kDiagnosisSchema) {
    FailDocument(name, "its schema is \"" + Shorten(schema, 60) + "\", not \"" +
                           std::string(kDiagnosisSchema) + "\"");
  }
  Diagnosis diagnosis;
  Fields(reader, diagnosis);
  if (!document.contains("also_seen")) SplitOff(&diagnosis.episodes, &diagnosis.also_seen);
  if (const std::string fails = WhatFails(&diagnosis); !fails.empty()) FailDocument(name, fails);
  return diagnosis;
}

}  // namespace schedlens
