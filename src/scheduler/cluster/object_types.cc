// What object_types.txt says of an object's fields.

#include <yaml-cpp/yaml.h>

#include "base/json.h"
#include "base/suggestion.h"
#include "scheduler/cluster/object_fields.h"

namespace schedlens::sim::core {
namespace {

struct ObjectField {
  std::string_view name;
  char mark = ' ';  ///< `:`, `=`, `!`, `?` as in the table
  bool list = false;
  std::string_view rest;                              ///< behind the mark
  const std::vector<ObjectField>* of_type = nullptr;  ///< of `:`
  std::vector<std::string> words;                     ///< of `=`
};

using ObjectTypes = std::map<std::string_view, std::vector<ObjectField>>;

const ObjectTypes& AllObjectTypes() {
  static const ObjectTypes all = [] {
    ObjectTypes out;
    std::vector<ObjectField>* type = nullptr;
    for (const std::string_view line : SplitAt(ObjectTypesTexts().front().text, '\n')) {
      if (line.starts_with('#')) continue;
      bool first = !line.starts_with(' ');
      for (const std::string_view word : SplitAt(line, ' ')) {
        if (std::exchange(first, false)) {
          type = &out[word];
          continue;
        }
        const std::size_t mark = std::min(word.find_first_of(":=!?"), word.size());
        ObjectField& field = type->emplace_back();
        field.name = word.substr(0, mark);
        if (mark == word.size()) continue;
        field.mark = word[mark];
        field.rest = word.substr(mark + 1);
        field.list = field.rest.ends_with("[]");
        if (field.mark == ':') field.of_type = &out[field.rest.substr(0, field.rest.find('['))];
        for (const std::string_view one : SplitAt(field.rest, '|')) field.words.emplace_back(one);
      }
    }
    return out;
  }();
  return all;
}

class FieldChecker {
 public:
  explicit FieldChecker(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // False where the fault is.
  bool Check(const Json& json, const std::vector<ObjectField>& fields) {
    return Each(json, [&](const std::string& key, const Json& value) {
      const auto at = std::ranges::find(fields, key, &ObjectField::name);
      return at == fields.end() ? Unknown(key, json, fields) : value.is_null() || Fits(value, *at);
    });
  }

  FieldFault fault;

 private:
  // The members of an object, or the items of a list by number.
  template <typename Use>
  bool Each(const Json& json, const Use& fits) {
    for (const auto& item : json.items()) {
      fault.path.push_back(item.key());
      if (!fits(item.key(), item.value())) return false;
      fault.path.pop_back();
    }
    return true;
  }

  bool Unknown(const std::string& key, const Json& json, const std::vector<ObjectField>& fields) {
    std::vector<std::string> known;
    for (const ObjectField& field : fields) known.emplace_back(field.name);
    const std::string meant = Meant(key, known);
    // A newer name beside an older one that it resembles is no slip: podIP, podIPs.
    if (unknown_ == nullptr || (!meant.empty() && !json.contains(meant))) {
      return Fail(fmt::format("unknown field `{}`{}", key, Correction(key, known)));
    }
    return Note();
  }

  bool Fits(const Json& value, const ObjectField& field) {
    if (field.mark == '!' || field.mark == '?') {
      if (value.empty() || (field.mark == '!' && unknown_ != nullptr)) return true;
      if (unknown_ != nullptr) return Note();
      return Fail(fmt::format("`{}` is not modelled; remove it to place the pod by the rest of it",
                              field.name));
    }
    if (field.mark == '=') return FitsWords(value, field);
    if (field.of_type == nullptr) return true;
    if (field.list ? !value.is_array() : !value.is_object()) {
      return Fail(fmt::format("`{}` must be a {}", field.name, field.list ? "list" : "mapping"));
    }
    if (!field.list) return Check(value, *field.of_type);
    return Each(value, [&](const auto&, const Json& item) {
      return item.is_object() ? Check(item, *field.of_type)
                              : Fail(fmt::format("`{}` must be a list of mappings", field.name));
    });
  }

  bool FitsWords(const Json& value, const ObjectField& field) {
    if (field.rest == "%") {
      return Each(value, [&](const std::string& name, const Json& amount) {
        const std::string text = amount.is_string() ? amount.get<std::string>() : WriteJson(amount);
        const auto number = QuantityValue(text);
        if (number && *number >= 0) return true;
        return Fail(
            fmt::format("{} `{}` is {}", name, text, number ? "negative" : "not a quantity"));
      });
    }
    if (field.rest == "$") {
      return Each(value, [&](const std::string& name, const Json& text) {
        return !text.is_structured() || Fail(fmt::format("`{}` must be a text", name));
      });
    }
    const std::size_t dots = field.rest.find("..");
    if (dots != std::string_view::npos) {
      if (!value.is_number_integer()) {
        return Fail(fmt::format("`{}` must be a whole number", field.name));
      }
      const auto number = value.get<std::int64_t>();
      if (number >= WholeNumber<std::int64_t>(field.rest.substr(0, dots)) &&
          number <= WholeNumber<std::int64_t>(field.rest.substr(dots + 2))) {
        return true;
      }
      return Fail(fmt::format("`{}` is {}, it must lie in {}", field.name, number, field.rest));
    }
    if (value.is_array()) {
      return Each(value, [&](const auto&, const Json& item) { return FitsWords(item, field); });
    }
    const std::string text = value.is_string() ? value.get<std::string>() : WriteJson(value);
    if (text.empty() || std::ranges::find(field.words, text) != field.words.end()) return true;
    std::string known;
    for (const std::string& word : field.words) {
      known += (known.empty() ? "" : word == field.words.back() ? " or " : ", ") + word;
    }
    return Fail(fmt::format("`{}` is {}, not `{}`{}", field.name, known, text,
                            Correction(text, field.words)));
  }

  bool Note() {
    unknown_->push_back(fmt::format("{}", fmt::join(fault.path, ".")));
    return true;
  }

  // The place is what the field is in: `spec.tolerations[0]`.
  bool Fail(const std::string& why) {
    for (std::size_t i = 0; i + 1 < fault.path.size(); ++i) {
      const bool number = WholeNumber<int>(fault.path[i]).has_value();
      fault.why += number ? "[" + fault.path[i] + "]" : (i == 0 ? "" : ".") + fault.path[i];
    }
    fault.why += (fault.why.empty() ? "" : ": ") + why;
    return false;
  }

  std::vector<std::string>* unknown_;
};

Json FieldsFrom(YamlMap& map, const std::vector<ObjectField>& fields) {
  Json out = Json::object();
  for (const ObjectField& field : fields) {
    const std::string key(field.name);
    const YAML::Node value = map.Find(key);
    if (!value) continue;
    Json& json = out[key];
    if (field.of_type == nullptr) {
      json = FromYaml(value);
    } else if (field.list) {
      json = Json::array();
      map.Each(key, [&](YamlMap& item) { json.push_back(FieldsFrom(item, *field.of_type)); });
    } else {
      YamlMap child = map.Child(value, key);
      json = FieldsFrom(child, *field.of_type);
    }
  }
  map.Finish();
  return out;
}

}  // namespace

Json TypedFrom(YamlMap& map, std::string_view type) {
  return FieldsFrom(map, AllObjectTypes().at(type));
}

std::optional<FieldFault> FaultOf(const Json& object, std::string_view type,
                                  std::vector<std::string>* unknown) {
  const auto at = AllObjectTypes().find(type);
  if (at == AllObjectTypes().end() || !object.is_object()) return std::nullopt;
  FieldChecker checker(unknown);
  if (checker.Check(object, at->second)) return std::nullopt;
  return std::move(checker.fault);
}

}  // namespace schedlens::sim::core
