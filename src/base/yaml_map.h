#pragma once

// A mapping of a YAML file, read key by key.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace YAML {
class Node;
}  // namespace YAML

namespace schedlens {

/// How the mappings of one file are read.
struct YamlFile {
  std::string name;
  /// Takes a key that is not known and its place (`file:line`). With it keys match in either case,
  /// and only what looks mistyped is an error. Without it every unknown key is one.
  std::function<void(const std::string& key, const std::string& place)> skip = {};
  /// Reads a number, throws Error with what is wrong; whole ones are rounded. Without it numbers
  /// are plain and whole ones are whole.
  std::function<double(const std::string& text)> number = {};
};

/// Every key asked for is known; Finish complains about the others. An absent key and null leave
/// the value. Every complaint is an Error(kUsage) of one line with file, line and path.
class YamlMap {
 public:
  /// Throws for anything but a mapping, null or nothing, and for a key that is given twice.
  YamlMap(const YAML::Node& node, YamlFile file);

  [[noreturn]] void Fail(const YAML::Node& at, const std::string& why) const;
  /// `file:line`; the file alone for what has no line.
  std::string PlaceOf(const YAML::Node& at) const;
  const YAML::Node& node() const { return *node_; }

  /// The value; undefined where there is none or null.
  YAML::Node Find(const std::string& key);
  bool Has(const std::string& key);
  void Ignore(std::initializer_list<const char*> keys);

  void Read(const std::string& key, std::string* out);
  /// The words of YAML 1.1: true, yes, on, y and their opposites.
  void Read(const std::string& key, bool* out);
  void Read(const std::string& key, double* out, double low, double high);
  void Read(const std::string& key, std::int32_t* out, std::int32_t low, std::int32_t high);
  void Read(const std::string& key, std::int64_t* out, std::int64_t low, std::int64_t high);
  /// Adds the texts of a list.
  void Read(const std::string& key, std::vector<std::string>* out);

  /// Of one value, which `key` names in errors.
  std::string TextOf(const YAML::Node& value, const std::string& key) const;
  double NumberOf(const YAML::Node& value, const std::string& key, double low, double high) const;
  /// `value` if it lies in the range.
  double Bounded(const YAML::Node& at, const std::string& key, double value, double low,
                 double high) const;

  /// A mapping under a key, or elsewhere in the file with `name` in its path.
  YamlMap Sub(const std::string& key);
  YamlMap Child(const YAML::Node& node, const std::string& name) const;
  /// Calls use(map) for each mapping of a list, and finishes it.
  void Each(const std::string& key, const std::function<void(YamlMap&)>& use);
  /// The items of a list; none where it is absent.
  std::vector<YAML::Node> List(const std::string& key);
  /// Calls use(key, value) for each entry of a mapping whose keys are free.
  void Entries(const std::string& key,
               const std::function<void(const YAML::Node& key, const YAML::Node& value)>& use);

  /// Complains about the first key that was never asked for, naming the nearest that was.
  void Finish();

 private:
  YamlMap(const YAML::Node& node, std::shared_ptr<const YamlFile> file, std::string path);
  bool Same(const std::string& a, const std::string& b) const;
  template <typename Whole>
  void ReadWhole(const std::string& key, Whole* out, Whole low, Whole high);

  std::shared_ptr<const YamlFile> file_;
  std::string path_;
  std::shared_ptr<const YAML::Node> node_;
  std::vector<std::string> known_;
  bool finished_ = false;
};

}  // namespace schedlens
