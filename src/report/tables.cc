#include "kube/stage.h"
#include "report/format.h"
#include "report/sections.h"

namespace schedlens {
namespace {

std::string WorkloadName(const Messages& t, const WorkloadImpact& one) {
  std::string name = one.name_space + "/";
  if (!one.name.empty()) return name + one.name + " (" + one.kind + ")";
  return name +
         t("join.brackets", t(one.kind.empty() ? "impact.unknown_owner" : "impact.no_owner"));
}

std::vector<const WorkloadImpact*> Hit(const Diagnosis& d) {
  std::vector<const WorkloadImpact*> hit;
  if (d.verdict != Verdict::kIncident || !d.impact) return hit;
  for (const WorkloadImpact& one : d.impact->workloads) {
    if (one.over.high.value_or(1) > 0 || one.waiting > 0) hit.push_back(&one);
  }
  return hit;
}

std::string ObjectText(const Messages& t, const ClusterChange& change) {
  const std::string object = Shorten(Visible(change.object), kNameLimit);
  return change.count > 1 ? t("changes.and_more", object, Count(change.count - 1)) : object;
}

TableCell TimeOf(const Messages& t, const ClusterChange& change) {
  if (!HasTimeOfItsOwn(change)) return {t("changes.over_the_window")};
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
            from_start(std::round(seconds(change.latest))))};
}

TableCell MillisecondsCell(std::optional<double> seconds, bool change = false) {
  if (!seconds) return {kUnknown};
  TableCell cell{Milliseconds(*seconds), {*seconds}};
  if (change && *seconds > 0 && cell.text != Milliseconds(0)) cell.text.insert(0, "+");
  return cell;
}

TableCell ShownCell(const Messages& t, const Diagnosis& d) {
  return SecondsCell(t, d.alert ? d.alert->shown : std::nullopt);
}

/// A column for each side: source, window, verdict, what is shown and proven, attempts.
ReportTable SidesTable(const Messages& t, const Against& against) {
  ReportTable table = Columns(t, {"", "against.then", "report.now"});
  const auto add = [&](const std::string& name, const auto& cell) {
    table.rows.push_back({NameCell(name), cell(against.then), cell(against.now)});
  };
  add(t("facts.verdict"), [&](const Diagnosis& d) { return NameCell(VerdictWord(t, d)); });
  add(t("against.summary"), [&](const Diagnosis& d) { return NameCell(Headline(t, d), 200); });
  add(t("against.measured"),
      [&](const Diagnosis& d) { return NameCell(d.alert ? AlertSubject(t, *d.alert) : kUnknown); });
  add(t("against.shown"), [&](const Diagnosis& d) { return ShownCell(t, d); });
  add(t("facts.proven"), [&](const Diagnosis& d) {
    return SecondsRangeCell(t, d.alert ? d.alert->interval : Interval{});
  });
  add(t("facts.attempts"), [](const Diagnosis& d) { return CountCell(d.attempts); });
  add(t("facts.window"),
      [&](const Diagnosis& d) { return NameCell(RangeText(d.window, t("range.to"), t.zone())); });
  add(t("report.source"), [&](const Diagnosis& d) { return NameCell(SourceSentence(t, d), 400); });
  return table;
}

/// Milliseconds a scheduled pod by stage, and how they changed.
ReportTable AgainstStagesTable(const Messages& t, const Against& against) {
  ReportTable columns =
      Columns(t, {"brief.per_pod"}, {"against.then", "report.now", "against.change"});
  return WithRows(std::move(columns), against.stages, [](const AgainstStage& stage) {
    std::optional<double> change;
    if (stage.then && stage.now) change = *stage.now - *stage.then;
    return TableRow{NameCell(stage.id, kNameLimit, stage.depth), MillisecondsCell(stage.then),
                    MillisecondsCell(stage.now), MillisecondsCell(change, true)};
  });
}

/// What is new, kept and gone, with its confidence and share of the time on both sides.
ReportTable AgainstFindingsTable(const Messages& t, const Against& against) {
  ReportTable columns =
      Columns(t, {"against.fate", "against.finding", "against.then", "report.now"},
              {"against.share_then", "against.share_now"});
  const auto known = [&](const std::optional<Confidence>& confidence) {
    return NameCell(confidence ? ConfidenceWord(t, *confidence) : kUnknown);
  };
  return WithRows(std::move(columns), against.findings, [&](const AgainstFinding& one) {
    return TableRow{NameCell(t.Of(one.fate, {"against.new", "against.kept", "against.gone"})),
                    NameCell(t(one.title), 200, one.behind ? 1 : 0),
                    known(one.confidence_then),
                    known(one.confidence_now),
                    PercentCell(t, one.share_then),
                    PercentCell(t, one.share_now)};
  });
}

using StageParts = std::multimap<std::string, const StageTime*>;  ///< by the id of the whole

void AddWithParts(const Diagnosis& d, const StageTime& stage, int depth, const StageParts& parts,
                  std::vector<StageLine>* lines) {
  StageLine& line = lines->emplace_back(StageLine{&stage, depth, StageName(d, stage), {}});
  const std::string& parent = stage.parent;
  const bool below = depth > 0 && !parent.empty() && line.name.size() > parent.size() &&
                     line.name.starts_with(parent);
  line.label = below ? line.name.substr(parent.size()) : line.name;
  const auto [first, last] = parts.equal_range(stage.id);
  for (auto it = first; it != last; ++it) AddWithParts(d, *it->second, depth + 1, parts, lines);
}

/// Nothing where there are too few to divide by.
std::optional<double> ScheduledPods(const Diagnosis& d) {
  const double pods = CountOf(d, ToString(kube::AttemptResult::kScheduled));
  return pods > 1e-6 ? std::optional(pods) : std::nullopt;
}

/// What a second of the baseline is for the same number of scheduled pods: the excess of a stage is
/// its seconds less the baseline's times this.
std::optional<double> BaselineScale(const Diagnosis& d) {
  const StageTime* largest = nullptr;
  for (const StageTime& stage : d.stages) {
    if (!stage.excess || !stage.excess->value || !stage.seconds.value) continue;
    if (stage.baseline_seconds.value_or(0) < 1e-9) continue;
    if (!largest || *stage.baseline_seconds > *largest->baseline_seconds) largest = &stage;
  }
  if (!largest) return std::nullopt;
  return (*largest->seconds.value - *largest->excess->value) / *largest->baseline_seconds;
}

/// `scale` is BaselineScale.
StagePerPod PerPod(const Diagnosis& d, const StageTime& stage, double pods,
                   const std::optional<double>& scale) {
  StagePerPod row{StageName(d, stage), stage.seconds.value.value_or(0) / pods, {}};
  if (scale && stage.baseline_seconds) row.before = *stage.baseline_seconds * *scale / pods;
  return row;
}

double Share(const StageTime& stage) { return stage.share.value.value_or(0); }

double Weight(const StageTime& stage) {
  return std::max(Share(stage), stage.baseline_share.value_or(0));
}

/// The parts that have a row of their own; empty where the stage is not to be taken apart.
std::vector<const StageTime*> PartsOf(const Diagnosis& d, const StageTime& whole) {
  std::vector<const StageTime*> parts;
  if (Share(whole) < kWorthParts) return parts;
  double sum = 0;
  for (const StageTime& stage : d.stages) {
    if (stage.parent != whole.id || IsPlugin(stage)) continue;
    sum += stage.seconds.value.value_or(0);
    if (Weight(stage) >= kWorthARow) parts.push_back(&stage);
  }
  // Parts whose estimates do not add up to their whole are no picture of it.
  const double seconds = whole.seconds.value.value_or(0);
  if (std::abs(sum - seconds) > 0.1 * seconds) parts.clear();
  return parts;
}

}  // namespace

ReportTable Columns(const Messages& t, std::initializer_list<std::string> left,
                    std::initializer_list<std::string> right,
                    std::initializer_list<std::string> more) {
  constexpr int kKept = 4;
  ReportTable table;
  for (const auto* headings : {&left, &right, &more}) {
    for (const std::string& heading : *headings) {
      const bool id = heading.find('.') != std::string::npos;
      const int priority = static_cast<int>(table.columns.size()) - kKept + 1;
      table.columns.push_back(
          {id ? t(heading) : heading, headings == &right, std::max(0, priority)});
    }
  }
  return table;
}

TableCell NumberCell(std::string text, std::initializer_list<std::optional<double>> numbers) {
  TableCell cell{std::move(text)};
  for (const auto& number : numbers) {
    if (number && std::isfinite(*number)) cell.numbers.push_back(*number);
  }
  return cell;
}

TableCell ExcessCell(const Messages& t, const std::optional<Measured>& excess) {
  if (!excess) return {kUnknown};
  return NumberCell(SignedSeconds(t, excess->value), {excess->value});
}

TableCell Inked(std::string text, Ink ink) { return {.text = std::move(text), .ink = ink}; }

TableCell NameCell(std::string_view text, std::size_t limit, int depth) {
  return {.text = Shorten(Visible(text), limit), .depth = depth};
}

TableCell SecondsCell(const Messages& t, std::optional<double> seconds) {
  return NumberCell(Seconds(t, seconds), {seconds});
}

TableCell CountCell(std::optional<double> count) { return NumberCell(Count(count), {count}); }

TableCell PercentCell(const Messages& t, std::optional<double> fraction) {
  return NumberCell(Percent(t, fraction), {fraction});
}

TableCell SecondsRangeCell(const Messages& t, const Interval& interval) {
  return NumberCell(SecondsRange(t, interval), {interval.low, interval.high});
}

TableCell ShareCell(const Messages& t, const std::optional<Measured>& share) {
  if (!share) return {kUnknown};
  if (!HasRange(*share)) return NumberCell(ShareText(t, *share), {share->value});
  return NumberCell(ShareText(t, *share), {share->value, share->low, share->high});
}

TableCell BoundsCell(const Measured& counts) {
  TableCell cell = NumberCell(Count(counts.low), {counts.low, counts.high});
  if (!counts.high) {
    cell.text = "≥ " + cell.text;
  } else if (counts.high != counts.low) {
    cell.text += "–" + Count(counts.high);
  }
  return cell;
}

ReportTable UnitsTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most) {
  ReportTable table =
      Columns(t, {"units.scheduler", "table.verdict"}, {"table.alert_shows"}, {"table.summary"});
  table.columns.back().max_width = 200;
  for (const JudgedUnit& unit : diagnosis.units) {
    if (table.rows.size() == most) break;
    table.rows.push_back({Inked(NameCell(LabelText(unit.labels)).text, Ink::kBold),
                          Inked(VerdictWord(t, unit.verdict), VerdictInk(unit.verdict)),
                          SecondsCell(t, unit.shown), NameCell(t(unit.headline), 200)});
  }
  return table;
}

ReportTable ImpactTable(const Messages& t, const Diagnosis& d, std::size_t most) {
  ReportTable table =
      Columns(t, {"impact.workload"},
              {"impact.pods", "", "impact.waiting", "impact.longest", "impact.extra"});
  table.columns[2].heading = t("impact.over", Seconds(t, d.impact ? d.impact->threshold : 0));
  for (const WorkloadImpact* one : Hit(d)) {
    if (table.rows.size() == most) break;
    table.rows.push_back({NameCell(WorkloadName(t, *one)), BoundsCell(one->pods),
                          BoundsCell(one->over), CountCell(one->waiting),
                          SecondsCell(t, one->longest.value), ExcessCell(t, one->extra_seconds)});
  }
  return table;
}

ReportTable HoldersTable(const Messages& t, const Diagnosis& d) {
  ReportTable table =
      Columns(t, {"report.holder"},
              {"report.pod_seconds", "report.measured_range", "report.share", "report.excess"});
  const auto add = [&](const PodHolder& one, TableCell name) {
    if (one.share.value.value_or(0) < kWorthARow) return;
    table.rows.push_back({std::move(name), CountCell(one.seconds.value), BoundsCell(one.seconds),
                          PercentCell(t, one.share.value),
                          CountCell(one.growth ? one.growth->value : std::nullopt)});
  };
  for (const PodHolder& whole : d.holders) {
    if (whole.id.find('.') != std::string::npos) continue;
    add(whole, NameCell(t(HolderName(t, whole.id))));
    for (const PodHolder& part : d.holders) {
      if (!part.id.starts_with(whole.id + ".")) continue;
      add(part, NameCell(part.id.substr(whole.id.size()), kNameLimit, 1));
    }
  }
  return table;
}

ReportTable SlowPodsTable(const Messages& t, const Diagnosis& d) {
  ReportTable columns = Columns(t, {"report.slow_pods"}, {"report.waited"},
                                {"report.created", "report.bound", "report.of_it"});
  return WithRows(std::move(columns), d.pods, [&](const SlowPod& pod) {
    std::string held;
    for (const PodHolder& one : pod.held) {
      if (!held.empty()) held += t("join.comma");
      // kube-state-metrics does not tell whether it was in back-off meanwhile.
      const std::string id =
          one.id == ToString(kube::AttemptResult::kUnschedulable) ? "rejected" : one.id;
      held += t(HolderName(t, id)) + " " + Seconds(t, one.seconds.value);
    }
    return TableRow{
        NameCell(pod.name_space + "/" + pod.name), SecondsCell(t, pod.seconds.value),
        NameCell(TimeOfDay(pod.created, t.zone())),
        NameCell(pod.scheduled ? TimeOfDay(*pod.scheduled, t.zone()) : t("report.waiting_still")),
        NameCell(held)};
  });
}

double StillWaiting(const Impact& impact) {
  double waiting = 0;
  for (const WorkloadImpact& one : impact.workloads) waiting += one.waiting;
  // Some pods were created just before the window's end.
  constexpr double kFew = 0.05;
  return waiting < kFew * impact.pods_over_threshold.high.value_or(0) ? 0 : waiting;
}

std::vector<std::string> HitSentences(const Messages& t, const Diagnosis& d, std::size_t most) {
  if (d.verdict != Verdict::kIncident || !d.impact) return {};
  std::vector<std::string> all, hit, names;
  const Impact& impact = *d.impact;
  const std::string over = Seconds(t, impact.threshold);
  const bool some_over = impact.pods_over_threshold.high != 0.0;
  const double waiting = StillWaiting(impact);
  if (some_over)
    hit.push_back(t("impact.total", over, BoundsCell(impact.pods_over_threshold).text));
  if (waiting > 0) hit.push_back(t("impact.total_waiting", Count(waiting)));
  if (!hit.empty()) all.push_back(Sentences(t, hit));
  for (const auto& row : ImpactTable(t, d, most).rows) names.push_back(row[0].text);
  if (!names.empty()) {
    all.push_back(t("brief.most", fmt::format("{}", fmt::join(names, t("join.comma")))));
  }
  const double extra = impact.extra_seconds ? impact.extra_seconds->value.value_or(0) : 0;
  if (some_over && extra > 0) all.push_back(t("impact.waits", Count(extra)));
  if (impact.attempts_over_threshold && impact.attempts_over_threshold->high != 0.0) {
    all.push_back(t("impact.attempts", over, BoundsCell(*impact.attempts_over_threshold).text,
                    Count(d.attempts)));
  }
  if (impact.above_seconds.value_or(0) > 0) {
    const TimeMs above = std::llround(*impact.above_seconds) * 1000;
    all.push_back(t("impact.above", over, FormatDuration(above)));
  }
  return all;
}

std::string Sentences(const Messages& t, const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text = text.empty() ? one : t("impact.and", text, one);
  return text;
}

std::vector<std::string> ImpactSentences(const Messages& t, const Diagnosis& d, std::size_t most) {
  std::vector<std::string> out;
  if (d.verdict != Verdict::kIncident || !d.impact) return out;
  const std::size_t hit = Hit(d).size();
  if (hit == 0) return out;
  const ImpactCoverage& coverage = d.impact->coverage;
  out.push_back(
      t(coverage.pods_seen > coverage.pods_scheduled ? "impact.coverage.more" : "impact.coverage",
        Count(coverage.pods_seen), Count(coverage.pods_scheduled)));
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
  ReportTable columns =
      Columns(t, {}, {"changes.when"},
              {"changes.what", "changes.object", "changes.values", "changes.source"});
  return WithRows(std::move(columns), d.changes, [&](const ClusterChange& change) {
    TableCell when = TimeOf(t, change);
    if (change.after_onset) when.text = t("changes.no_cause", when.text);
    const bool values = !change.before.empty() || !change.after.empty();
    return TableRow{std::move(when),
                    NameCell(t(change.what)),
                    {ObjectText(t, change)},
                    NameCell(values ? change.before + " → " + change.after : ""),
                    NameCell(change.source)};
  });
}

std::string ChangeLine(const Messages& t, const std::vector<TableCell>& row) {
  std::string line = t("changes.event", row[1].text, row[2].text);
  line = t("changes.event", row[0].text, line);
  if (!row[3].text.empty()) line += t("join.comma") + row[3].text;
  return line;
}

std::string HeadlineOf(const Messages& t, const Against& against) {
  const auto shown = [&](const Diagnosis& d) {
    if (!d.alert || !d.alert->shown) return t("against.nothing");
    return QuantileName(d.alert->quantile) + " " + Seconds(t, d.alert->shown);
  };
  return t("against.headline", VerdictWord(t, against.then), shown(against.then),
           VerdictWord(t, against.now), shown(against.now));
}

std::vector<Section> SectionsOf(const Messages& t, const Against& against, ReportFormat format) {
  std::vector<Section> all;
  const ReportTable sides = SidesTable(t, against);
  if (format == ReportFormat::kText) {
    // Sentences are longer than a column: each side's facts one below the other.
    for (const std::size_t side : {1, 2}) {
      Part& part = all.emplace_back(Section{"", sides.columns[side].heading, {{}}}).parts.front();
      for (const auto& row : sides.rows) part.facts.emplace_back(row[0].text, row[side].text);
    }
  } else {
    all.push_back({"sides", t("against.sides"), {{.table = sides}}});
  }
  all.push_back({"stages", t("against.stages"), {{.table = AgainstStagesTable(t, against)}}});
  all.push_back({"findings", t("against.findings"), {{.table = AgainstFindingsTable(t, against)}}});
  std::erase_if(all, [](const Section& section) { return section.parts.front().empty(); });
  return all;
}

std::string HeadlineOf(const Messages& t, const SplitDiagnosis& split) {
  const auto sick = std::ranges::count(split.parts, Verdict::kIncident,
                                       [](const auto& part) { return part.diagnosis.verdict; });
  return t("split.incidents", sick, split.parts.size(), Visible(split.label));
}

std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part) {
  return Visible(split.label) + "=\"" + Shorten(Visible(part.value), kNameLimit) + "\"";
}

bool IsWorthAReport(const Diagnosis& diagnosis) {
  return diagnosis.verdict != Verdict::kNoIncident;
}

std::string ShownHeading(const Messages& t, const SplitDiagnosis& split) {
  const bool given = std::ranges::any_of(split.parts, [](const DiagnosedPart& part) {
    return part.diagnosis.alert && part.diagnosis.alert->given;
  });
  return t(given ? "table.alert_shows" : "table.quantile_shows");
}

ReportTable SplitTable(const Messages& t, const SplitDiagnosis& split) {
  ReportTable table;
  table.columns = {{Visible(split.label), false, 0, 40},
                   {t("table.verdict"), false, 2},
                   {ShownHeading(t, split), true},
                   {t("table.attempts"), true, 1},
                   {t("table.summary"), false, 0, 200}};
  return WithRows(std::move(table), split.parts, [&](const DiagnosedPart& part) {
    const Diagnosis& d = part.diagnosis;
    return TableRow{Inked(NameCell(part.value).text, Ink::kBold),
                    Inked(VerdictWord(t, d), VerdictInk(d)), ShownCell(t, d), CountCell(d.attempts),
                    NameCell(Headline(t, d), 200)};
  });
}

std::string StageName(const Diagnosis& d, const StageTime& stage) {
  constexpr std::string_view kRemainder = ".unmeasured";
  if (stage.id != stage.parent + std::string(kRemainder)) return stage.id;
  const std::string named = stage.parent + ".extender";
  const bool found = std::ranges::any_of(d.findings, [&](const Finding& finding) {
    return finding.id == named && finding.confidence != Confidence::kPossible;
  });
  return found ? named : stage.id;
}

std::vector<StageLine> StageTree(const Diagnosis& d) {
  std::set<std::string> ids;
  for (const StageTime& stage : d.stages) ids.insert(stage.id);
  StageParts parts;
  std::vector<StageLine> lines;
  for (const StageTime& stage : d.stages) {
    if (ids.count(stage.parent) > 0) parts.emplace(stage.parent, &stage);
  }
  for (const StageTime& stage : d.stages) {
    if (ids.count(stage.parent) == 0) AddWithParts(d, stage, 0, parts, &lines);
  }
  return lines;
}

bool IsMinorPlugin(const StageTime& stage) {
  return stage.id.find('/') != std::string::npos && Weight(stage) < kWorthARow;
}

bool IsIdle(const StageTime& stage) {
  const auto none = [](const std::optional<double>& seconds) { return !seconds || *seconds == 0; };
  return none(stage.seconds.value) && none(stage.baseline_seconds);
}

std::vector<StagePerPod> StagesPerPod(const Diagnosis& d, std::size_t most) {
  const auto pods = ScheduledPods(d);
  if (!pods) return {};
  std::vector<const StageTime*> rows;
  for (const StageTime& stage : d.stages) {
    if (stage.parent.empty() && Weight(stage) >= kWorthARow) rows.push_back(&stage);
  }
  for (auto row = rows.begin(); row != rows.end();) {
    const auto parts = PartsOf(d, **row);
    if (parts.empty()) {
      ++row;
    } else {
      row = rows.insert(rows.erase(row), parts.begin(), parts.end());
    }
  }
  while (rows.size() > most) {
    rows.erase(std::ranges::min_element(rows, {}, [](const auto* row) { return Share(*row); }));
  }
  const auto scale = BaselineScale(d);
  std::vector<StagePerPod> out;
  for (const StageTime* stage : rows) out.push_back(PerPod(d, *stage, *pods, scale));
  return out;
}

std::optional<StagePerPod> WholePerPod(const Diagnosis& d) {
  const auto pods = ScheduledPods(d);
  if (!pods) return std::nullopt;
  const auto scale = BaselineScale(d);
  StagePerPod whole;
  for (const StageTime& stage : d.stages) {
    if (!stage.parent.empty()) continue;
    const StagePerPod row = PerPod(d, stage, *pods, scale);
    whole.now += row.now;
    if (row.before) whole.before = whole.before.value_or(0) + *row.before;
  }
  return whole;
}

bool HasGrown(const StagePerPod& stage) { return stage.before && stage.now > 1.5 * *stage.before; }

std::string Milliseconds(double seconds) {
  const double ms = seconds * 1000;
  if (std::abs(ms) >= 1000) return Count(std::round(ms));
  if (std::abs(ms) < 0.005) return "0";
  return fmt::format("{:.{}f}", ms, std::abs(ms) >= 100 ? 0 : std::abs(ms) >= 10 ? 1 : 2);
}

}  // namespace schedlens
