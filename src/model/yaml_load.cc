#include "model/yaml_load.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace schedlens {
namespace {

/// Walks a document as its readers do, and goes into an alias each time.
class Limits {
 public:
  /// Without aliases a text never has more nodes than bytes, nor more bytes of scalars.
  explicit Limits(const std::string& text)
      : nodes_(text.size() + kMostFromAliases), bytes_(text.size() + kMostTextFromAliases) {}

  void Check(const YAML::Node& node, int depth = 0) {
    const std::size_t bytes = node.IsScalar() ? node.Scalar().size() : 0;
    if (nodes_ == 0 || bytes_ < bytes) {
      throw YAML::Exception(node.Mark(),
                            fmt::format("its aliases stand for more than {} entries or {} bytes",
                                        kMostFromAliases, kMostTextFromAliases));
    }
    --nodes_;
    bytes_ -= bytes;
    if (!node.IsSequence() && !node.IsMap()) return;
    if (depth == kDeepestYaml) {
      throw YAML::Exception(node.Mark(),
                            fmt::format("lists and maps nest deeper than {}", kDeepestYaml));
    }
    for (const auto& entry : node) {
      if (node.IsMap()) {
        Check(entry.first, depth + 1);
        Check(entry.second, depth + 1);
      } else {
        Check(entry, depth + 1);
      }
    }
  }

 private:
  std::size_t nodes_;
  std::size_t bytes_;
};

/// Where each document starts. After a document that ends before its line does (`{a: b}, c`)
/// yaml-cpp gives empty documents for ever, all at the same place.
class Starts : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (last_ == mark.pos) throw YAML::ParserException(mark, "text after the end of a document");
    last_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::optional<int> last_;
};

/// Throws YAML::Exception where LoadAll would not end.
void CheckEnds(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  Starts starts;
  while (parser.HandleNextDocument(starts)) {
  }
}

/// Some reasons repeat a character of the text, which may be a line break.
template <typename Load>
auto WithReasonOnOneLine(Load load) {
  try {
    return load();
  } catch (const YAML::Exception& error) {
    std::string reason = error.msg;
    std::replace_if(
        reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    throw YAML::Exception(error.mark, reason);
  }
}

}  // namespace

YAML::Node LoadYaml(const std::string& text) {
  return WithReasonOnOneLine([&] {
    YAML::Node root = YAML::Load(text);
    Limits(text).Check(root);
    return root;
  });
}

std::vector<YAML::Node> LoadAllYaml(const std::string& text) {
  return WithReasonOnOneLine([&] {
    CheckEnds(text);
    std::vector<YAML::Node> documents = YAML::LoadAll(text);
    Limits limits(text);
    for (const YAML::Node& document : documents) limits.Check(document);
    return documents;
  });
}

}  // namespace schedlens
