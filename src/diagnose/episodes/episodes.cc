#include "diagnose/episodes/episodes.h"

#include <numeric>

#include "base/not_finite.h"
#include "base/text.h"
#include "base/work_budget.h"
#include "diagnose/episodes/hurt.h"
#include "stats/range_functions.h"

namespace schedlens {
namespace {

/// Edges that lie this close are one: scrapes jitter.
constexpr double kJitter = 1;
/// Severities further apart are two episodes.
constexpr double kAnotherSeverity = 2;
/// Seconds of calm that part nothing.
constexpr double kBriefCalm = 15;
/// Pods that waited longer come late.
constexpr double kLateSeconds = 60;

/// Columns [first, last).
struct Span {
  std::size_t first = 0, last = 0;
  bool operator==(const Span&) const = default;
};

/// A span that hurts, before it is known whether for long enough.
struct Mark {
  Span span;
  std::vector<Hurt> why;
  bool sure = false;    ///< an episode however short
  double late = 0;      ///< pods that waited more than a minute; of nothing else
  double severity = 0;  ///< infinite where counts do not tell
};

struct Group {
  std::vector<Mark> marks;
  Span span;
  double severity = 0;
  unsigned ways = 0;  ///< of its marks
};

/// In which ways it hurts, a bit each: slow, failing, without a node, nobody there.
unsigned WaysOf(const Mark& mark) {
  unsigned ways = 0;
  for (const Hurt& one : mark.why) {
    ways |= one.kind == HurtKind::kErrors          ? 2U
            : one.kind == HurtKind::kUnschedulable ? 4U
            : one.kind == HurtKind::kNobody        ? 8U
                                                   : 1U;
  }
  return ways;
}

class Finder {
 public:
  Finder(const ColumnCounts& counts, const CalmState* reference)
      : counts_(counts), n_(counts.columns()) {
    dispersion_ = DispersionOf(counts.Waits());
    const std::vector<std::size_t> edges = PartitionColumns(counts);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      segments_.push_back({edges[i], edges[i + 1]});
    least_ = counts.LeastSeconds();
    if (reference != nullptr) {
      calm_ = *reference;
      has_calm_ = true;
      return;
    }
    FindCalm();
    if (has_calm_) CutOutCalm();
  }

  EpisodeSearch Search(bool given) {
    EpisodeSearch out;
    out.state = calm_;
    if (has_calm_) {
      MarkSegments();
      MarkWaiting();
    }
    MarkNobody();
    if (has_calm_) KeepMany(LateMarks());
    for (const Group& group : Groups()) Judge(group, &out);
    Lengthen(&out.episodes);
    if (out.episodes.empty()) JudgeAsAWhole(given, &out);
    const bool standing = !out.episodes.empty() && out.episodes.front().standing;
    if (!given && !standing) out.calm = CalmStretches();
    for (const EpisodeSpan& one : out.episodes) out.calm = Without(out.calm, one.when);
    return out;
  }

 private:
  double Seconds(const Span& s) const { return counts_.Seconds(s.first, s.last); }
  TimeRange When(const Span& s) const { return {counts_.edges[s.first], counts_.edges[s.last]}; }
  bool AnyNobody(const Span& s) const {
    const auto at = [&](std::size_t i) { return counts_.nobody_here.begin() + std::ptrdiff_t(i); };
    return std::find(at(s.first), at(s.last), true) != at(s.last);
  }
  /// Nothing was bound that could tell that it was calm.
  bool IsBlind(const Span& s) const { return Seconds(s) < least_ && Bound(s) <= 0; }
  StateCounts CountsOf(const Span& s) const { return CountsIn(counts_, s.first, s.last); }
  double Bound(const Span& s) const { return SumOf(counts_.Waits().Sum(s.first, s.last)); }
  double SlownessIn(const Span& s) const { return SlownessOf(counts_, CountsOf(s)); }
  std::vector<Hurt> HurtIn(const Span& s, const CalmState& calm, double share) const {
    return HurtOf(counts_, CountsOf(s), calm, share, dispersion_);
  }
  double SecondsOf(const std::vector<Span>& spans) const {
    return std::accumulate(spans.begin(), spans.end(), 0.0,
                           [&](double sum, const Span& s) { return sum + Seconds(s); });
  }
  double Waiting(std::size_t column) const {
    const auto row = counts_.waiting.Row(column);
    return row[0] + row[1] + row[2];
  }

  void SortBySlowness(std::vector<Span>* spans) const {
    std::ranges::stable_sort(*spans, {}, [this](const Span& s) { return SlownessIn(s); });
  }

  /// The state of the quieter half of the spans.
  CalmState QuieterHalf(std::vector<Span> spans) const {
    const double enough = std::max(least_, SecondsOf(spans) / 2);
    SortBySlowness(&spans);
    StateCounts half;
    double seconds = 0;
    const auto add = [](const std::vector<double>& more, std::vector<double>* all) {
      all->resize(more.size());
      for (std::size_t k = 0; k < more.size(); ++k) (*all)[k] += more[k];
    };
    for (std::size_t i = 0; i < spans.size() && seconds < enough; ++i) {
      const StateCounts more = CountsOf(spans[i]);
      add(more.pods, &half.pods);
      add(more.attempts, &half.attempts);
      add(more.results, &half.results);
      seconds += Seconds(spans[i]);
    }
    return StateOfCounts(counts_, half);
  }

  void FindCalm() {
    constexpr double kFewPods = 20;
    constexpr int kRounds = 4;
    std::vector<Span> usable, candidates;
    for (const Span& s : segments_) {
      if (Bound(s) >= kFewPods && !AnyNobody(s)) usable.push_back(s);
    }
    const auto lasting = [&](double seconds) {
      std::ranges::copy_if(usable, std::back_inserter(candidates),
                           [&](const Span& s) { return Seconds(s) >= seconds; });
    };
    lasting(least_);
    if (candidates.empty()) lasting(std::max(0.9 * counts_.period, Seconds({0, n_}) / 4));
    if (candidates.empty()) return;
    SortBySlowness(&candidates);
    for (const Span& s : candidates) {
      calm_spans_.push_back(s);
      if (SecondsOf(calm_spans_) >= least_) break;
    }
    for (int round = 0; round < kRounds; ++round) {
      const CalmState state = QuieterHalf(calm_spans_);
      std::vector<Span> more;
      for (const Span& s : usable) {
        CheckBudget();
        if (HurtIn(s, state, kHurtShare).empty()) more.push_back(s);
      }
      if (more == calm_spans_ || more.empty()) break;
      calm_spans_ = std::move(more);
    }
    calm_ = QuieterHalf(calm_spans_);
    has_calm_ = true;
    double pods = 0, slowness = 0, waiting = 0, columns = 0;
    const double seconds = std::max(1e-9, SecondsOf(calm_spans_));
    for (const Span& s : calm_spans_) {
      pods += Bound(s);
      slowness += SlownessIn(s) * Seconds(s);
      for (std::size_t i = s.first; i < s.last; ++i) waiting += Waiting(i), ++columns;
    }
    calm_.rate = pods / seconds;
    calm_.slowness = slowness / seconds;
    calm_.mean_waiting = waiting / std::max(1.0, columns);
  }

  /// The waits of a segment as two kinds: up to the bound of a tail, and longer.
  ColumnCounts ByTail(const Span& s, const Hurt& tail) const {
    const bool pods = tail.kind == HurtKind::kTail;
    const std::vector<double>& bounds = pods ? counts_.pod_bounds : counts_.attempt_bounds;
    ColumnCounts two = SliceColumns(counts_, s.first, s.last);
    const CountTable all = pods ? two.pods : two.attempts;
    two.has_pods = true;
    two.pods = CountTable(all.columns(), 2);
    two.waiting = CountTable(all.columns(), 3);
    two.results = {};
    for (std::size_t i = 0; i < all.columns(); ++i) {
      for (std::size_t k = 0; k < all.kinds(); ++k) {
        two.pods.Add(i, bounds[k] > tail.value ? 1 : 0, all.Row(i)[k]);
      }
    }
    return two;
  }

  /// Many buckets hide a calm minute between two incidents that look alike: a segment whose tail
  /// hurts is cut once more by that tail alone, and what lasts there and does not hurt is calm.
  void CutOutCalm() {
    std::vector<Span> all;
    for (const Span& s : segments_) {
      CheckBudget();
      Span rest = s;
      std::vector<std::size_t> edges;
      const std::vector<Hurt> why = HurtIn(s, calm_, kHurtShare);
      const bool by_tail =
          !why.empty() && (why[0].kind == HurtKind::kTail || why[0].kind == HurtKind::kAttemptTail);
      if (by_tail) edges = PartitionColumns(ByTail(s, why[0]));
      for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const Span part{s.first + edges[i], s.first + edges[i + 1]};
        if (Seconds(part) < least_ || !HurtIn(part, calm_, kHurtShare).empty()) continue;
        if (rest.first < part.first) all.push_back({rest.first, part.first});
        all.push_back(part);
        calm_spans_.push_back(part);
        rest.first = part.last;
      }
      if (rest.first < rest.last) all.push_back(rest);
    }
    segments_ = std::move(all);
  }

  void MarkSegments() {
    for (const Span& s : segments_) {
      CheckBudget();
      auto why = HurtIn(s, calm_, kHurtShare);
      if (!why.empty()) marks_.push_back({s, std::move(why)});
      if (Seconds(s) < least_) MarkShort(s);
    }
  }

  /// A short segment must hurt alone, and with what is around it up to the usual length.
  void MarkShort(const Span& s) {
    Span around = s;
    while (Seconds(around) < least_ && (around.first > 0 || around.last < n_)) {
      const bool on = around.last - s.last <= s.first - around.first || around.first == 0;
      if (around.last < n_ && on) {
        ++around.last;
      } else {
        --around.first;
      }
    }
    std::vector<Hurt> why = HurtIn(around, calm_, kShortShare);
    std::erase_if(why, [](const Hurt& one) {
      return one.kind != HurtKind::kTail && one.kind != HurtKind::kAttemptTail &&
             one.kind != HurtKind::kErrors;
    });
    if (why.empty() || HurtIn(s, calm_, kShortShare).empty()) return;
    marks_.push_back({s, std::move(why), true});
  }

  void MarkWaiting() {
    constexpr double kFewest = 3, kTimes = 3, kSecondsOfBinding = 1;
    for (const Span& s : segments_) {
      if (AnyNobody(s)) continue;
      std::vector<double> waiting;
      for (std::size_t i = s.first; i < s.last; ++i) waiting.push_back(Waiting(i));
      const double median = QuantileOfValues(0.5, waiting);
      if (median < std::max(kFewest, kSecondsOfBinding * calm_.rate)) continue;
      if (median < kTimes * calm_.mean_waiting) continue;
      marks_.push_back({s, {{HurtKind::kWaiting, median, 0}}});
    }
  }

  void MarkNobody() {
    constexpr double kLeastSeconds = 20, kLeastDue = 20, kFewOfThem = 0.5;
    const double rate = has_calm_ ? calm_.rate : Bound({0, n_}) / Seconds({0, n_});
    for (std::size_t first = 0; first < n_; ++first) {
      if (!counts_.nobody_here[first]) continue;
      std::size_t last = first;
      while (last < n_ && counts_.nobody_here[last]) ++last;
      const Span all{first, std::min(n_, last + 1)};  // up to and including the first good scrape
      const double seconds = Seconds({first, last}), due = rate * Seconds(all);
      const double bound = std::min(BoundAtOnce(all, seconds / 4), rate * SinceLastStart(all));
      if (seconds >= std::max(kLeastSeconds, counts_.period) - kJitter && due >= kLeastDue &&
          bound < kFewOfThem * due) {
        marks_.push_back({all, {{HurtKind::kNobody, seconds, 1 - bound / due}}, true});
      }
      first = last;
    }
  }

  /// Seconds from the last start of a process in it to its end; all of it without one. A process
  /// counts waits from its own start: of the pods bound since, more than usual had waited before.
  double SinceLastStart(const Span& s) const {
    const TimeRange when = When(s);
    const auto last = std::ranges::upper_bound(counts_.starts, when.end);
    const bool within = last != counts_.starts.begin() && *std::prev(last) > when.start;
    return MsToSeconds(when.end - (within ? *std::prev(last) : when.start));
  }

  /// Bound pods, but for those that are known to have waited longer.
  double BoundAtOnce(const Span& s, double seconds) const {
    if (!counts_.has_pods) return Bound(s);
    const std::vector<double> pods = counts_.pods.Sum(s.first, s.last);
    double bound = 0;
    for (std::size_t k = 0; k < pods.size(); ++k) {
      if (k == 0 || counts_.pod_bounds[k - 1] < seconds) bound += pods[k];
    }
    return bound;
  }

  /// What was bound late, and more than three times as many of the pods as in the calm, waited
  /// before: since a bucket's lower bound at least, and as long as that many were waiting up to its
  /// upper one.
  std::vector<Mark> LateMarks() const {
    std::vector<Mark> marks;
    if (!counts_.has_pods) return marks;
    constexpr double kTimes = 3;
    const std::vector<double>&bounds = counts_.pod_bounds, &calm = calm_.counts.pods;
    double calm_late = 0;
    for (std::size_t k = 1; k < calm.size(); ++k) {
      if (bounds[k - 1] >= kLateSeconds) calm_late += calm[k] / std::max(1.0, SumOf(calm));
    }
    for (std::size_t i = 0; i < n_; ++i) {
      CheckBudget();
      const auto row = counts_.pods.Row(i);
      double late = 0, most = 0;
      std::size_t bucket = 0;
      for (std::size_t k = 1; k < row.size(); ++k) {
        if (bounds[k - 1] < kLateSeconds || !(row[k] > 0)) continue;
        late += row[k];
        if (row[k] > most) most = row[k], bucket = k;
      }
      if (late <= 0 || late <= kTimes * calm_late * Bound({i, i + 1})) continue;
      std::size_t first = EdgeBefore(counts_.edges[i + 1], bounds[bucket - 1]);
      const std::size_t earliest = EdgeBefore(counts_.edges[i], bounds[bucket]);
      while (first > earliest && Waiting(first - 1) >= std::max(1.0, late / 2)) --first;
      marks.push_back({{std::min(first, i), i + 1}, {{HurtKind::kLate, late, 0}}, true, late});
    }
    return marks;
  }
  /// Marks of late pods that overlap are one, and none unless they are many: a few late ones do not
  /// join what lies minutes apart.
  void KeepMany(std::vector<Mark> late) {
    constexpr double kFewLate = 5;
    std::ranges::stable_sort(late, {}, [](const Mark& one) { return one.span.first; });
    for (std::size_t i = 0; i < late.size();) {
      Mark all = late[i];
      for (++i; i < late.size() && late[i].span.first < all.span.last; ++i) {
        all.span.last = std::max(all.span.last, late[i].span.last);
        all.late += late[i].late;
        AddHurt(late[i].why.front(), &all.why);
      }
      if (all.late >= std::max(kFewLate, kHurtShare * Bound(all.span))) marks_.push_back(all);
    }
  }
  /// The first edge that is at most so many seconds earlier.
  std::size_t EdgeBefore(TimeMs at, double seconds) const {
    if (!(seconds * 1000 < static_cast<double>(at - counts_.edges.front()))) return 0;
    const TimeMs from = at - static_cast<TimeMs>(seconds * 1000);
    const auto edge = std::lower_bound(counts_.edges.begin(), counts_.edges.end(), from);
    return static_cast<std::size_t>(edge - counts_.edges.begin());
  }

  double SeverityOfMark(const Mark& mark) const {
    if (mark.sure) return kInfinity;
    const StateCounts counts = CountsOf(mark.span);
    const double all = std::max(1.0, SumOf(counts.results));
    return std::max(1e-3, SlownessOf(counts_, counts) - calm_.slowness) +
           (counts.results[1] + counts.results[2]) / all;
  }

  /// Touching marks are one, but for two that each last, hurt in other ways, and one far worse than
  /// the other. A single calm column, or seconds of calm, do not part what is alike; nor, of brief
  /// ones that come again and again, a calm that is brief too.
  bool Joins(const Group& group, const Mark& mark) const {
    const double gap =
        MsToSeconds(counts_.edges[mark.span.first]) - MsToSeconds(counts_.edges[group.span.last]);
    const bool alike = (group.ways & WaysOf(mark)) != 0;
    if (gap > kJitter && !IsBlind({group.span.last, mark.span.first})) {
      const bool again = Seconds(group.marks.back().span) < least_ && Seconds(mark.span) < least_;
      return alike && gap < (again ? least_ : std::max(kBriefCalm, 1.5 * counts_.period));
    }
    // Overlapping, touching, or parted by what is no calm.
    if (gap < -kJitter || std::isinf(mark.severity) || std::isinf(group.severity)) return true;
    const double ratio = mark.severity / group.severity;
    return alike || (ratio >= 1 / kAnotherSeverity && ratio <= kAnotherSeverity) ||
           Seconds(mark.span) < least_ || Seconds(group.span) < least_;
  }

  std::vector<Group> Groups() {
    std::ranges::stable_sort(marks_, {}, [](const Mark& one) { return one.span.first; });
    std::vector<Group> groups;
    for (Mark& mark : marks_) {
      mark.severity = SeverityOfMark(mark);
      if (groups.empty() || !Joins(groups.back(), mark)) {
        groups.push_back({{mark}, mark.span, mark.severity, WaysOf(mark)});
        continue;
      }
      Group& group = groups.back();
      if (!std::isinf(mark.severity)) group.severity = std::max(group.severity, mark.severity);
      group.span.last = std::max(group.span.last, mark.span.last);
      group.ways |= WaysOf(mark);
      group.marks.push_back(mark);
    }
    return groups;
  }

  /// The pods that were due waited for half of the time: how many bounds that doubles past 0.1 s.
  static double SlownessOfNobody(const Hurt& one) {
    return one.share * std::log2(std::max(2.0, one.value / 2 / 0.1));
  }

  /// A span with what hurts in it as a whole, and else in a part of it.
  EpisodeSpan Told(const Span& span, const std::vector<Hurt>& parts, double usual) const {
    EpisodeSpan found;
    found.when = When(span);
    if (has_calm_) found.why = HurtIn(span, calm_, kHurtShare);
    for (const Hurt& one : parts) {
      const auto known = std::ranges::find(found.why, one.kind, &Hurt::kind);
      if (known == found.why.end()) {
        found.why.push_back(one);
      } else {
        known->of_attempts |= one.of_attempts;
      }
      if (one.kind == HurtKind::kNobody) usual = std::max(usual, SlownessOfNobody(one));
    }
    std::stable_partition(found.why.begin(), found.why.end(),
                          [](const Hurt& one) { return one.kind == HurtKind::kNobody; });
    found.severity = Seconds(span) * std::max(0.05, usual);
    return found;
  }

  /// Whether it lasts, or is sure.
  void Judge(const Group& group, EpisodeSearch* out) const {
    double covered = 0;
    std::size_t reached = 0;
    bool sure = false;
    std::vector<Hurt> parts;
    for (const Mark& mark : group.marks) {
      const Span part{std::max(mark.span.first, reached), mark.span.last};
      if (part.last > part.first) covered += Seconds(part);
      reached = std::max(reached, mark.span.last);
      sure |= mark.sure;
      for (const Hurt& one : mark.why) AddHurt(one, &parts);
    }
    const double usual =
        std::isinf(group.severity) ? SlownessIn(group.span) - calm_.slowness : group.severity;
    (covered >= least_ || sure ? out->episodes : out->also_seen)
        .push_back(Told(group.span, parts, usual));
  }

  /// A short episode is told with at least the usual length, up to the next one.
  void Lengthen(std::vector<EpisodeSpan>* episodes) const {
    const auto least = static_cast<TimeMs>(least_ * 1000);
    const auto period = static_cast<TimeMs>(counts_.period * 1000);
    for (std::size_t i = 0; i < episodes->size(); ++i) {
      TimeRange& when = (*episodes)[i].when;
      if (when.end - when.start >= least) continue;
      const bool last = i + 1 == episodes->size();
      const TimeMs limit = last ? counts_.edges.back() : (*episodes)[i + 1].when.start - period;
      const TimeMs wanted = std::min(when.start + least, limit);
      const auto edge = std::lower_bound(counts_.edges.begin(), counts_.edges.end(), wanted);
      if (edge != counts_.edges.end()) when.end = std::max(when.end, *edge);
    }
  }

  void JudgeAsAWhole(bool given, EpisodeSearch* out) const {
    const Span whole{0, n_};
    // Less than a minute is not sure of little.
    const bool brief = Seconds(whole) < 60 - kJitter;
    EpisodeSpan found;
    found.when = When(whole);
    if (given) {
      found.why = HurtIn(whole, calm_, brief ? kShortShare : kHurtShare);
    } else {
      const StateCounts counts = has_calm_ ? calm_.counts : CountsOf(whole);
      found.why = SlowAllTheTime(counts_, counts, brief ? kShortShare : kStandingShare);
      found.standing = true;
    }
    found.severity = Seconds(whole) * std::max(0.05, SlownessIn(whole));
    if (!found.why.empty()) out->episodes.push_back(std::move(found));
  }

  std::vector<TimeRange> CalmStretches() const {
    std::vector<Span> spans = calm_spans_;
    std::ranges::sort(spans, {}, &Span::first);
    std::vector<TimeRange> stretches;
    for (const Span& s : spans) {
      const TimeRange when = When(s);
      if (!stretches.empty() && stretches.back().end == when.start) {
        stretches.back().end = when.end;
      } else {
        stretches.push_back(when);
      }
    }
    return stretches;
  }

  const ColumnCounts& counts_;
  std::size_t n_;
  double dispersion_ = 1, least_ = 60;
  std::vector<Span> segments_, calm_spans_;
  CalmState calm_;
  bool has_calm_ = false;
  std::vector<Mark> marks_;
};

}  // namespace

void AddHurt(const Hurt& one, std::vector<Hurt>* all) {
  const auto known = std::ranges::find(*all, one.kind, &Hurt::kind);
  if (known == all->end()) return all->push_back(one);
  const bool of_attempts = known->of_attempts || one.of_attempts;
  const double late = known->value + one.value;
  if (std::pair(one.share, one.value) > std::pair(known->share, known->value)) *known = one;
  if (one.kind == HurtKind::kLate) known->value = late;
  known->of_attempts = of_attempts;
}

std::vector<TimeRange> Without(const std::vector<TimeRange>& ranges, const TimeRange& other) {
  if (other.end <= other.start) return ranges;
  std::vector<TimeRange> left;
  for (const TimeRange& one : ranges) {
    const TimeRange before{one.start, std::min(one.end, other.start)};
    const TimeRange after{std::max(one.start, other.end), one.end};
    for (const TimeRange& part : {before, after}) {
      if (part.end > part.start) left.push_back(part);
    }
  }
  return left;
}

EpisodeSearch FindEpisodes(const ColumnCounts& counts, const CalmState* reference) {
  if (counts.columns() == 0) return {};
  return Finder(counts, reference).Search(reference != nullptr);
}

CalmState StateOf(const ColumnCounts& counts) {
  const std::size_t n = counts.columns();
  CalmState state = StateOfCounts(counts, CountsIn(counts, 0, n));
  if (n == 0) return state;
  state.rate = counts.Waits().Total() / std::max(1e-9, counts.Seconds(0, n));
  state.mean_waiting = counts.waiting.Total() / static_cast<double>(n);
  return state;
}

std::vector<Hurt> HurtsAgainst(const ColumnCounts& counts, const CalmState& calm) {
  return HurtOf(counts, CountsIn(counts, 0, counts.columns()), calm, kHurtShare, 1);
}

}  // namespace schedlens
