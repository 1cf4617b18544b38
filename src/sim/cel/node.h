#ifndef SCHEDLENS_SIM_CEL_NODE_H_
#define SCHEDLENS_SIM_CEL_NODE_H_

// The tree of an expression.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cel/expression.h"

namespace schedlens::sim::cel {

/// A value, or why there is none.
struct Result {
  Value value = false;
  std::string error;  ///< empty: there is a value
  bool ok() const { return error.empty(); }
};

class ExpressionNode {
 public:
  virtual ~ExpressionNode() = default;
  virtual Result Evaluate(const Device& device) const = 0;
};
using NodePtr = std::unique_ptr<const ExpressionNode>;

/// Throws Error(kFailed).
NodePtr Parse(std::string_view text);

// One constructor a kind of node.
NodePtr MakeLiteral(Value value);
NodePtr MakeDriver();
/// An attribute or a capacity; without a domain in `name`, that is the domain.
NodePtr MakeLookup(bool capacity, std::string domain, std::string name);
/// `"name" in device.attributes["domain"]` and has(device.attributes["domain"].name).
NodePtr MakeHas(bool capacity, std::string domain, std::string name);
NodePtr MakeNot(NodePtr of);
/// `conjunction`: &&, else ||. A side that decides hides the other's error.
NodePtr MakeLogic(bool conjunction, NodePtr left, NodePtr right);
enum class CelComparison { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
NodePtr MakeComparison(CelComparison comparison, NodePtr left, NodePtr right);
NodePtr MakeIn(NodePtr left, std::vector<NodePtr> list);
/// compareTo, isGreaterThan, isLessThan of quantities; startsWith, endsWith, contains of texts.
/// Null if there is no such method.
NodePtr MakeMethod(std::string_view name, NodePtr of, NodePtr argument);

}  // namespace schedlens::sim::cel

#endif  // SCHEDLENS_SIM_CEL_NODE_H_
