#include "sim/cel/expression.h"

#include <fmt/format.h>

#include <utility>

#include "schedlens/error.h"
#include "sim/cel/node.h"

namespace schedlens::sim::cel {

Expression::Expression(std::string_view text) : text_(text), root_(Parse(text)) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::Matches(const Device& device) const {
  const Result result = root_->Evaluate(device);
  const bool* value = std::get_if<bool>(&result.value);
  if (result.ok() && value != nullptr) return *value;
  throw Error(ErrorKind::kFailed,
              fmt::format("CEL expression `{}`: {}", text_,
                          result.ok() ? "it is neither true nor false" : result.error));
}

}  // namespace schedlens::sim::cel
