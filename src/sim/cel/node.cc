// What each kind of node comes to.

#include "sim/cel/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace schedlens::sim::cel {
namespace {

Result Failed(std::string why) { return {false, std::move(why)}; }

class Literal : public ExpressionNode {
 public:
  explicit Literal(Value value) : value_(std::move(value)) {}
  Result Evaluate(const Device&) const override { return {value_, ""}; }

 private:
  Value value_;
};

class Driver : public ExpressionNode {
 public:
  Result Evaluate(const Device& device) const override { return {device.driver, ""}; }
};

const Value* Find(const Device& device, bool capacity, const std::string& domain,
                  const std::string& name) {
  const auto& values = capacity ? device.capacity : device.attributes;
  const auto at = values.find(domain + "/" + name);
  return at == values.end() ? nullptr : &at->second;
}

class Lookup : public ExpressionNode {
 public:
  Lookup(bool capacity, std::string domain, std::string name)
      : capacity_(capacity), domain_(std::move(domain)), name_(std::move(name)) {}
  Result Evaluate(const Device& device) const override {
    const Value* value = Find(device, capacity_, domain_, name_);
    if (value == nullptr) return Failed(fmt::format("no such key: {}", name_));
    return {*value, ""};
  }

 private:
  bool capacity_;
  std::string domain_, name_;
};

class Has : public ExpressionNode {
 public:
  Has(bool capacity, std::string domain, std::string name)
      : capacity_(capacity), domain_(std::move(domain)), name_(std::move(name)) {}
  Result Evaluate(const Device& device) const override {
    return {Find(device, capacity_, domain_, name_) != nullptr, ""};
  }

 private:
  bool capacity_;
  std::string domain_, name_;
};

class Not : public ExpressionNode {
 public:
  explicit Not(NodePtr of) : of_(std::move(of)) {}
  Result Evaluate(const Device& device) const override {
    const Result result = of_->Evaluate(device);
    if (!result.ok()) return result;
    const bool* value = std::get_if<bool>(&result.value);
    return value == nullptr ? Failed("no such overload: !") : Result{!*value, ""};
  }

 private:
  NodePtr of_;
};

class Logic : public ExpressionNode {
 public:
  Logic(bool conjunction, NodePtr left, NodePtr right)
      : and_(conjunction), left_(std::move(left)), right_(std::move(right)) {}
  Result Evaluate(const Device& device) const override {
    Result error{!and_, ""};
    for (const NodePtr* side : {&left_, &right_}) {
      const Result result = (*side)->Evaluate(device);
      const bool* value = std::get_if<bool>(&result.value);
      if (!result.ok()) {
        error = result;
      } else if (value == nullptr) {
        error = Failed(and_ ? "no such overload: &&" : "no such overload: ||");
      } else if (*value != and_) {
        return {!and_, ""};
      }
    }
    return error.ok() ? Result{and_, ""} : error;
  }

 private:
  bool and_;
  NodePtr left_, right_;
};

class Compare : public ExpressionNode {
 public:
  Compare(CelComparison comparison, NodePtr left, NodePtr right)
      : comparison_(comparison), left_(std::move(left)), right_(std::move(right)) {}
  Result Evaluate(const Device& device) const override {
    const Result a = left_->Evaluate(device), b = right_->Evaluate(device);
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    if (comparison_ == CelComparison::kEqual) return {a.value == b.value, ""};
    if (comparison_ == CelComparison::kNotEqual) return {a.value != b.value, ""};
    const auto ordered = [&]<typename T>(const T* x, const T* y) {
      return comparison_ == CelComparison::kLess          ? *x < *y
             : comparison_ == CelComparison::kLessOrEqual ? *x <= *y
             : comparison_ == CelComparison::kGreater     ? *x > *y
                                                          : *x >= *y;
    };
    const auto* number = std::get_if<std::int64_t>(&a.value);
    const auto* other_number = std::get_if<std::int64_t>(&b.value);
    if (number != nullptr && other_number != nullptr) return {ordered(number, other_number), ""};
    const auto* text = std::get_if<std::string>(&a.value);
    const auto* other_text = std::get_if<std::string>(&b.value);
    if (text != nullptr && other_text != nullptr) return {ordered(text, other_text), ""};
    return Failed("no such overload: values of two types do not compare");
  }

 private:
  CelComparison comparison_;
  NodePtr left_, right_;
};

class In : public ExpressionNode {
 public:
  In(NodePtr left, std::vector<NodePtr> list) : left_(std::move(left)), list_(std::move(list)) {}
  Result Evaluate(const Device& device) const override {
    const Result value = left_->Evaluate(device);
    if (!value.ok()) return value;
    for (const NodePtr& item : list_) {
      const Result other = item->Evaluate(device);
      if (!other.ok()) return other;
      if (other.value == value.value) return {true, ""};
    }
    return {false, ""};
  }

 private:
  NodePtr left_;
  std::vector<NodePtr> list_;
};

using QuantityMethod = Value (*)(const Quantity&, const Quantity&);
using TextMethod = bool (*)(const std::string&, const std::string&);

class Method : public ExpressionNode {
 public:
  Method(QuantityMethod of_quantities, TextMethod of_texts, NodePtr of, NodePtr argument)
      : of_quantities_(of_quantities),
        of_texts_(of_texts),
        of_(std::move(of)),
        argument_(std::move(argument)) {}
  Result Evaluate(const Device& device) const override {
    const Result a = of_->Evaluate(device), b = argument_->Evaluate(device);
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    const auto* quantity = std::get_if<Quantity>(&a.value);
    const auto* other = std::get_if<Quantity>(&b.value);
    if (of_quantities_ != nullptr && quantity != nullptr && other != nullptr) {
      return {of_quantities_(*quantity, *other), ""};
    }
    const auto* text = std::get_if<std::string>(&a.value);
    const auto* part = std::get_if<std::string>(&b.value);
    if (of_texts_ != nullptr && text != nullptr && part != nullptr) {
      return {of_texts_(*text, *part), ""};
    }
    return Failed("no such overload: a method of another type");
  }

 private:
  QuantityMethod of_quantities_;
  TextMethod of_texts_;
  NodePtr of_, argument_;
};

struct MethodRow {
  std::string_view name;
  QuantityMethod of_quantities;
  TextMethod of_texts;
};
constexpr MethodRow kMethods[] = {
    {"compareTo",
     [](const Quantity& a, const Quantity& b) -> Value {
       return static_cast<std::int64_t>((a.milli > b.milli) - (a.milli < b.milli));
     },
     nullptr},
    {"isGreaterThan",
     [](const Quantity& a, const Quantity& b) -> Value { return a.milli > b.milli; }, nullptr},
    {"isLessThan", [](const Quantity& a, const Quantity& b) -> Value { return a.milli < b.milli; },
     nullptr},
    {"startsWith", nullptr,
     [](const std::string& text, const std::string& part) { return text.starts_with(part); }},
    {"endsWith", nullptr,
     [](const std::string& text, const std::string& part) { return text.ends_with(part); }},
    {"contains", nullptr,
     [](const std::string& text, const std::string& part) {
       return text.find(part) != std::string::npos;
     }},
};

}  // namespace

NodePtr MakeLiteral(Value value) { return std::make_unique<Literal>(std::move(value)); }
NodePtr MakeDriver() { return std::make_unique<Driver>(); }
NodePtr MakeLookup(bool capacity, std::string domain, std::string name) {
  return std::make_unique<Lookup>(capacity, std::move(domain), std::move(name));
}
NodePtr MakeHas(bool capacity, std::string domain, std::string name) {
  return std::make_unique<Has>(capacity, std::move(domain), std::move(name));
}
NodePtr MakeNot(NodePtr of) { return std::make_unique<Not>(std::move(of)); }
NodePtr MakeLogic(bool conjunction, NodePtr left, NodePtr right) {
  return std::make_unique<Logic>(conjunction, std::move(left), std::move(right));
}
NodePtr MakeComparison(CelComparison comparison, NodePtr left, NodePtr right) {
  return std::make_unique<Compare>(comparison, std::move(left), std::move(right));
}
NodePtr MakeIn(NodePtr left, std::vector<NodePtr> list) {
  return std::make_unique<In>(std::move(left), std::move(list));
}
NodePtr MakeMethod(std::string_view name, NodePtr of, NodePtr argument) {
  const auto* row = std::find_if(std::begin(kMethods), std::end(kMethods),
                                 [&](const MethodRow& known) { return known.name == name; });
  if (row == std::end(kMethods)) return nullptr;
  return std::make_unique<Method>(row->of_quantities, row->of_texts, std::move(of),
                                  std::move(argument));
}

}  // namespace schedlens::sim::cel
