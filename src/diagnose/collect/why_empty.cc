#include "diagnose/collect/why_empty.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/source.h"
#include "base/text.h"
#include "diagnose/collect/last_seen.h"
#include "diagnose/collect/missing.h"
#include "kube/metrics.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using promql::Matcher;
using promql::MatchOp;

/// Values or labels to name of those that are there.
constexpr std::size_t kMostNamed = 4;
/// How far back an instant selector looks.
constexpr TimeMs kLookbackMs = 5 * 60 * 1000;

bool IsOfName(const Matcher& one) { return one.name == kMetricName; }

std::string TextOf(const Matcher& one) {
  constexpr const char* kOps[] = {"=", "!=", "=~", "!~"};
  return one.name + kOps[static_cast<int>(one.op)] + QuotePromql(one.value);
}

std::string Braced(const std::vector<Matcher>& matchers) {
  std::vector<std::string> texts;
  std::transform(matchers.begin(), matchers.end(), std::back_inserter(texts), TextOf);
  return fmt::format("{{{}}}", fmt::join(texts, ","));
}

std::string ListedNames(const std::set<std::string>& all) {
  std::vector<std::string> some(all.begin(), all.end());
  some.resize(std::min(some.size(), kMostNamed));
  return fmt::format("{}{}", fmt::join(some, ", "), all.size() > kMostNamed ? ", ..." : "");
}

/// The nearest of the words that a slip of the hand may have meant; empty for none.
std::string Meant(const std::string& word, const std::set<std::string>& known) {
  const std::string near = Nearest(word, {known.begin(), known.end()});
  const std::size_t most = std::max<std::size_t>(2, word.size() / 4);
  const bool longer = !word.empty() && near.starts_with(word);
  return longer || EditDistance(word, near) <= most ? near : "";
}

class Search {
 public:
  Search(Source& source, const std::vector<Matcher>& matchers, const TimeRange& range,
         const std::string& what)
      : source_(source), range_(range), all_(matchers) {
    for (const Matcher& one : matchers) (IsOfName(one) ? names_ : others_).push_back(one);
    named_ = names_.size() == 1 && names_[0].op == MatchOp::kEqual;
    what_ = named_ || (what.empty() && !names_.empty()) ? names_[0].value : what;
  }

  Message Run() {
    if (names_.empty()) return {};
    const std::vector<Series> rows = Rows();
    if (!rows.empty()) return WhichFails(rows);
    if (const auto near = FindNearestScrape(source_, Braced(all_), range_)) {
      return Message(near->before ? "hint.seen_before" : "hint.seen_after",
                     {{"what", what_}, {"at", FormatTime(near->at)}});
    }
    return named_ ? WhichName() : Message();
  }

 private:
  std::vector<Series> Ask(const std::string& statement) {
    const std::string window = FormatDuration(std::max<TimeMs>(range_.end - range_.start, 1));
    const std::string promql = Substitute(statement, "", window);
    return source_.Ask({promql, range_.end, range_.end, 0}).series;
  }

  /// Which values the matchers' labels have, of the series with that name.
  std::vector<Series> Rows() {
    std::set<std::string> labels;
    for (const Matcher& one : others_) labels.insert(one.name);
    return Ask(fmt::format("count by ({}) (last_over_time({}[$window]))", fmt::join(labels, ", "),
                           Braced(names_)));
  }

  Message WhichFails(const std::vector<Series>& rows) {
    const auto accepted = [&](std::span<const Matcher> some) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const Series& row) { return promql::Accept(some, row.labels); });
    };
    for (const Matcher& one : others_) {
      if (!accepted(std::span(&one, 1))) return OfMatcher(one, rows);
    }
    if (accepted(others_)) return {};
    return Message("hint.together", {{"what", what_}, {"matchers", arg::Promql(Braced(others_))}});
  }

  Message OfMatcher(const Matcher& one, const std::vector<Series>& rows) {
    std::set<std::string> values;
    for (const Series& row : rows) {
      if (row.labels.Has(one.name)) values.emplace(row.labels.Get(one.name));
    }
    if (values.empty()) return OfLabel(one);
    Message hint("hint.matcher", {{"what", what_}, {"matcher", arg::Promql(TextOf(one))}});
    const std::string near = Meant(one.value, values);
    if (near.empty()) {
      hint.id = "hint.matcher.values";
      hint.args.push_back({"label", one.name});
      hint.args.push_back({"values", ListedNames(values)});
    } else {
      hint.args.push_back({"near", arg::Promql(TextOf({MatchOp::kEqual, one.name, near}))});
    }
    return hint;
  }

  Message OfLabel(const Matcher& one) {
    std::set<std::string> labels;
    for (const Series& series :
         Ask(fmt::format("topk(1, last_over_time({}[$window]))", Braced(names_)))) {
      for (const auto& [name, value] : series.labels) {
        if (name != kMetricName) labels.emplace(name);
      }
    }
    const std::string near = Meant(one.name, labels);
    return Message(near.empty() ? "hint.label.others" : "hint.label",
                   {{"what", what_},
                    {"label", one.name},
                    {"near", near.empty() ? ListedNames(labels) : near}});
  }

  /// The names here that begin as the one that was asked for does, else as a scheduler's.
  std::set<std::string> NamesHere() {
    for (const std::string& prefix :
         {what_.substr(0, what_.find('_')) + "_", std::string(kube::kOwnPrefix)}) {
      std::set<std::string> names;
      const Matcher begin{MatchOp::kRegex, std::string(kMetricName), prefix + ".+"};
      for (const Series& series :
           Ask(fmt::format("count by (__name__) (last_over_time({}[$window]))", Braced({begin})))) {
        names.emplace(series.labels.Get(kMetricName));
      }
      if (!names.empty()) return names;
    }
    return {};
  }

  /// Of a scheduler's metric: why its release does not have it.
  Message WhyReleaseHasNone() {
    Facts facts;
    facts.answers["release"] = Ask(QuerySet::Embedded().Get("release").statements.front());
    // Others' build information, too.
    std::erase_if(facts.answers["release"], [](const Series& series) {
      return !series.labels.Get(kMetricName).starts_with(kube::kOwnPrefix);
    });
    return WhyAbsent(what_, DetectRelease(facts));
  }

  /// The name by which an earlier or a later release has the metric, where that is here.
  std::string OtherName(const std::set<std::string>& here) {
    const kube::MetricRow* row = kube::FindMetric(what_);
    if (row == nullptr) return "";
    std::vector<std::string_view> others;
    if (!row->successor.empty()) others.push_back(row->successor);
    if (const auto* before = PredecessorOf(*row)) others.push_back(before->name);
    for (const std::string_view other : others) {
      std::string name(other);
      if (what_.starts_with(row->name)) name += what_.substr(row->name.size());
      if (here.contains(name)) return name;
    }
    return "";
  }

  Message WhichName() {
    const std::set<std::string> here = NamesHere();
    const std::string other = OtherName(here);
    if (!other.empty()) return Message("hint.renamed", {{"what", what_}, {"other", other}});
    const Message absent = WhyReleaseHasNone();
    if (!absent.empty()) return Message("hint.absent", {{"what", what_}, {"why", absent}});
    const std::string near = Meant(what_, here);
    if (near.empty()) return Message("hint.name", {{"what", what_}});
    return Message("hint.name.near", {{"what", what_}, {"near", near}});
  }

  Source& source_;
  TimeRange range_;
  std::vector<Matcher> all_, names_, others_;
  bool named_ = false;
  std::string what_;
};

}  // namespace

Message WhyEmpty(Source& source, const std::vector<Matcher>& matchers, const TimeRange& range,
                 const std::string& what) {
  try {
    return Search(source, matchers, range, what).Run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kAuth || error.kind() == ErrorKind::kInterrupted) throw;
    return {};
  }
}

std::vector<Message> WhyEmptyOf(Source& source, const std::string& promql, const TimeRange& range) {
  std::vector<Message> hints;
  promql::Walk(*promql::Parse(promql), [&](const promql::Expr& node) {
    const auto* selector = node.As<promql::Selector>();
    if (selector == nullptr || selector->shift != promql::TimeShift()) return;
    const TimeMs back = std::max(selector->range_ms, kLookbackMs);
    Message hint = WhyEmpty(source, selector->matchers, {range.start - back, range.end});
    const bool told = std::find(hints.begin(), hints.end(), hint) != hints.end();
    if (!hint.empty() && !told) hints.push_back(std::move(hint));
  });
  return hints;
}

}  // namespace schedlens
