// Walks the fields of json/json.h as the reader and the writer do, and leaves out what no report
// can show.

#include "base/not_finite.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/json/json.h"

namespace schedlens {
namespace {

constexpr std::size_t kMostEntries = 10'000;
constexpr double kLargest = 1e100;

struct Flaw {
  std::string field;
  std::string_view must;
};

constexpr double kLongestSeconds = 1e10;

bool Rises(const auto& values) {
  return std::adjacent_find(values.begin(), values.end(),
                            [](auto a, auto b) { return !(a < b); }) == values.end();
}

bool AreBounds(const std::vector<double>& bounds) {
  return Rises(bounds) && (bounds.empty() || !std::isnan(bounds[0]));
}

bool Ordered(const std::optional<double>& low, const std::optional<double>& high) {
  return !low || !high || *low <= *high;
}

bool IsDuration(const std::optional<double>& seconds) {
  return !seconds || (*seconds >= 0 && *seconds <= kLongestSeconds);
}

// What the parts of a diagnosis must be as a whole, where their fields are fine one by one: as
// "rise from low to high"; empty where they are.
std::string_view FlawOf(const auto&) { return ""; }

std::string_view FlawOf(const Measured& x) {
  const bool fine = Ordered(x.low, x.value) && Ordered(x.value, x.high) && Ordered(x.low, x.high);
  return fine ? "" : "rise from low over value to high";
}

/// Whether every number in the sentence is one.
bool HoldsNumbers(const Message& message) {
  return std::ranges::all_of(message.args, [](const Argument& argument) {
    return !std::isnan(argument.value.number) &&
           std::ranges::all_of(argument.value.messages, HoldsNumbers);
  });
}

std::string_view FlawOf(const Interval& x) {
  return Ordered(x.low, x.high) ? "" : "rise from low to high";
}

std::string_view FlawOf(const TimeRange& x) {
  return x.start <= x.end ? "" : "end no sooner than it starts";
}

std::string_view FlawOf(const Episode& x) { return FlawOf(x.window); }

std::string_view FlawOf(const SchedulerEvent& x) {
  return FlawOf(TimeRange{x.start, x.end.value_or(x.start)});
}

std::string_view FlawOf(const ClusterChange& x) {
  return x.earliest <= x.at && x.at <= x.latest ? ""
                                                : "be between its earliest and its latest time";
}

std::string_view FlawOf(const AlertVerdict& x) {
  return IsDuration(x.for_seconds) ? "" : "have a for_seconds that is a duration";
}

std::string_view FlawOf(const Impact& x) {
  return IsDuration(x.above_seconds) ? "" : "have an above_seconds that is a duration";
}

std::string_view FlawOf(const CdfPair& x) {
  if (!AreBounds(x.bounds)) return "have bounds that rise; null is +Inf";
  return x.lower.size() == x.bounds.size() && x.upper.size() == x.bounds.size()
             ? ""
             : "have as many numbers in lower and upper as bounds";
}

std::string_view FlawOf(const CrossCheck& x) {
  std::vector<double> bounds;
  for (const CdfPoint& point : x.cdf) bounds.push_back(point.bound);
  return AreBounds(bounds) ? "" : "have bounds in cdf that rise; null is +Inf";
}

std::string_view FlawOf(const Timeline& x) {
  if (!Rises(x.times)) return "have times that rise";
  if (!AreBounds(x.bounds)) return "have bounds that rise; null is +Inf";
  for (const auto* list : {&x.shown, &x.low, &x.high, &x.scheduled, &x.failed, &x.pending_active,
                           &x.pending_backoff, &x.pending_unschedulable, &x.binding}) {
    if (list->size() != x.times.size()) return "have as many numbers in every list as times";
  }
  if (!x.pending_gated.empty() && x.pending_gated.size() != x.times.size()) {
    return "have as many numbers in pending_gated as times, or none";
  }
  if (x.e2e.size() != (x.bounds.empty() ? 0 : x.times.size())) {
    return "have as many columns in e2e as times; none without bounds";
  }
  const auto whole = [&](const auto& column) { return column.size() == x.bounds.size(); };
  return std::ranges::all_of(x.e2e, whole)
             ? ""
             : "have as many numbers in every column of e2e as bounds";
}

/// A tree, and no deeper than any that is measured.
std::string_view FlawOf(const std::vector<StageTime>& stages) {
  constexpr int kDeepest = 20;
  std::map<std::string_view, std::string_view> parents;
  for (const StageTime& stage : stages) {
    if (!parents.emplace(stage.id, stage.parent).second) return "have every stage once";
  }
  for (const StageTime& stage : stages) {
    int depth = 0;
    for (auto at = parents.find(stage.parent); at != parents.end(); at = parents.find(at->second)) {
      if (++depth > kDeepest) return "have no stage that is its own ancestor";
    }
  }
  return "";
}

bool IsTime(TimeMs time) {
  constexpr TimeMs kYear1 = -62'135'596'800'000, kYear10000 = 253'402'300'800'000;
  return time >= kYear1 && time < kYear10000;
}

/// Whether it is read as it is saved: else it is words.
bool CanBeSaved(Message* message, int depth) {
  bool can = depth <= kDeepestMessage;
  for (Argument& argument : message->args) {
    Value& value = argument.value;
    value.text = CleanUtf8(value.text);
    can = can && (value.type != Value::Type::kTime || IsTime(value.time));
    if (!can) return false;
    for (Message& inner : value.messages) can = CanBeSaved(&inner, depth + 1) && can;
  }
  return can;
}

class Checker {
 public:
  Checker(std::string path, std::vector<Flaw>* flaws) : path_(std::move(path)), flaws_(flaws) {}

  /// The last flaw of the first member that cannot be left out by itself.
  const std::optional<Flaw>& broken() const { return broken_; }

  template <class T>
  void operator()(std::string_view key, T& member) {
    const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
    if (!Check(path, member) && !broken_) broken_ = flaws_->back();
  }
  template <class T>
  void Added(std::string_view key, T& member) {
    (*this)(key, member);
  }
  void OrNull(std::string_view key, double& member) {
    std::optional<double> number = member;
    (*this)(key, number);
    member = number.value_or(kNaN);
  }
  void Number(std::string_view key, double& member, std::string_view, BasisKind) {
    OrNull(key, member);
  }
  void Number(std::string_view key, std::optional<double>& member, std::string_view, BasisKind) {
    (*this)(key, member);
  }
  // Whether they rise is asked of what they belong to.
  void Bound(std::string_view, double&) {}
  void Bounds(std::string_view, std::vector<double>&) {}

 private:
  /// Notes what is wrong. False, so that it can be returned.
  bool Fail(const std::string& path, std::string_view must) const {
    flaws_->push_back({path, must});
    return false;
  }

  // Each is false where what it is a part of has to be left out.
  template <class T>
  requires(std::is_enum_v<T> || std::is_integral_v<T>) bool Check(const std::string&, T&) const {
    return true;
  }

  bool Check(const std::string&, std::string& text) const {
    text = CleanUtf8(text);
    return true;
  }
  bool Check(const std::string& path, Basis& basis) const { return Check(path, basis.names); }
  bool Check(const std::string& path, std::pair<std::string, std::string>& label) const {
    return Check(path, label.first) && Check(path, label.second);
  }
  bool Check(const std::string&, Message& message) const {
    const bool same = CanBeSaved(&message, 0) && HoldsNumbers(message);
    std::string english = InEnglish(message);
    if (english.empty()) {
      message = {};
    } else if (!same) {
      message = Verbatim(std::move(english));
    }
    return true;
  }
  /// A sentence over nothing is no evidence.
  bool Check(const std::string& path, Evidence& evidence) const {
    if (!HoldsNumbers(evidence.text)) return Fail(path, "be of numbers");
    return Check(path, evidence.text) && Check(path, evidence.query);
  }
  bool Check(const std::string& path, NextStep& step) const {
    return Check(path, step.text) && Check(path, step.query) && Check(path, step.answered) &&
           Check(path, step.command);
  }

  bool Check(const std::string& path, double& number) const {
    return std::abs(number) <= kLargest || Fail(path, "be a number of at most 1e100");
  }
  bool Check(const std::string& path, std::optional<double>& number) const {
    if (number && !std::isfinite(*number)) number.reset();
    if (number && !Check(path, *number)) number.reset();
    return true;
  }
  bool Check(const std::string& path, TimeMs& time) const {
    return IsTime(time) || Fail(path, "be a time of the years 1 to 9999");
  }

  /// Numbers that may be absent: NaN then.
  bool Check(const std::string& path, std::vector<double>& numbers) const {
    for (double& number : numbers) {
      std::optional<double> one = number;
      Check(path, one);
      number = one.value_or(kNaN);
    }
    return CheckSize(path, &numbers);
  }
  template <class T>
  bool Check(const std::string& path, std::vector<T>& all) const {
    CheckSize(path, &all);
    std::size_t i = 0;
    std::erase_if(all, [&](T& one) { return !Check(fmt::format("{}[{}]", path, i++), one); });
    if (const std::string_view must = FlawOf(all); !must.empty()) {
      Fail(path, must);
      all.clear();
    }
    return true;
  }
  template <class T>
  bool CheckSize(const std::string& path, std::vector<T>* all) const {
    if (all->size() > kMostEntries) {
      Fail(path, "have at most 10,000 entries");
      all->resize(kMostEntries);
    }
    return true;
  }

  template <class T>
  bool Check(const std::string& path, std::optional<T>& may_be) const {
    if (may_be && !Check(path, *may_be)) may_be.reset();
    return true;
  }

  template <class T>
  requires std::is_class_v<T>
  bool Check(const std::string& path, T& x) const {
    constexpr bool kMayBeEmpty =
        std::is_same_v<T, Measured> || std::is_same_v<T, Interval> || std::is_same_v<T, Timeline>;
    Checker inner(path, flaws_);
    Fields(inner, x);
    bool fine = !inner.broken_;
    if (const std::string_view must = FlawOf(x); fine && !must.empty()) fine = Fail(path, must);
    if (!fine && kMayBeEmpty) x = {};
    return fine || kMayBeEmpty;
  }

  std::string path_;
  std::vector<Flaw>* flaws_;
  std::optional<Flaw> broken_;
};

void Fields(Checker& io, ProvenRank& x) {
  Each(io, "bucket", x.bucket, "below", x.below, "count", x.in_bucket, "interval", x.interval);
}

void Fields(Checker& io, ThresholdExplanation& x) {
  CountBounds& above = x.verdict.above;
  Each(io, "threshold", x.threshold, "above.low", above.low, "above.high", above.high);
}

void Fields(Checker& io, QuantileExplanation& x) {
  Each(io, "observations", x.proven.observations, "rank", x.proven.rank, "proof", x.proven.proof,
       "estimate", x.estimate, "sampling_interval", x.sampling, "alert", x.threshold);
}

void Fields(Checker& io, QuantileReport& x) {
  // Each row stays, or nothing is shown.
  for (QuantileExplanation& row : x.rows) io("groups", row);
}

void Fields(Checker& io, Witness& x) {
  Each(io, "bound", x.bound, "part_above", x.part_above, "whole_above", x.whole_above, "part_only",
       x.part_only, "whole_only", x.whole_only);
}

void Fields(Checker& io, Comparison& x) {
  Each(io, "part", x.part, "whole", x.whole);
  for (auto* shown : {&x.part.shown, &x.whole.shown, &x.part_rate, &x.whole_rate}) {
    io("shown", *shown);
  }
  Each(io, "witness", x.witness, "same_attempts_above", x.same_above, "same_attempts",
       x.same_count);
}

void Fields(Checker& io, PredictedChange& x) { Each(io, "before", x.before, "after", x.after); }

void Fields(Checker& io, Utilisation& x) { Each(io, "loop", x.loop, "client", x.client); }

void Fields(Checker& io, Prediction& x) {
  Each(io, "e2e", x.e2e, "pod", x.pod, "before", x.before, "after", x.after, "client_qps", x.qps,
       "client_qps", x.qps_after, "threshold", x.threshold);
}

void Fields(Checker& io, Headroom& x) {
  Each(io, "target", x.target, "factor", x.factor, "most_tried", x.most, "now", x.now, "before",
       x.before, "there", x.there, "client_qps", x.qps);
}

std::string Told(const Flaw& flaw) {
  return fmt::format("field {} must {}", Shorten(Visible(flaw.field), 100), flaw.must);
}

/// Names the fields that were left out.
Message LeftOut(std::string id, const std::vector<Flaw>& flaws) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<Message> fields;
  for (std::size_t i = 0; i < std::min(flaws.size(), kMostNamed); ++i) {
    fields.push_back(Verbatim(flaws[i].field));
  }
  return Message(std::move(id),
                 {{"count", arg::Count(flaws.size())}, {"fields", std::move(fields)}});
}

/// `left_out` is the remark's id, and begins with what the answer is called.
template <class Answer>
Answer CheckedAnswer(Answer answer, std::vector<Message> Answer::*remarks,
                     const std::string& left_out = "answer.left_out") {
  std::vector<Flaw> flaws;
  Checker checker("", &flaws);
  Fields(checker, answer);
  if (const auto& flaw = checker.broken()) {
    throw Error(ErrorKind::kFailed,
                fmt::format("the {} cannot be shown: {}", left_out.substr(0, left_out.find('.')),
                            Told(*flaw)));
  }
  if (!flaws.empty()) (answer.*remarks).push_back(LeftOut(left_out, flaws));
  return answer;
}

}  // namespace

QuantileReport Checked(QuantileReport report) {
  return CheckedAnswer(std::move(report), &QuantileReport::warnings);
}
Comparison Checked(Comparison comparison) {
  return CheckedAnswer(std::move(comparison), &Comparison::warnings);
}
Prediction Checked(Prediction prediction) {
  return CheckedAnswer(std::move(prediction), &Prediction::assumptions);
}
Headroom Checked(Headroom headroom) {
  return CheckedAnswer(std::move(headroom), &Headroom::assumptions);
}

std::string WhatFails(Diagnosis* diagnosis) {
  std::vector<Flaw> flaws;
  Checker checker("", &flaws);
  Fields(checker, *diagnosis);
  return flaws.empty() ? "" : Told(flaws.front());
}

Diagnosis Checked(Diagnosis diagnosis) {
  return CheckedAnswer(std::move(diagnosis), &Diagnosis::warnings, "diagnosis.left_out");
}

}  // namespace schedlens
