#include "analysis/lint/names_as_written.h"

#include "contract/series.h"

namespace schedlens {

NamesAsWritten::NamesAsWritten(const promql::Expr& tree) {
  promql::Walk(tree, [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr) return;
    own_.insert(selector->name);
    own_.insert(FamilyOf(selector->name));
  });
}

void NamesAsWritten::Renamed(const std::string& before, const std::string& after) {
  Add(before, after);
  Add(FamilyOf(before), FamilyOf(after));
}

void NamesAsWritten::AddSeries() {
  for (const std::string& name : own_) {
    for (const char* suffix : {"_bucket", "_count"}) Add(name, name + suffix);
  }
}

void NamesAsWritten::Add(const std::string& before, const std::string& after) {
  if (own_.count(after) > 0) return;
  const auto earlier = written_.find(before);
  written_.emplace(after, earlier == written_.end() ? before : std::string(earlier->second));
}

Message NamesAsWritten::In(Message message) const {
  for (Argument& argument : message.args) {
    Value& value = argument.value;
    if (value.type == Value::Type::kMetric) {
      const auto name = written_.find(value.text);
      if (name != written_.end()) value.text = name->second;
    }
    for (Message& inner : value.messages) inner = In(inner);
  }
  return message;
}

}  // namespace schedlens
