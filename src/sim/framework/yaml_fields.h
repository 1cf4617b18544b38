#ifndef SCHEDLENS_SIM_FRAMEWORK_YAML_FIELDS_H_
#define SCHEDLENS_SIM_FRAMEWORK_YAML_FIELDS_H_

// Reads YAML strictly: every field is known, or an error with its line and the nearest name.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {
class Node;
}

namespace schedlens::sim::core {

/// `; did you mean ...?`, or nothing if no known word is near.
std::string DidYouMean(const std::string& word, const std::vector<std::string>& known);

/// Every method throws Error(kUsage) with the file and the line for a value of another kind.
class YamlFields {
 public:
  using Field = std::function<void(const YAML::Node&)>;
  using Fields = std::map<std::string, Field>;

  explicit YamlFields(std::string_view file) : file_(file) {}

  /// Takes a field that is not known and the place of its key.
  using Skip = std::function<void(const std::string& field, const std::string& at)>;
  /// From now on letters of keys match in either case, and what is not known goes to `skip`, but
  /// for what looks mistyped.
  void SkipUnknown(Skip skip) { skip_ = std::move(skip); }

  const std::string& file() const { return file_; }
  /// `file:line`.
  std::string PlaceOf(const YAML::Node& node) const;
  static void Ignore(const YAML::Node&) {}
  [[noreturn]] void Fail(const YAML::Node& node, const std::string& what) const;
  /// Calls what is listed for each key. `what` names the map in errors.
  void ReadFields(const YAML::Node& node, std::string_view what, const Fields& fields) const;
  void ReadList(const YAML::Node& node, std::string_view what, const Field& each) const;
  std::string Text(const YAML::Node& node) const;
  std::int64_t Integer(const YAML::Node& node, std::int64_t low, std::int64_t high) const;
  std::int32_t Int32(const YAML::Node& node, std::int32_t low, std::int32_t high) const {
    return static_cast<std::int32_t>(Integer(node, low, high));
  }
  double Number(const YAML::Node& node, double low, double high) const;
  double Seconds(const YAML::Node& node) const { return Number(node, 0, 1e6); }
  bool Truth(const YAML::Node& node) const;
  /// Go's time.Duration (`5s`, `200ms`, `1m30s`; a whole number of nanoseconds), in seconds.
  double Duration(const YAML::Node& node) const;

 private:
  /// The field of this key, or nothing where it is skipped.
  const Field* FieldOf(const YAML::Node& key, std::string_view what, const Fields& fields) const;

  std::string file_;
  Skip skip_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_YAML_FIELDS_H_
