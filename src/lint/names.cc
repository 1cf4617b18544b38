// Words, names and kinds of series as rules write them, and Grafana's variables in them.

#include <re2/re2.h>

#include <cctype>

#include "lint/checks.h"

namespace schedlens::lint {
namespace {

/// In small letters and without marks: `extensionPoint` and `extension_point` are one word.
std::string Plain(const std::string& word) {
  std::string plain = InSmallLetters(word);
  std::erase_if(plain, [](unsigned char c) { return std::isalnum(c) == 0; });
  return plain;
}

bool IsNegated(std::string_view word) {
  return word.starts_with("un") || word.starts_with("not") || word.starts_with("non");
}

/// Whether a value may be a component's, or that of a scheduler built from Kubernetes' own
/// (`ack-scheduler`); a pattern where such a name is part of it, or where it holds no word at all.
bool MayBeAComponent(const Matcher& matcher) {
  const std::string& value = matcher.value;
  constexpr std::string_view kApiServer = "apiserver";
  if (HoldsVariableText(value) || kube::MayBeSchedulersJob(value) || value == kApiServer) {
    return true;
  }
  if (value.find("scheduler") != std::string::npos) return true;
  if (matcher.op == MatchOp::kEqual) return false;
  return value.find(kApiServer) != std::string::npos ||
         std::ranges::none_of(value, [](unsigned char c) { return std::isalpha(c) != 0; });
}

constexpr char kName[] = "grafana_variable_";
constexpr std::int64_t kPlainIntervalMs = 300011;
constexpr std::int64_t kOtherRangeMs = 300100;
constexpr std::int64_t kLastRangeMs = 300999;
constexpr double kNumber = 0.5000001;  // a quantile, and no threshold of anybody
constexpr double kNumberStep = 1e-10;
constexpr int kMostNumbers = 99;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The length of the variable that begins here; 0 where none does.
std::size_t VariableAt(std::string_view text, std::size_t at) {
  static const RE2 kVariable(R"re((?s)\$\{.*?\}|\[\[\w.*?\]\]|\$\w+)re", RE2::Latin1);
  re2::StringPiece rest(text.data() + at, text.size() - at);
  const std::size_t before = rest.size();
  return RE2::Consume(&rest, kVariable) ? before - rest.size() : 0;
}

/// `__interval` of `$__interval`, `${__interval}`, `[[__interval:x]]`.
std::string_view NameOf(std::string_view variable) {
  variable.remove_prefix(std::min(variable.find_first_not_of("${["), variable.size()));
  return variable.substr(0, variable.find_first_of(":}]."));
}

/// 0 for `$x`, 1 for `${x}`, 2 for `[[x]]`.
int FormOf(std::string_view variable) {
  return variable[0] == '[' ? 2 : variable.starts_with("${") ? 1 : 0;
}

class Placer {
 public:
  Placer(std::string_view text, bool as_numbers) : text_(text), as_numbers_(as_numbers) {}

  PlacedVariables Run() {
    while (at_ < text_.size()) Step();
    // Of two that begin alike the longer one is put back first.
    std::ranges::stable_sort(placed_.replaced, [](const auto& a, const auto& b) {
      return a.first.size() > b.first.size();
    });
    return std::move(placed_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'' || c == '`') return CopyString();
    if (c == '#') return Copy(std::min(text_.find('\n', at_), text_.size()) - at_);
    const bool bracket = c == '[' && text_.substr(at_).starts_with("[[[");
    if (const std::size_t length = bracket ? 0 : VariableAt(text_, at_); length > 0) {
      return Place(length);
    }
    if (c == '[') return PlaceRange();
    if (IsWord(c)) return CopyWord();
    if (c == '(') calls_.push_back(word_);
    if (c == ')' && !calls_.empty()) calls_.pop_back();
    if (c == '{') braces_ = true;
    if (c == '}') braces_ = false;
    if (!IsBlank(c)) {
      before_ = c;
      word_.clear();
    }
    Copy(1);
  }

  void Copy(std::size_t length) {
    placed_.expr += text_.substr(at_, length);
    at_ += length;
  }

  void CopyString() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
      end += text_[end] == '\\' && quote != '`' ? 2 : 1;
    }
    before_ = quote;
    Copy(std::min(end + 1, text_.size()) - at_);
  }

  void CopyWord() {
    std::size_t end = at_;
    while (end < text_.size() && (IsWord(text_[end]) || text_[end] == ':' || text_[end] == '.')) {
      ++end;
    }
    word_ = text_.substr(at_, end - at_);
    before_ = text_[end - 1];
    Copy(end - at_);
  }

  /// `[range]` or `[range:step]`: a part with a variable in it is a duration of its own.
  void PlaceRange() {
    Copy(1);
    while (at_ < text_.size() && text_[at_] != ']') {
      std::size_t end = at_;
      bool variable = false;
      while (end < text_.size() && text_[end] != ']' && text_[end] != ':') {
        const std::size_t length = VariableAt(text_, end);
        variable = variable || length > 0;
        end += std::max<std::size_t>(length, 1);
      }
      if (variable) {
        const std::string_view part = Trimmed(text_.substr(at_, end - at_));
        Copy(text_.find(part, at_) - at_);
        PlaceAs(FormatDuration(RangeOf(part)), part.size());
      }
      Copy(end - at_);
      if (at_ < text_.size() && text_[at_] == ':') Copy(1);
    }
    before_ = ']';
  }

  std::int64_t RangeOf(std::string_view variable) {
    const bool whole = VariableAt(variable, 0) == variable.size();
    const std::string_view name = whole ? NameOf(variable) : "";
    if (name == "__rate_interval") return kRateIntervalMs + FormOf(variable);
    if (name == "__interval") return kPlainIntervalMs + FormOf(variable);
    for (const auto& [text, own] : placed_.replaced) {
      if (own == variable) return ParseDuration(text).value_or(kLastRangeMs);
    }
    return std::min(kOtherRangeMs + others_++, kLastRangeMs);
  }

  void Place(std::size_t length) {
    const char next = at_ + length < text_.size() ? text_[at_ + length] : ' ';
    const char last = placed_.expr.empty() ? ' ' : placed_.expr.back();
    const bool joined = IsWord(last) || last == ':' || IsWord(next) || next == ':';
    if (word_ == "offset" && IsBlank(last)) {
      return PlaceAs(FormatDuration(RangeOf(text_.substr(at_, length))), length);
    }
    const bool matcher =
        !joined && braces_ && (before_ == '{' || before_ == ',') && (next == ',' || next == '}');
    if (!joined && !matcher && StandsForNumber() && numbers_ < kMostNumbers) {
      return PlaceAs(FormatNumber(kNumber + kNumberStep * numbers_++), length);
    }
    const std::string name = fmt::format("{}{}_", kName, names_++);
    PlaceAs(matcher ? name + "=\"x\"" : name, length);
  }

  bool StandsForNumber() const {
    const std::string call = calls_.empty() ? "" : calls_.back();
    if (Contains({"by", "without", "on", "ignoring", "group_left", "group_right"}, call)) {
      return false;
    }
    if (std::string_view("<>=*/+-%^@").find(before_) != std::string_view::npos) return true;
    if (before_ == '(' && Contains({"topk", "bottomk", "quantile", "histogram_quantile",
                                    "quantile_over_time", "vector"},
                                   call)) {
      return true;
    }
    return as_numbers_;
  }

  void PlaceAs(const std::string& text, std::size_t length) {
    const std::pair<std::string, std::string> one(text, text_.substr(at_, length));
    if (std::ranges::find(placed_.replaced, one) == placed_.replaced.end()) {
      placed_.replaced.push_back(one);
    }
    placed_.expr += text;
    at_ += length;
    before_ = 'x';
    word_.clear();
  }

  std::string_view text_;
  bool as_numbers_;
  PlacedVariables placed_;
  std::size_t at_ = 0;
  std::string word_;  ///< the name or keyword that was just read
  char before_ = ' ';
  bool braces_ = false;
  std::vector<std::string> calls_;  ///< what stands before each open parenthesis
  std::int64_t others_ = 0;
  int names_ = 0, numbers_ = 0;
};

void Replace(std::string* text, const std::string& from, const std::string& to) {
  for (std::size_t at = text->find(from); at != std::string::npos;
       at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

std::string MeantWord(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 5;
  constexpr std::size_t kSlip = 2;
  // Two names of one thing: the counter of requests has the one, their durations the other.
  const std::string alike = word == "verb" ? "method" : word == "method" ? "verb" : word;
  const std::string plain = Plain(word);
  for (const std::string& one : known) {
    if (one == alike || (Plain(one) == plain && !plain.empty())) return one;
  }
  std::string best;
  std::size_t distance = kSlip + 1;
  for (const std::string& one : known) {
    if (word.size() < kShortest || one.size() < kShortest || IsNegated(word) != IsNegated(one)) {
      continue;
    }
    const std::size_t edits = EditDistance(word, one);
    if (edits < distance) {
      best = one;
      distance = edits;
    }
  }
  return best;
}

bool AnyVariable(const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [](const std::string& name) { return HoldsVariable(name); });
}

SeriesKind KindOfSeries(std::string_view name) {
  const MetricRow* row = FindAnyMetric(name);
  if (row == nullptr) return SeriesKind::kUnknown;
  const bool histogram = row->kind == MetricKind::kHistogram;
  if (row->name != name) {
    const bool parts = histogram || row->kind == MetricKind::kSummary;
    return parts ? SeriesKind::kCounter : SeriesKind::kUnknown;
  }
  if (row->kind == MetricKind::kCounter) return SeriesKind::kCounter;
  return histogram ? SeriesKind::kUnknown : SeriesKind::kGauge;
}

const MetricRow* FindAnyMetric(std::string_view name) {
  const MetricRow* own = kube::FindMetric(name);
  return own != nullptr ? own : kube::FindControlPlaneMetric(name);
}

bool TellsItsComponent(std::string_view name) {
  return name.starts_with(kube::kOwnPrefix) || name.starts_with("apiserver_") ||
         name.starts_with("etcd_");
}

bool NamesAnotherProgram(const std::string& job, kube::Component than) {
  using kube::Component;
  static const std::pair<Component, RE2> kNames[] = {
      {Component::kScheduler, "kube-scheduler"},
      {Component::kApiServer, "(kube-|kubernetes-)?apiservers?"},
      {Component::kEtcd, "(kube-)?etcd"},
      {Component::kAny,
       "(kube-|cloud-)?controller-manager|kube-state-metrics|node-exporter|kube-proxy|coredns|"
       "kube-dns|cadvisor"}};
  return std::ranges::any_of(kNames, [&](const auto& one) {
    return one.first != than && RE2::FullMatch(job, one.second);
  });
}

bool BeginsAWord(std::string name, std::string_view words) {
  static const RE2 kHump("([a-z])([A-Z])");
  RE2::GlobalReplace(&name, kHump, "\\1 \\2");
  return RE2::PartialMatch(name, RE2(fmt::format("(?i)(^|[^a-z])({})", words)));
}

std::optional<bool> NamesLevel(const std::string& name) {
  const bool level = BeginsAWord(
      name, "depth|in.?flight|flight|backlog|length|size|pending|waiting|queued|current");
  const bool growth =
      BeginsAWord(name, "grow|increas|rate|rise|rising|trend|slope|chang|delta|deriv|leak|speed");
  return level == growth ? std::nullopt : std::optional(level);
}

std::vector<double> KnownBounds(std::string_view name, std::optional<int> release) {
  const MetricRow* row = FindAnyMetric(name);
  const bool own = row != nullptr && row->component == kube::Component::kScheduler;
  return own || (row != nullptr && TellsItsComponent(name)) ? BoundsIn(*row, release)
                                                            : std::vector<double>();
}

bool IsBareHistogram(std::string_view name) {
  const MetricRow* row = kube::FindMetric(name);
  return row != nullptr && row->name == name && row->kind == MetricKind::kHistogram;
}

bool HasOnlyName(const Selector& selector) {
  return std::ranges::all_of(selector.matchers,
                             [](const auto& matcher) { return matcher.name == kMetricName; });
}

const Matcher* Chosen(const Selector& selector, std::string_view name) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == name && matcher.op == MatchOp::kEqual) return &matcher;
  }
  return nullptr;
}

bool HasJobOf(const Selector& selector, std::string_view word) {
  return std::ranges::any_of(selector.matchers, [&](const auto& matcher) {
    return matcher.name == "job" && matcher.value.find(word) != std::string::npos;
  });
}

std::string ReleaseName(int minor) { return fmt::format("1.{}", minor); }

void RenameSelector(Selector& selector, const std::string& name) {
  selector.name = name;
  for (Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName) matcher.value = name;
  }
}

std::string CallText(std::string_view function, const Selector& ranged) {
  return fmt::format("{}({}[{}])", function, ranged.name, FormatDuration(ranged.range_ms));
}

ExprPtr CallOf(std::string_view function, const Selector& ranged) {
  return MakeExpr(Call{promql::FindFunction(function), {MakeExpr(ranged, ValueKind::kMatrix)}},
                  ValueKind::kVector);
}

bool IsOfAnotherProgram(const Selector& selector) {
  if (TellsItsComponent(selector.name)) return false;
  bool named = false;
  for (const Matcher& matcher : selector.matchers) {
    const bool names_target = (matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kRegex) &&
                              !matcher.value.empty() &&
                              Contains({"job", "service", "app", "pod", "pod_name", "container",
                                        "component", "namespace"},
                                       matcher.name);
    if (!names_target) continue;
    if (MayBeAComponent(matcher)) return false;
    named = true;
  }
  return named;
}

NamesAsWritten::NamesAsWritten(const Expr& tree) {
  for (const Selector* selector : NodesOf<Selector>(tree)) {
    own_.insert({selector->name, FamilyOf(selector->name)});
  }
}

void NamesAsWritten::Renamed(const std::string& before, const std::string& after) {
  Add(before, after);
  Add(FamilyOf(before), FamilyOf(after));
}

void NamesAsWritten::AddSeries() {
  for (const std::string& name : own_) {
    for (const char* suffix : {"_bucket", "_count"}) Add(name, name + suffix);
  }
}

void NamesAsWritten::Add(const std::string& before, const std::string& after) {
  if (own_.count(after) > 0) return;
  const auto earlier = written_.find(before);
  written_.emplace(after, earlier == written_.end() ? before : std::string(earlier->second));
}

Message NamesAsWritten::In(Message message) const {
  for (Argument& argument : message.args) {
    Value& value = argument.value;
    if (value.type == Value::Type::kMetric) {
      const auto name = written_.find(value.text);
      if (name != written_.end()) value.text = name->second;
    }
    for (Message& inner : value.messages) inner = In(inner);
  }
  return message;
}

PlacedVariables PlaceVariables(std::string_view expr, bool as_numbers) {
  return Placer(expr, as_numbers).Run();
}

std::string WithVariables(std::string text, const PlacedVariables& placed) {
  for (const auto& [in_place, own] : placed.replaced) Replace(&text, in_place, own);
  Replace(&text, FormatDuration(kRateIntervalMs), "$__rate_interval");
  return text;
}

Message WithVariables(Message message, const PlacedVariables& placed) {
  for (Argument& argument : message.args) {
    argument.value.text = WithVariables(argument.value.text, placed);
    for (Message& inner : argument.value.messages) inner = WithVariables(inner, placed);
  }
  return message;
}

bool IsVariableRange(std::int64_t ms) { return ms >= kRateIntervalMs && ms <= kLastRangeMs; }
bool IsPlainInterval(std::int64_t ms) { return ms >= kPlainIntervalMs && ms < kOtherRangeMs; }
bool HoldsVariable(std::string_view name) { return name.find(kName) != std::string_view::npos; }

bool HoldsVariableText(std::string_view value) {
  return value.find('$') != std::string_view::npos || value.find("[[") != std::string_view::npos;
}

bool IsVariableNumber(double value) {
  return value >= kNumber && value < kNumber + kNumberStep * (kMostNumbers + 1);
}

bool IsLogQl(std::string_view expression) {
  // Behind a brace outside of strings: `|=`, `|~`, `| json`, and `!=` or `!~` of a text.
  static const RE2 kFilter(R"re((?s)^(?:[^"'`]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)*)re"
                           R"re(\}[ \t\r\n]*(?:\||![=~][ \t\r\n]*["`]))re",
                           RE2::Latin1);
  return RE2::PartialMatch(expression, kFilter);
}

}  // namespace schedlens::lint
