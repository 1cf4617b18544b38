#include "report/impact_tables.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"

namespace schedlens {
namespace {

std::string WorkloadName(const Messages& t, const WorkloadImpact& one) {
  std::string name = one.name_space + "/";
  if (!one.name.empty()) return name + one.name + " (" + one.kind + ")";
  return name +
         t("join.brackets", t(one.kind.empty() ? "impact.unknown_owner" : "impact.no_owner"));
}

/// Bounds of a count; one number where they agree.
TableCell CountsCell(const Measured& counts) {
  TableCell cell{Count(counts.low), {}};
  for (const auto& end : {counts.low, counts.high}) {
    if (end) cell.numbers.push_back(*end);
  }
  if (!counts.high) {
    cell.text = "≥ " + cell.text;
  } else if (counts.high != counts.low) {
    cell.text += "–" + Count(counts.high);
  }
  return cell;
}

/// Anything there is to tell of it.
bool IsHit(const WorkloadImpact& one) { return one.over.high.value_or(1) > 0 || one.waiting > 0; }

std::vector<const WorkloadImpact*> Hit(const Diagnosis& d) {
  std::vector<const WorkloadImpact*> hit;
  if (d.verdict != Verdict::kIncident || !d.impact) return hit;
  for (const WorkloadImpact& one : d.impact->workloads) {
    if (IsHit(one)) hit.push_back(&one);
  }
  return hit;
}

std::string ObjectText(const Messages& t, const ClusterChange& change) {
  const std::string object = Shorten(Visible(change.object), kNameLimit);
  return change.count > 1 ? t("changes.and_more", object, Count(change.count - 1)) : object;
}

TableCell Moment(const Messages& t, const ClusterChange& change) {
  if (!HasTimeOfItsOwn(change)) return {t("changes.over_the_window"), {}};
  const auto from_start = [&](double s) {
    if (std::abs(s) < 0.5) return t("changes.at");
    return t(s < 0 ? "changes.before" : "changes.after", Seconds(t, std::abs(s)));
  };
  // Known to the second or between two scrapes.
  constexpr TimeMs kExact = 1000;
  const double s = change.distance_seconds;
  if (change.latest - change.earliest <= kExact) return {from_start(s), {s}};
  const auto seconds = [&](TimeMs at) { return s + static_cast<double>(at - change.at) / 1000; };
  return {t("changes.between", from_start(std::round(seconds(change.earliest))),
            from_start(std::round(seconds(change.latest)))),
          {}};
}

TableCell When(const Messages& t, const ClusterChange& change) {
  TableCell when = Moment(t, change);
  if (change.after_onset) when.text = t("changes.no_cause", when.text);
  return when;
}

}  // namespace

ReportTable ImpactTable(const Messages& t, const Diagnosis& d, std::size_t most) {
  ReportTable table{{{t("impact.workload")},
                     {t("impact.pods"), true},
                     {t("impact.over", Seconds(t, d.impact ? d.impact->threshold : 0)), true},
                     {t("impact.longest"), true},
                     {t("impact.extra"), true},
                     {t("impact.waiting"), true}},
                    {}};
  for (const WorkloadImpact* one : Hit(d)) {
    if (table.rows.size() == most) break;
    TableCell extra{kUnknown, {}};
    if (one->extra_seconds) {
      extra.text = SignedSeconds(t, one->extra_seconds->value);
      if (one->extra_seconds->value) extra.numbers.push_back(*one->extra_seconds->value);
    }
    table.rows.push_back({NameCell(WorkloadName(t, *one)), CountsCell(one->pods),
                          CountsCell(one->over), SecondsCell(t, one->longest.value), extra,
                          CountCell(one->waiting)});
  }
  return table;
}

std::vector<std::string> ImpactTotals(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> sentences;
  if (!d.impact) return sentences;
  const Impact& impact = *d.impact;
  const std::string over = Seconds(t, impact.threshold);
  const std::string pods = CountsCell(impact.pods_over_threshold).text;
  if (impact.pods_over_threshold.high != 0.0) {
    sentences.push_back(impact.extra_seconds
                            ? t("impact.total", over, pods, Count(impact.extra_seconds->value))
                            : t("impact.total.alone", over, pods));
  }
  if (impact.attempts_over_threshold && impact.attempts_over_threshold->high != 0.0) {
    sentences.push_back(t("impact.attempts", over, CountsCell(*impact.attempts_over_threshold).text,
                          Count(d.attempts)));
  }
  if (impact.above_seconds.value_or(0) > 0) {
    sentences.push_back(
        t("impact.above", over, FormatDuration(std::llround(*impact.above_seconds) * 1000)));
  }
  return sentences;
}

std::string ImpactTotal(const Messages& t, const Diagnosis& d) {
  std::string text;
  for (const std::string& sentence : ImpactTotals(t, d)) {
    text = text.empty() ? sentence : t("impact.and", text, sentence);
  }
  return text;
}

std::vector<std::string> ImpactSentences(const Messages& t, const Diagnosis& d, std::size_t most) {
  std::vector<std::string> out;
  if (d.verdict != Verdict::kIncident || !d.impact) return out;
  if (std::string total = ImpactTotal(t, d); !total.empty()) out.push_back(std::move(total));
  const std::size_t hit = Hit(d).size();
  if (hit == 0) return out;
  const ImpactCoverage& coverage = d.impact->coverage;
  out.push_back(t("impact.coverage", Count(coverage.pods_seen), Count(coverage.pods_scheduled)));
  const double more = static_cast<double>(hit - std::min(hit, most)) + coverage.workloads_left_out;
  if (more > 0) out.push_back(t("impact.left_out", Count(more)));
  return out;
}

bool HasTimeOfItsOwn(const ClusterChange& change) {
  return !change.what.id.starts_with("change.load");
}

std::string ChangeText(const Messages& t, const ClusterChange& change) {
  return t("changes.event", t(change.what), ObjectText(t, change));
}

ReportTable ChangesTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{t("changes.when"), true},
                     {t("changes.what")},
                     {t("changes.object")},
                     {t("changes.values")},
                     {t("changes.source")}},
                    {}};
  for (const ClusterChange& change : d.changes) {
    std::string values;
    if (!change.before.empty() || !change.after.empty()) {
      values = change.before + " → " + change.after;
    }
    table.rows.push_back({When(t, change),
                          NameCell(t(change.what)),
                          {ObjectText(t, change), {}},
                          NameCell(values),
                          NameCell(change.source)});
  }
  return table;
}

std::string ChangeLine(const Messages& t, const std::vector<TableCell>& row) {
  std::string line = t("changes.event", row[1].text, row[2].text);
  line = t("changes.event", row[0].text, line);
  if (!row[3].text.empty()) line += t("join.comma") + row[3].text;
  return line;
}

}  // namespace schedlens
