#pragma once

// Reads what a rendered report says, in any format and language, and lists where one sentence of it
// contradicts another, or a number.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/diagnosis.h"
#include "messages/catalog.h"

namespace schedlens::test {

enum class Form { kText, kMarkdown, kHtml, kSlack };

/// What the sentences of one report claim. Words are those of the JSON contract.
struct Said {
  std::string headline;
  std::string verdict;  ///< by the headline; empty where its words are none of ours
  std::string sure;     ///< "certain", ... by the headline of an incident
  std::string badge;    ///< "incident", "no-incident", "not-above"; empty where there is none
  std::string decided;  ///< "above", "below"; empty where nothing is said
  std::optional<double> threshold, shown, low, high;          ///< seconds, of the alert
  std::vector<std::pair<std::string, std::string>> findings;  ///< id and confidence
  std::vector<double> percents;                               ///< of the time, of the growth
  std::optional<int> more;                                    ///< "and N more causes"
  bool runner_up = false;
  bool none_slower = false;
  bool cannot_decide = false;
  bool partial = false;
  bool cut = false;  ///< the format leaves out what does not fit
};

inline void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

/// Without marks, tags and escapes. Blocks of HTML end a line, and so do cells.
inline std::string PlainOf(Form form, std::string text) {
  if (form == Form::kHtml) {
    const std::size_t style = text.find("<style>"), end = text.find("</style>");
    if (style != text.npos && end != text.npos) text.erase(style, end - style);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '<') {
        out += text[i];
        continue;
      }
      const std::size_t close = std::min(text.find('>', i), text.size() - 1);
      std::string name = text.substr(i + 1, close - i - 1);
      name = name.substr(name.starts_with('/') ? 1 : 0, name.find(' ') - (name.starts_with('/')));
      const bool inside = name == "b" || name == "code" || name == "data" || name == "a";
      if (!inside) out += '\n';
      i = close;
    }
    text = out;
  }
  if (form == Form::kMarkdown) {
    ReplaceAll(&text, "**", "");
    std::erase(text, '\\');
  }
  if (form == Form::kSlack) std::erase(text, '*');
  if (form != Form::kText) std::erase(text, '`');
  for (const auto& [from, to] : std::map<std::string, std::string>{{"&nbsp;", " "},
                                                                   {"\u00A0", " "},
                                                                   {"&#39;", "'"},
                                                                   {"&quot;", "\""},
                                                                   {"&lt;", "<"},
                                                                   {"&gt;", ">"},
                                                                   {"–", "-"},
                                                                   {"≥", ">="},
                                                                   {"≤", "<="},
                                                                   {"µs", "us"}}) {
    ReplaceAll(&text, from, to);
  }
  ReplaceAll(&text, "&amp;", "&");
  return text;
}

/// Lines of a terminal put together again: those that begin with a space go on.
inline std::string Unwrapped(const std::string& text, bool first_paragraph) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      out += text[i];
      continue;
    }
    const std::size_t next = text.find_first_not_of(' ', i + 1);
    const bool goes_on = first_paragraph || (next != text.npos && next > i + 1);
    if (!goes_on || next == text.npos) {
      out += '\n';
      continue;
    }
    // Chinese is wrapped without a space, Latin words at one.
    const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const bool marks = !out.empty() && (!plain(out.back()) || !plain(text[next]));
    if (!marks) out += ' ';
    i = next - 1;
  }
  return out;
}

/// The words that reports of one language use.
class Words {
 public:
  explicit Words(const std::string& lang) : catalog_(Catalog::Of(lang)) {}

  std::string Of(const std::string& id) const { return Escaped(catalog_.texts().at(id)); }
  /// The text up to its first argument.
  std::string Start(const std::string& id) const {
    const std::string text = catalog_.texts().at(id);
    return text.substr(0, text.find('{'));
  }
  /// The text as a pattern: every argument is `argument`.
  std::string Pattern(const std::string& id, const std::string& argument) const {
    const std::string text = catalog_.texts().at(id);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find('{', at), close = text.find('}', at);
      std::string piece = Escaped(text.substr(at, std::min(open, text.size()) - at));
      ReplaceAll(&piece, " ", " ?");  // a line may have ended there
      out += piece;
      if (open == text.npos) break;
      out += argument;
      at = close + 1;
    }
    return out;
  }

 private:
  static std::string Escaped(const std::string& text) {
    return std::regex_replace(text, std::regex(R"([.()\[\]*+?|^$])"), R"(\$&)");
  }

  const Catalog& catalog_;
};

inline std::string FirstMatch(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[match.size() - 1].str() : "";
}

inline std::optional<double> SecondsOf(std::string text) {
  std::erase(text, ',');
  const double number = std::atof(text.c_str() + text.find_first_of("0123456789"));
  if (text.ends_with("us")) return number / 1e6;
  return text.ends_with("ms") ? number / 1e3 : number;
}

constexpr const char* kSeconds = R"([0-9][0-9.,]* ?(?:s|ms|us))";

inline void ReadRange(const std::string& text, Said* said) {
  std::smatch match;
  const std::regex both(R"(([0-9][0-9.,]*)( ?s| ?ms| ?us)? ?- ?([0-9][0-9.,]*) ?(s|ms|us))");
  if (std::regex_search(text, match, both)) {
    const std::string unit = match[2].matched ? match[2].str() : " " + match[4].str();
    said->low = SecondsOf(match[1].str() + unit);
    said->high = SecondsOf(match[3].str() + " " + match[4].str());
  } else if (text.starts_with(">=")) {
    said->low = SecondsOf(text);
  } else if (text.starts_with("<=")) {
    said->high = SecondsOf(text);
  }
}

inline void ReadHeadline(const Words& words, Said* said) {
  const std::string& text = said->headline;
  for (const char* sure : {"certain", "likely", "possible"}) {
    const std::string word = words.Start(std::string("headline.") + sure);
    if (!text.starts_with(word + ":") && !text.starts_with(word + "：")) continue;
    said->sure = sure;
    said->verdict = "incident";
  }
  const std::vector<std::pair<const char*, const char*>> starts = {
      {"headline.slow", "incident"},
      {"verdict.no_incident", "no-incident"},
      {"headline.artifact", "artifact"},
      {"headline.undecidable", "undecidable"},
      {"headline.unexplained", "incident"},
      {"headline.insufficient", "insufficient-data"},
      {"headline.nothing", "insufficient-data"},
      {"headline.outside", "insufficient-data"}};
  for (const auto& [id, verdict] : starts) {
    if (said->verdict.empty() && text.starts_with(words.Start(id))) said->verdict = verdict;
  }
  said->none_slower = std::regex_search(text, std::regex(words.Pattern("headline.healthy", ".*")));
  said->cannot_decide = text.starts_with(words.Start("headline.undecidable"));
  const std::string more = FirstMatch(text, R"((?:and |另有 ?)([0-9]+)(?: more causes?| ?个原因))");
  if (!more.empty()) said->more = std::atoi(more.c_str());
  said->runner_up = text.find("Runner-up:") != text.npos || text.find("其次：") != text.npos;
}

inline void ReadBadge(Form form, const Words& words, const std::string& raw,
                      const std::string& plain, Said* said) {
  std::string badge;
  if (form == Form::kHtml) {
    const std::size_t at = raw.find("<span class=\"verdict ");
    const std::size_t open = raw.find('>', at);
    if (at != raw.npos) badge = raw.substr(open + 1, raw.find('<', open) - open - 1);
    ReplaceAll(&badge, "&#39;", "'");
  } else if (form == Form::kMarkdown) {
    badge = FirstMatch(plain, R"(\| )" + words.Of("facts.verdict") + R"( \| ([^|]*) \|)");
  }
  const std::vector<std::pair<const char*, const char*>> all = {
      {"verdict.incident", "incident"},       {"verdict.no_incident", "no-incident"},
      {"verdict.not_above", "not-above"},     {"verdict.artifact", "artifact"},
      {"verdict.undecidable", "undecidable"}, {"verdict.insufficient", "insufficient-data"}};
  for (const auto& [id, verdict] : all) {
    if (!badge.empty() && badge == words.Start(id)) said->badge = verdict;
  }
}

inline void ReadFindings(const Words& words, const std::string& text, Said* said) {
  std::map<std::string, std::string> sure;
  std::string any;
  for (const char* word : {"certain", "likely", "possible"}) {
    const std::string own = words.Start(std::string("confidence.") + word);
    sure[own] = word;
    any += (any.empty() ? "" : "|") + own;
  }
  const std::string id = R"(([a-z]+(?:[.-][a-z]+)*))";
  const std::string after = id + "(?:, |，)(" + any + ")";  // text, Markdown, Slack
  const std::string before = "(" + any + R"()(?:[^\n]{0,90})? · )" + id;
  const auto each = [&](const std::string& pattern, auto add) {
    const std::regex regex(pattern);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
         it != std::sregex_iterator(); ++it) {
      add(*it);
    }
  };
  const auto add = [&](const std::string& name, const std::string& word) {
    const std::pair<std::string, std::string> finding{name, sure.at(word)};
    auto& all = said->findings;
    // A post-mortem repeats them.
    if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(finding);
  };
  each(before, [&](const std::smatch& m) { add(m[2], m[1]); });
  if (said->findings.empty()) each(after, [&](const std::smatch& m) { add(m[1], m[2]); });
  const auto percent = [&](const std::smatch& m) { said->percents.push_back(std::stod(m[1])); };
  each(R"(([0-9]+(?:\.[0-9]+)?) ?%(?: \([^)\n]{0,40}\))? of (?:the time|the growth|all e2e))",
       percent);
  each(R"(占(?:全部时间|全部 ?e2e ?时间|增量)的 ?([0-9]+(?:\.[0-9]+)?) ?%)", percent);
}

/// The conclusion, the facts and the findings; of a page not the pictures and tables below.
inline std::string UpToFindings(Form form, const std::string& raw) {
  std::size_t end = form == Form::kHtml ? raw.size() : std::min<std::size_t>(raw.size(), 16'000);
  for (const char* section :
       {"<section id=\"alert\"", "<section id=\"heatmap\"", "<section id=\"timeline\""}) {
    if (form == Form::kHtml) end = std::min(end, raw.find(section));
  }
  std::string out = raw.substr(0, end);
  const std::size_t picture = form == Form::kHtml ? out.find("<section id=\"stages\"") : out.npos;
  if (picture != out.npos) out.erase(picture, out.find("</section>", picture) - picture);
  return out;
}

inline Said ReadReport(Form form, const std::string& lang, const std::string& report) {
  const Words words(lang);
  Said said;
  const std::string raw = UpToFindings(form, report);
  std::string plain = PlainOf(form, raw);
  if (form == Form::kText) {
    said.headline = Unwrapped(plain.substr(0, plain.find("\n\n")), true);
    plain = Unwrapped(plain, false);
  } else if (form == Form::kHtml) {
    const std::size_t at = raw.find("<h1>") + 4;
    said.headline = PlainOf(form, raw.substr(at, raw.find("</h1>") - at));
  } else {
    const std::size_t at = plain.find(form == Form::kMarkdown ? "# " : ": ") + 2;
    said.headline = plain.substr(at, plain.find('\n') - at);
  }
  ReadHeadline(words, &said);
  ReadBadge(form, words, raw, plain, &said);
  ReadFindings(words, plain, &said);
  const std::string number = std::string("(") + kSeconds + ")";
  for (const auto& [id, decided] :
       {std::pair("decided.above", "above"), {"decided.below", "below"}}) {
    const std::string threshold = FirstMatch(plain, words.Pattern(id, number));
    if (threshold.empty()) continue;
    said.decided = decided;
    said.threshold = SecondsOf(threshold);
  }
  const std::string shown =
      FirstMatch(plain, "(?:" + words.Pattern("report.alert.shows", "") + "|" +
                            words.Pattern("facts.shown", "p99") + R"(\n+))" + number);
  if (!shown.empty()) said.shown = SecondsOf(shown);
  ReadRange(
      FirstMatch(plain, "(?:" + words.Pattern("report.alert.proven", "") + "|" +
                            words.Of("facts.proven") + R"((?: \| |\n+))" + R"()([^;；|\n]*))"),
      &said);
  said.partial = plain.find(words.Start("source.partial")) != plain.npos;
  said.cut = (form == Form::kSlack && plain.find("More in the full report") != plain.npos) ||
             (form == Form::kText && (plain.find("more with `--full`") != plain.npos ||
                                      plain.find("项，见 `--full`") != plain.npos));
  return said;
}

inline bool IsCauseId(const std::string& id) {
  return !id.starts_with("quantile.") && !id.starts_with("data.");
}

/// What one report says against itself; empty for an honest one.
inline std::vector<std::string> ContradictionsIn(const Said& said) {
  std::vector<std::string> found;
  const auto must = [&](bool holds, const std::string& what) {
    if (!holds) found.push_back(what);
  };
  const bool incident = said.verdict == "incident";
  if (!said.badge.empty() && !said.verdict.empty()) {
    const bool same = said.badge == said.verdict || (incident && said.badge == "not-above");
    must(same, fmt::format("badge {} over a headline of {}", said.badge, said.verdict));
  }
  must(said.badge != "incident" || said.decided != "below",
       "badge Incident beside truly not above");
  must(said.badge != "not-above" || said.decided == "below",
       "badge says not above, nothing else does");
  must(said.verdict != "no-incident" || said.decided != "above", "No incident, truly above");
  must(!said.cannot_decide || said.decided != "above", "cannot decide, truly above");
  must(said.verdict != "artifact" || said.decided == "below", "an artifact that is not below");
  if (said.threshold) {
    const double t = *said.threshold;
    must(said.decided != "above" || !said.low || *said.low > 0.99 * t,
         "truly above, and the proven interval begins below");
    must(said.decided != "above" || !said.high || *said.high > 0.99 * t,
         "truly above, and the proven interval ends below");
    must(said.decided != "below" || !said.high || *said.high < 1.01 * t,
         "truly not above, and the proven interval ends above");
    must(said.verdict != "artifact" || !said.shown || *said.shown > 0.99 * t,
         "an artifact that does not show more than the threshold");
  }
  must(!said.low || !said.high || *said.low <= *said.high,
       "a proven interval that ends before it begins");
  for (const double percent : said.percents) {
    must(percent <= 100, fmt::format("a share of {} %", percent));
  }
  std::vector<std::pair<std::string, std::string>> causes;
  for (const auto& finding : said.findings) {
    if (IsCauseId(finding.first)) causes.push_back(finding);
    must(!said.partial || finding.second != "certain" || finding.first.starts_with("data."),
         finding.first + " is certain although data was left out");
    must(!said.none_slower || !IsCauseId(finding.first) || finding.second == "possible",
         "none slower, and yet " + finding.first + " is " + finding.second);
  }
  if (said.sure.empty()) return found;
  if (causes.empty()) return found;
  must(causes.front().second == said.sure,
       fmt::format("the headline is {}, its cause {}", said.sure, causes.front().second));
  if (said.cut) return found;
  // Those that are merely possible, or small, are not counted.
  const auto others = std::count_if(causes.begin() + 1, causes.end(),
                                    [](const auto& cause) { return cause.second != "possible"; });
  const int told = said.more.value_or(0);
  must(told <= others,
       fmt::format("the headline tells of {} more causes, there are {}", told, others));
  must(!said.runner_up || causes.size() > 1, "a runner-up and no second cause");
  must(!said.runner_up || said.sure != "certain", "a runner-up beside what is proven");
  return found;
}

/// The edges of the bucket that holds the p99 of a stretch of the timeline; nothing below 100
/// attempts.
inline std::optional<std::pair<double, double>> P99Bucket(const Timeline& timeline,
                                                          const TimeRange& range) {
  std::vector<double> counts(timeline.bounds.size(), 0);
  double all = 0;
  for (std::size_t i = 0; i < timeline.times.size() && i < timeline.e2e.size(); ++i) {
    const bool inside = timeline.times[i] > range.start && timeline.times[i] <= range.end;
    for (std::size_t b = 0; inside && b < std::min(counts.size(), timeline.e2e[i].size()); ++b) {
      if (!(timeline.e2e[i][b] > 0)) continue;
      counts[b] += timeline.e2e[i][b];
      all += timeline.e2e[i][b];
    }
  }
  if (all < 100) return std::nullopt;
  double below = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    below += counts[b];
    if (below >= 0.99 * all)
      return std::pair(b == 0 ? 0 : timeline.bounds[b - 1], timeline.bounds[b]);
  }
  return std::nullopt;
}

/// The same of the numbers behind the sentences.
inline std::vector<std::string> ContradictionsIn(const Diagnosis& d) {
  std::vector<std::string> found;
  const auto must = [&](bool holds, const std::string& what) {
    if (!holds) found.push_back(what);
  };
  const bool quiet = d.verdict == Verdict::kNoIncident;
  if (d.alert) {
    const AlertVerdict& a = *d.alert;
    must(!quiet || a.decided != Decided::kAbove, "no-incident, decided above");
    must(a.given || !a.threshold, "a threshold without an alert");
    const bool above = a.threshold && a.interval.low && *a.interval.low > *a.threshold;
    must(!quiet || !above || a.shown.value_or(0) <= *a.threshold,
         "no-incident, shown and proven above");
  }
  if (quiet && d.baseline && d.headline.id == "headline.healthy") {
    const auto now = P99Bucket(d.timeline, d.window), before = P99Bucket(d.timeline, *d.baseline);
    must(!now || !before || now->first < 3 * before->second,
         "none slower, and the proven p99 is three times the baseline's");
    must(!d.alert || !before || d.alert->interval.low.value_or(0) < 3 * before->second,
         "none slower, and the alert's proven p99 is three times the baseline's");
  }
  double top = 0;
  for (const StageTime& stage : d.stages) {
    if (stage.parent.empty()) top += stage.share.value.value_or(0);
    for (const Finding& finding : d.findings) {
      if (finding.id != stage.id || !finding.share ||
          finding.share->basis.kind == BasisKind::kGrowth)
        continue;
      must(std::abs(finding.share->value.value_or(0) - stage.share.value.value_or(0)) < 0.001,
           finding.id + " has another share than its stage");
    }
  }
  must(top < 1.002, fmt::format("the stages' shares add up to {}", top));
  for (const Finding& finding : d.findings) {
    must(!finding.share || finding.share->value.value_or(0) <= 1.0005, finding.id + " over 100 %");
  }
  for (const QuantileRow& row : d.quantiles) {
    const double estimate = row.estimate.value.value_or(std::nan(""));
    must(!(estimate < row.interval.low.value_or(-1) * (1 - 1e-9)) &&
             !(estimate > row.interval.high.value_or(1e300) * (1 + 1e-9)),
         "an estimate outside the proven interval");
  }
  return found;
}

/// The exit code that `diagnose --fail-on possible` gives.
inline int ExitCodeOf(const Diagnosis& d) {
  if (d.verdict == Verdict::kInsufficientData) return 5;
  return d.verdict == Verdict::kIncident && !d.findings.empty() ? 3 : 0;
}

}  // namespace schedlens::test
