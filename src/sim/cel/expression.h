#ifndef SCHEDLENS_SIM_CEL_EXPRESSION_H_
#define SCHEDLENS_SIM_CEL_EXPRESSION_H_

// The part of CEL that selectors of devices need: a device's driver, attributes and capacities,
// literals, comparisons, `in`, `&&`, `||`, `!`, quantities and the plain methods of texts.
// Everything else is refused when the expression is read, by name.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace schedlens::sim::cel {

/// A quantity's value, in thousandths.
struct Quantity {
  std::int64_t milli = 0;
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

using Value = std::variant<bool, std::int64_t, std::string, Quantity>;

/// What an expression is asked about. Names are `domain/name`; without a domain it is the driver.
struct Device {
  std::string driver;
  std::map<std::string, Value> attributes;
  std::map<std::string, Value> capacity;  ///< quantities
};

class ExpressionNode;

class Expression {
 public:
  /// Throws Error(kFailed) for text that is not CEL, or not of the part above.
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Throws Error(kFailed) where CEL fails: an attribute that is not there, values that do not
  /// compare.
  bool Matches(const Device& device) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::unique_ptr<const ExpressionNode> root_;
};

}  // namespace schedlens::sim::cel

#endif  // SCHEDLENS_SIM_CEL_EXPRESSION_H_
