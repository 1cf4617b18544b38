#include "base/yaml_load.h"

#include <malloc.h>
#include <re2/re2.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <istream>
#include <map>
#include <set>
#include <streambuf>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "base/work_budget.h"

namespace schedlens {
namespace {

/// Hands over yaml-cpp's events, within the limits: an alias counts as what it stands for.
class LimitedEvents : public YAML::EventHandler {
 public:
  /// Without aliases a text never has more entries than bytes, nor more bytes of scalars.
  LimitedEvents(const std::string& text, YamlEvents* to)
      : to_(*to),
        entries_(text.size() + kMostFromAliases),
        bytes_(text.size() + kMostTextFromAliases) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    CheckBudget();
    // After a document that ends before its line does (`{a: b}, c`) yaml-cpp gives empty documents
    // for ever, all at the same place.
    if (last_ == mark.pos) throw YAML::ParserException(mark, "text after the end of a document");
    last_ = mark.pos;
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Leaf(YamlKind::kNull, mark, "", anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    Leaf(YamlKind::kScalar, mark, value, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at = anchors_.find(anchor);
    // What holds itself has no end.
    if (at == anchors_.end()) throw TooDeep(mark);
    const Size& size = at->second;
    if (open_.size() + static_cast<std::size_t>(size.depth) > kDeepestYaml) throw TooDeep(mark);
    Count(size, mark);
    Tell(YamlKind::kAlias, mark, "", anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlKind::kSequence, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlKind::kMap, mark, anchor);
  }
  void OnMapEnd() override { Close(); }

  /// Falls with every entry.
  std::size_t left() const { return entries_; }

 private:
  /// Of an entry with all in it, aliases followed.
  struct Size {
    std::size_t entries = 0, bytes = 0;
    int depth = 0;  ///< lists and maps in each other
  };
  struct OpenEntry {
    YAML::anchor_t anchor = 0;
    Size size;
  };

  static YAML::Exception TooDeep(const YAML::Mark& mark) {
    return {mark, fmt::format("lists and maps nest deeper than {}", kDeepestYaml)};
  }

  void Count(const Size& size, const YAML::Mark& mark) {
    if (entries_ < size.entries || bytes_ < size.bytes) {
      throw YAML::Exception(mark,
                            fmt::format("its aliases stand for more than {} entries or {} bytes",
                                        kMostFromAliases, kMostTextFromAliases));
    }
    entries_ -= size.entries;
    bytes_ -= size.bytes;
    AddToParent(size);
  }

  void AddToParent(const Size& size) {
    if (open_.empty()) return;
    Size& whole = open_.back().size;
    whole.entries += size.entries;
    whole.bytes += size.bytes;
    whole.depth = std::max(whole.depth, size.depth + 1);
  }

  void Tell(YamlKind kind, const YAML::Mark& mark, std::string_view scalar, YAML::anchor_t anchor) {
    to_.Entry(kind, static_cast<std::size_t>(mark.pos), static_cast<std::size_t>(mark.line), scalar,
              anchor);
  }

  void Leaf(YamlKind kind, const YAML::Mark& mark, std::string_view scalar, YAML::anchor_t anchor) {
    const Size size{1, scalar.size(), 0};
    Count(size, mark);
    Tell(kind, mark, scalar, anchor);
    if (anchor != 0) anchors_[anchor] = size;
  }

  void Open(YamlKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() == kDeepestYaml) throw TooDeep(mark);
    Tell(kind, mark, "", anchor);
    open_.push_back({anchor, {}});
    Count({1, 0, 0}, mark);
  }

  void Close() {
    const OpenEntry closed = open_.back();
    open_.pop_back();
    if (closed.anchor != 0) anchors_[closed.anchor] = closed.size;
    AddToParent(closed.size);
    to_.Close();
  }

  YamlEvents& to_;
  std::size_t entries_, bytes_;  ///< left
  std::vector<OpenEntry> open_;
  std::map<YAML::anchor_t, Size> anchors_;
  std::optional<int> last_;  ///< where the last document started
};

/// What yaml-cpp may take, beyond this many times what it has read of a text, before it gives the
/// next event. It keeps all that stands in a pair of braces, 88 bytes a bracket.
constexpr std::size_t kMostMemoryOfYaml = 16;

std::size_t Allocated() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// A text as a stream that tells how far it was read: megabytes of YAML take seconds. It ends where
/// too much memory is taken without any of `events`, if there are these.
class ToldText : public std::streambuf {
 public:
  explicit ToldText(const std::string& text, const LimitedEvents* events = nullptr)
      : text_(text), events_(events), reading_("YAML", text.size()) {}

 private:
  int_type underflow() override {
    if (taken_ == text_.size()) return traits_type::eof();
    reading_.Come(taken_);
    if (events_ != nullptr) CheckMemory();
    constexpr std::size_t kPart = 65536;
    char* const start = const_cast<char*>(text_.data()) + taken_;  // nothing is put into it
    const std::size_t size = std::min(kPart, text_.size() - taken_);
    setg(start, start, start + size);
    taken_ += size;
    return traits_type::to_int_type(*start);
  }

  void CheckMemory() {
    constexpr std::size_t kSlack = std::size_t{2} << 20;
    const std::size_t now = Allocated();
    if (taken_ == 0 || events_->left() != left_) {
      left_ = events_->left(), before_ = now, since_ = taken_;
    }
    if (now <= before_ + kSlack + kMostMemoryOfYaml * (taken_ - since_)) return;
    throw YAML::Exception(YAML::Mark::null_mark(),
                          "lists and maps in braces that take too much memory to read: write "
                          "them as JSON, or an entry a line");
  }

  const std::string& text_;
  const LimitedEvents* const events_;
  std::size_t left_ = 0, before_ = 0, since_ = 0;  ///< at the last event that was seen
  InputReading reading_;
  std::size_t taken_ = 0;
};

/// Some reasons repeat a character of the text, which may be a line break.
template <typename Load>
auto WithReasonOnOneLine(Load load) {
  try {
    return load();
  } catch (const YAML::Exception& error) {
    throw YAML::Exception(error.mark, OnOneLine(error.msg));
  }
}

}  // namespace

std::vector<YAML::Node> LoadAllYaml(const std::string& text) {
  return WithReasonOnOneLine([&] {
    YamlEvents limits_alone;
    ReadYaml(text, limits_alone);
    ToldText told(text);
    std::istream in(&told);
    return YAML::LoadAll(in);
  });
}

std::vector<YAML::Node> LoadYamlFile(const std::string& text, std::string_view file) {
  try {
    return LoadAllYaml(text);
  } catch (const YAML::Exception& error) {
    Raise(ErrorKind::kUsage, "{}:{}: {}", file, ErrorLine(error), NotYaml(text, error.msg));
  }
}

void ReadYaml(const std::string& text, YamlEvents& events) {
  WithReasonOnOneLine([&] {
    LimitedEvents limited(text, &events);
    ToldText told(text, &limited);
    std::istream in(&told);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(limited)) {
    }
  });
}

bool LooksLikeTemplate(std::string_view text) {
  // Of Go's templates: a line that begins with an action, or names Helm's values in one.
  static const RE2 kLine(
      "(?m)^[ \\t\\r]*(?:\\{%|\\{\\{-|\\{\\{/\\*|\\{\\{ (?:if|else|end|range|with|define|tpl))|"
      "\\{\\{.*\\.(?:Values|Release|Chart|Capabilities)\\.|"
      "\\.(?:Values|Release|Chart|Capabilities)\\..*\\{\\{|\\{\\{(?: include| toYaml|`)",
      RE2::Latin1);
  return RE2::PartialMatch(text, kLine);
}

std::string AdviceForTemplate(std::string_view text) {
  if (!LooksLikeTemplate(text)) return "";
  return "a template is to be rendered first (helm template, or what it is for): give what that "
         "prints";
}

int ErrorLine(const YAML::Exception& error) {
  return error.mark.is_null() ? 1 : error.mark.line + 1;
}

std::string NotYaml(std::string_view text, std::string_view reason) {
  const std::string advice = AdviceForTemplate(text);
  return fmt::format("not YAML: {}{}{}", reason, advice.empty() ? "" : "; ", advice);
}

YamlMap::YamlMap(const YAML::Node& node, YamlFile file)
    : YamlMap(node, std::make_shared<const YamlFile>(std::move(file)), "") {}

YamlMap::YamlMap(const YAML::Node& node, std::shared_ptr<const YamlFile> file, std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      node_(std::make_shared<const YAML::Node>(node)) {
  if (!*node_ || node_->IsNull()) return;
  if (!node_->IsMap()) Fail(*node_, "must be a mapping");
  std::set<std::string> seen;
  for (const auto& item : *node_) {
    if (seen.insert(item.first.Scalar()).second) continue;
    Fail(item.first, fmt::format("key `{}` is given twice", item.first.Scalar()));
  }
}

std::string YamlMap::PlaceOf(const YAML::Node& at) const {
  const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
  return mark.is_null() ? file_->name : fmt::format("{}:{}", file_->name, mark.line + 1);
}

void YamlMap::Fail(const YAML::Node& at, const std::string& why) const {
  Raise(ErrorKind::kUsage, "{}: {}{}{}", PlaceOf(at), path_, path_.empty() ? "" : ": ", why);
}

bool YamlMap::Same(const std::string& a, const std::string& b) const {
  return a == b || (file_->skip && InSmallLetters(a) == InSmallLetters(b));
}

YAML::Node YamlMap::Find(const std::string& key) {
  known_.push_back(key);
  if (*node_ && node_->IsMap()) {
    for (const auto& item : *node_) {
      if (Same(item.first.Scalar(), key) && !item.second.IsNull()) return item.second;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

bool YamlMap::Has(const std::string& key) { return Find(key).IsDefined(); }

void YamlMap::Ignore(std::initializer_list<const char*> keys) {
  known_.insert(known_.end(), keys.begin(), keys.end());
}

void YamlMap::Read(const std::string& key, std::string* out) {
  if (const YAML::Node value = Find(key)) *out = TextOf(value, key);
}

void YamlMap::Read(const std::string& key, bool* out) {
  const YAML::Node value = Find(key);
  if (!value) return;
  TextOf(value, key);
  if (!YAML::convert<bool>::decode(value, *out))
    Fail(value, fmt::format("`{}` is true or false", key));
}

void YamlMap::Read(const std::string& key, double* out, double low, double high) {
  if (const YAML::Node value = Find(key)) *out = NumberOf(value, key, low, high);
}

template <typename Whole>
void YamlMap::Read(const std::string& key, Whole* out, std::type_identity_t<Whole> low,
                   std::type_identity_t<Whole> high) {
  const YAML::Node value = Find(key);
  if (!value) return;
  const double number = NumberOf(value, key, static_cast<double>(low), static_cast<double>(high));
  *out = static_cast<Whole>(std::llround(number));
  if (!file_->number && number != static_cast<double>(*out)) {
    Fail(value, fmt::format("`{}` is {}, not a whole number", key, value.Scalar()));
  }
}

template void YamlMap::Read(const std::string&, std::int32_t*, std::int32_t, std::int32_t);
template void YamlMap::Read(const std::string&, std::int64_t*, std::int64_t, std::int64_t);

void YamlMap::Read(const std::string& key, std::vector<std::string>* out) {
  for (const YAML::Node& item : List(key)) out->push_back(TextOf(item, key));
}

std::string YamlMap::TextOf(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) Fail(value, fmt::format("`{}` must be a single value", key));
  return value.Scalar();
}

double YamlMap::NumberOf(const YAML::Node& value, const std::string& key, double low,
                         double high) const {
  const std::string text = TextOf(value, key);
  std::optional<double> number;
  try {
    number = file_->number ? file_->number(text) : ParseNumber(text);
  } catch (const Error& error) {
    Fail(value, fmt::format("`{}`: {}", key, error.what()));
  }
  if (!number || !std::isfinite(*number)) {
    Fail(value, fmt::format("`{}` is `{}`, not a number", key, text));
  }
  if (!(*number >= low && *number <= high)) {
    Fail(value, fmt::format("`{}` is {}, it must lie in {}..{}", key, FormatNumber(*number),
                            FormatNumber(low), FormatNumber(high)));
  }
  return *number;
}

YamlMap YamlMap::Sub(const std::string& key) { return Child(Find(key), key); }

YamlMap YamlMap::Child(const YAML::Node& node, const std::string& name) const {
  return YamlMap(node, file_, path_.empty() ? name : path_ + "." + name);
}

void YamlMap::Each(const std::string& key, const std::function<void(YamlMap&)>& use) {
  std::size_t number = 0;
  for (const YAML::Node& node : List(key)) {
    YamlMap item = Child(node, fmt::format("{}[{}]", key, number++));
    use(item);
    item.Finish();
  }
}

std::vector<YAML::Node> YamlMap::List(const std::string& key) {
  const YAML::Node list = Find(key);
  if (!list) return {};
  if (!list.IsSequence()) Fail(list, fmt::format("`{}` must be a list", key));
  return {list.begin(), list.end()};
}

void YamlMap::Entries(const std::string& key,
                      const std::function<void(const YAML::Node&, const YAML::Node&)>& use) {
  const YamlMap map = Sub(key);
  if (!map.node()) return;
  for (const auto& item : map.node()) use(item.first, item.second);
}

void YamlMap::Finish() {
  if (finished_ || !*node_ || !node_->IsMap()) return;
  finished_ = true;
  for (const auto& item : *node_) {
    const std::string key = item.first.Scalar();
    if (std::ranges::any_of(known_, [&](const auto& known) { return Same(known, key); })) continue;
    const std::string correction = Correction(key, known_);
    if (!file_->skip || !correction.empty()) {
      Fail(item.first, fmt::format("unknown key `{}`{}", key, correction));
    }
    file_->skip(key, PlaceOf(item.first));
  }
}

}  // namespace schedlens
