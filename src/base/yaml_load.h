#pragma once

// YAML with limits, and what to say of a text that is none. Every reader of YAML goes through here.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace YAML {
class Exception;
class Node;
}  // namespace YAML

namespace schedlens {

/// How deep lists and maps may stand in each other.
inline constexpr int kDeepestYaml = 256;

/// What aliases may add to what is written out: in entries of lists and maps, each counted as often
/// as it is read. A list of aliases of lists of aliases multiplies (ten lines make a billion).
inline constexpr std::size_t kMostFromAliases = 100'000;
/// And in bytes of scalars.
inline constexpr std::size_t kMostTextFromAliases = std::size_t{16} << 20;

/// All documents; none for an empty text. Throws YAML::Exception with place and reason, on one
/// line, for what is not YAML, where yaml-cpp takes too much memory, and for what goes over the
/// limits above, which count for all documents together.
std::vector<YAML::Node> LoadAllYaml(const std::string& text);

/// All documents of a file. Throws Error(kUsage) with `file`, the line and what NotYaml says.
std::vector<YAML::Node> LoadYamlFile(const std::string& text, std::string_view file);

enum class YamlKind : std::uint8_t { kNull, kScalar, kSequence, kMap, kAlias };

/// What a YAML text consists of, in order; nothing is done with it here.
class YamlEvents {
 public:
  virtual ~YamlEvents() = default;
  /// An entry at this byte of this line, from 0; of a scalar with its text. It has the `anchor`, an
  /// alias stands for the entry that has it; 0: none.
  virtual void Entry(YamlKind /*kind*/, std::size_t /*pos*/, std::size_t /*line*/,
                     std::string_view /*scalar*/, std::size_t /*anchor*/) {}
  /// The end of the innermost list or map.
  virtual void Close() {}
};

/// All documents, event by event. Throws as LoadAllYaml does.
void ReadYaml(const std::string& text, YamlEvents& events);

/// Whether a text that is no YAML looks like a template that makes some: it has a line that begins
/// with an action, as `{{- if .Values.x }}` or `{% raw %}`, or names values of a chart. The
/// `{{ $labels.x }}` within the annotations of alerts is no such sign.
bool LooksLikeTemplate(std::string_view text);

/// What to do about a text that looks like a template, a clause; empty for any other.
std::string AdviceForTemplate(std::string_view text);

/// Why a text is refused that no YAML reader takes, for `reason`: "not YAML: illegal block entry",
/// and for a template what to do about it.
std::string NotYaml(std::string_view text, std::string_view reason);

/// From 1 on; 1 where the fault is in no line, but in the whole text.
int ErrorLine(const YAML::Exception& error);

// A mapping of a YAML file, read key by key.

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
  /// Of std::int32_t and std::int64_t.
  template <typename Whole>
  void Read(const std::string& key, Whole* out, std::type_identity_t<Whole> low,
            std::type_identity_t<Whole> high);
  /// Adds the texts of a list.
  void Read(const std::string& key, std::vector<std::string>* out);

  /// Of one value, which `key` names in errors.
  std::string TextOf(const YAML::Node& value, const std::string& key) const;
  double NumberOf(const YAML::Node& value, const std::string& key, double low, double high) const;

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

  std::shared_ptr<const YamlFile> file_;
  std::string path_;
  std::shared_ptr<const YAML::Node> node_;
  std::vector<std::string> known_;
  bool finished_ = false;
};

}  // namespace schedlens
