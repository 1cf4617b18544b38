// Text to tree: tokens, then one function a level of precedence.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "schedlens/error.h"
#include "sim/base/quantity.h"
#include "sim/cel/node.h"

namespace schedlens::sim::cel {
namespace {

constexpr int kDeepest = 50;

enum class Kind { kEnd, kName, kText, kInteger, kSign };

struct Token {
  Kind kind = Kind::kEnd;
  std::string text;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) { Next(); }

  NodePtr ParseAll() {
    NodePtr out = ParseOr();
    if (token_.kind != Kind::kEnd) Refuse(token_.text);
    return out;
  }

 private:
  // device, device.attributes or device.capacity, device.attributes["domain"].
  struct Path {
    enum class Of { kDevice, kMap, kDomain } of = Of::kDevice;
    bool capacity = false;
    std::string domain;
  };

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorKind::kFailed, fmt::format("CEL expression `{}`: {}", text_, what));
  }
  [[noreturn]] void Refuse(const std::string& what) const {
    Fail(
        fmt::format("`{}` is not supported; of CEL there are comparisons, `in`, &&, ||, ! on "
                    "device.driver, device.attributes and device.capacity, quantity(), "
                    "compareTo, isGreaterThan, isLessThan, startsWith, endsWith, contains",
                    what));
  }

  void Next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])) != 0) {
      rest_.remove_prefix(1);
    }
    token_ = Token();
    if (rest_.empty()) return;
    const char c = rest_[0];
    std::size_t size = 1;
    const auto while_in = [&](auto in) {
      while (size < rest_.size() && in(static_cast<unsigned char>(rest_[size]))) ++size;
    };
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
      token_.kind = Kind::kName;
      while_in([](unsigned char x) { return std::isalnum(x) != 0 || x == '_'; });
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      token_.kind = Kind::kInteger;
      while_in([](unsigned char x) { return std::isalnum(x) != 0 || x == '.'; });
    } else if (c == '"' || c == '\'') {
      TakeText(c);
      return;
    } else {
      token_.kind = Kind::kSign;
      constexpr std::string_view kTwo[] = {"&&", "||", "==", "!=", "<=", ">="};
      for (const std::string_view sign : kTwo) {
        if (rest_.starts_with(sign)) size = 2;
      }
    }
    token_.text = std::string(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }

  void TakeText(char quote) {
    token_.kind = Kind::kText;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\\') {
        rest_.remove_prefix(1);
        const bool plain =
            !rest_.empty() && (rest_[0] == '\\' || rest_[0] == '"' || rest_[0] == '\'');
        if (!plain) Refuse("\\ before anything but a quote or itself");
      }
      token_.text += rest_[0];
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) Fail("a text does not end");
    rest_.remove_prefix(1);
  }

  bool Take(std::string_view sign) {
    if ((token_.kind != Kind::kSign && token_.kind != Kind::kName) || token_.text != sign) {
      return false;
    }
    Next();
    return true;
  }
  void Expect(std::string_view sign) {
    if (Take(sign)) return;
    Fail(fmt::format("`{}` expected{}", sign,
                     token_.kind == Kind::kEnd ? "" : fmt::format(" before `{}`", token_.text)));
  }
  std::string TakeKind(Kind kind, std::string_view what) {
    if (token_.kind != kind) Fail(fmt::format("{} expected", what));
    std::string out = token_.text;
    Next();
    return out;
  }

  NodePtr ParseOr() {
    if (++depth_ > kDeepest) Fail("it is nested too deeply");
    NodePtr out = ParseAnd();
    while (Take("||")) out = MakeLogic(false, std::move(out), ParseAnd());
    --depth_;
    return out;
  }
  NodePtr ParseAnd() {
    NodePtr out = ParseComparison();
    while (Take("&&")) out = MakeLogic(true, std::move(out), ParseComparison());
    return out;
  }

  NodePtr ParseComparison() {
    // A name asked for in a map is not a value of its own.
    if (token_.kind == Kind::kText) {
      const std::string text = token_.text;
      Next();
      if (Take("in")) return ParseIn(MakeLiteral(text), text);
      return ParseRest(ParseMethods(MakeLiteral(text)));
    }
    return ParseRest(ParseUnary());
  }
  NodePtr ParseRest(NodePtr left) {
    constexpr std::pair<std::string_view, CelComparison> kSigns[] = {
        {"==", CelComparison::kEqual},  {"!=", CelComparison::kNotEqual},
        {"<", CelComparison::kLess},    {"<=", CelComparison::kLessOrEqual},
        {">", CelComparison::kGreater}, {">=", CelComparison::kGreaterOrEqual}};
    if (Take("in")) return ParseIn(std::move(left), std::nullopt);
    for (const auto& [sign, comparison] : kSigns) {
      if (Take(sign)) return MakeComparison(comparison, std::move(left), ParseUnary());
    }
    return left;
  }

  NodePtr ParseIn(NodePtr left, const std::optional<std::string>& name) {
    if (name && token_.text == "device") {
      const Path path = ParsePath();
      if (path.of != Path::Of::kDomain) Refuse("in device...");
      return MakeHas(path.capacity, path.domain, *name);
    }
    Expect("[");
    std::vector<NodePtr> list;
    while (!Take("]")) {
      if (!list.empty()) Expect(",");
      list.push_back(ParseUnary());
    }
    return MakeIn(std::move(left), std::move(list));
  }

  NodePtr ParseUnary() {
    if (++depth_ > kDeepest) Fail("it is nested too deeply");
    NodePtr out;
    if (Take("!")) {
      out = MakeNot(ParseUnary());
    } else if (Take("(")) {
      out = ParseOr();
      Expect(")");
      out = ParseMethods(std::move(out));
    } else {
      out = ParseMethods(ParsePrimary());
    }
    --depth_;
    return out;
  }

  NodePtr ParsePrimary() {
    const bool negative = Take("-");
    if (token_.kind == Kind::kInteger) return MakeLiteral(TakeInteger(negative));
    if (negative) Refuse("-");
    if (token_.kind == Kind::kText) return MakeLiteral(TakeKind(Kind::kText, "a text"));
    if (token_.kind != Kind::kName) Fail("a value expected");
    if (token_.text == "device") return ParseDevice();
    const std::string name = TakeKind(Kind::kName, "a name");
    if (name == "true" || name == "false") return MakeLiteral(name == "true");
    if (name == "quantity") return ParseQuantity();
    if (name == "has") return ParseHas();
    Refuse(name);
  }

  std::int64_t TakeInteger(bool negative) {
    const std::string text = (negative ? "-" : "") + token_.text;
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) Refuse(text);
    Next();
    return out;
  }

  NodePtr ParseQuantity() {
    Expect("(");
    const std::string text = TakeKind(Kind::kText, "a text");
    Expect(")");
    const auto milli = core::QuantityMilli(text);
    if (!milli) Fail(fmt::format("`{}` is not a quantity", text));
    return MakeLiteral(Quantity{*milli});
  }

  NodePtr ParseHas() {
    Expect("(");
    const Path path = ParsePath();
    if (path.of != Path::Of::kDomain) Refuse("has(...)");
    Expect(".");
    const std::string name = TakeKind(Kind::kName, "a name");
    Expect(")");
    return MakeHas(path.capacity, path.domain, name);
  }

  // `device` up to the domain; device.driver is left to the caller.
  Path ParsePath() {
    Path out;
    Expect("device");
    Expect(".");
    const std::string member = TakeKind(Kind::kName, "a name");
    if (member == "driver") return out;
    if (member != "attributes" && member != "capacity") Refuse("device." + member);
    out.of = Path::Of::kMap;
    out.capacity = member == "capacity";
    if (!Take("[")) Refuse("device." + member);
    out.of = Path::Of::kDomain;
    out.domain = TakeKind(Kind::kText, "a text");
    Expect("]");
    return out;
  }

  NodePtr ParseDevice() {
    const Path path = ParsePath();
    if (path.of == Path::Of::kDevice) return MakeDriver();
    if (Take("[")) {
      const std::string name = TakeKind(Kind::kText, "a text");
      Expect("]");
      return MakeLookup(path.capacity, path.domain, name);
    }
    Expect(".");
    return MakeLookup(path.capacity, path.domain, TakeKind(Kind::kName, "a name"));
  }

  NodePtr ParseMethods(NodePtr of) {
    while (Take(".")) {
      const std::string name = TakeKind(Kind::kName, "a name");
      Expect("(");
      if (token_.text == ")" && token_.kind == Kind::kSign) Refuse("." + name + "()");
      NodePtr argument = ParseOr();
      Expect(")");
      NodePtr method = MakeMethod(name, std::move(of), std::move(argument));
      if (!method) Refuse("." + name + "()");
      of = std::move(method);
    }
    return of;
  }

  std::string_view text_, rest_;
  Token token_;
  int depth_ = 0;
};

}  // namespace

NodePtr Parse(std::string_view text) { return Parser(text).ParseAll(); }

}  // namespace schedlens::sim::cel
