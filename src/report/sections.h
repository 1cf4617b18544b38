#pragma once

#include "contract/report.h"
#include "report/messages/messages.h"

namespace schedlens {

// A report as a value: sections of paragraphs, lists, tables and pictures, made once for all
// formats; text, Markdown and HTML walk it. Texts are Visible, not yet escaped for a format; what
// stands in backquotes is code.

struct TableCell {
  std::string text;
  /// As the JSON has them, so that a page can be held against it.
  std::vector<double> numbers = {};
  int depth = 0;  ///< how far a stage is indented
  Ink ink = Ink::kPlain;
};

struct TableColumn {
  std::string heading;
  bool right = false;  ///< numbers
  int priority = 0;    ///< on a terminal those of the highest number go first where it is narrow
  int max_width = 60;  ///< there
};

using TableRow = std::vector<TableCell>;

struct ReportTable {
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

struct Tick {
  double at = 0;
  std::string label;
};

/// An axis in plot coordinates. A logarithmic scale is made by taking logarithms of the data.
struct Axis {
  double low = 0, high = 1;
  std::vector<Tick> ticks;
};

/// A line; with `y2` the band between the two. A gap is a NaN.
struct PlotSeries {
  std::string style;  ///< CSS classes: "accent", "muted", "warn", "good"; of a band also "stack"
  std::string label;
  std::vector<double> x, y, y2 = {};
};

/// A straight line across: the threshold, a witness.
struct PlotRule {
  double at = 0;
  bool vertical = false;
  std::string label;
};

/// A shaded range of the x axis.
struct Span {
  double from = 0, to = 0;
  std::string style;  ///< CSS class: "window", "before", "episode", "nobody"
  std::string label;  ///< in the legend; empty: not there
};

/// Something that changed at a moment.
struct PlotMark {
  double at = 0;            ///< best guess
  double from = 0, to = 0;  ///< between which it was
  bool late = false;        ///< after what is looked into: drawn pale
  std::string label;
};

/// Moments on the x axis.
struct PlotMarks {
  std::vector<double> scrapes;
  std::string scrapes_label;
  std::vector<PlotMark> changes;  ///< ascending
};

struct Plot {
  std::string title = {};        ///< the picture's name for screen readers
  std::string description = {};  ///< what it shows, in a sentence
  Axis x = {}, y = {};
  std::vector<PlotSeries> series = {};
  std::vector<PlotRule> rules = {};
  std::vector<Span> spans = {};
  PlotMarks marks = {};
  /// Of a heatmap, [column][row]: columns from left to right, rows from the bottom up, one a bucket
  /// and 1 of the y axis high. The series are drawn over them.
  std::vector<std::vector<double>> cells = {};
  std::string scale = {};    ///< what a cell counts: the heading of the scale
  ReportTable numbers = {};  ///< behind it; over time every n-th column, so that rows stay few
};

/// What a format draws from the diagnosis itself.
enum class Drawing {
  kNone,
  kFindings,
  kStageTree,     ///< on a terminal: every stage with a bar
  kTimeline,      ///< on a terminal: the alert's value and the buckets over time
  kNumbers,       ///< on a page: what the alert shows, and what is proven of it
  kStagesPerPod,  ///< on a page: before and now of the stages that matter
  kTailBars,      ///< on a page: what each stage can be of the slowest attempts
};

/// What is not empty is shown, in this order.
struct Part {
  std::string heading = {};
  std::string tag = {};   ///< behind the heading: "inference"
  bool folded = false;    ///< under its heading, shown when asked for
  bool soft = false;      ///< a remark beside the rest
  std::string text = {};  ///< a paragraph
  std::string link = {};  ///< the section that the paragraph leads to
  bool blank = false;     ///< the paragraph is a place to be filled in
  std::vector<Item> items = {};
  bool dated = false;                                           ///< each item with its time
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and text
  Drawing drawing = Drawing::kNone;
  std::vector<Plot> plots = {};
  ReportTable table = {};

  bool empty() const {
    return text.empty() && items.empty() && facts.empty() && drawing == Drawing::kNone &&
           plots.empty() && table.rows.empty();
  }
};

struct Section {
  std::string id;     ///< its anchor
  std::string title;  ///< empty of what stands above all sections
  std::vector<Part> parts;
  std::string contents = {};  ///< its short name in a list of contents; empty: the title
};

enum class ReportFormat { kText, kMarkdown, kHtml };

// What the reports say, section by section, each made once for all formats.

/// What stands above all sections, by name: alert, window, baseline, source and so on.
std::vector<std::pair<std::string, std::string>> FactsOf(const Messages& t,
                                                         const Diagnosis& diagnosis,
                                                         ReportFormat format);
/// These, and before them which of several schedulers it is about, and what to do.
Section LeadOf(const Messages& t, const Diagnosis& diagnosis, ReportFormat format);
/// Those that have something to say, in the order of the format. `queries`: with every query that
/// was asked, where the format does not have them anyhow.
std::vector<Section> SectionsOf(const Messages& t, const Diagnosis& diagnosis, ReportFormat format,
                                bool queries = false);

/// `Then an incident, now no incident: p99 3.64 s then, 120 ms now.`
std::string HeadlineOf(const Messages& t, const Against& against);
/// Both sides, milliseconds a scheduled pod by stage, findings that are new, kept and gone.
std::vector<Section> SectionsOf(const Messages& t, const Against& against, ReportFormat format);

/// `3 of 5 values of cluster have an incident.`
std::string HeadlineOf(const Messages& t, const SplitDiagnosis& split);
/// `cluster="a"`, Visible; `cluster=""` for series without the label.
std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part);
/// Whether the part's own report says more than its line in the table.
bool IsWorthAReport(const Diagnosis& diagnosis);

// The tables of the reports. Each cell carries the numbers it shows.

/// Characters of a name that a table shows.
inline constexpr std::size_t kNameLimit = 120;

/// A table's columns: texts, numbers, and texts behind them. A heading is a message's id, or as it
/// is without a dot. On a terminal those behind the fourth go first where it is narrow.
ReportTable Columns(const Messages& t, std::initializer_list<std::string> left,
                    std::initializer_list<std::string> right = {},
                    std::initializer_list<std::string> more = {});

/// The table with a row for each of `all`: its `cells`.
template <class All, class Cells>
ReportTable WithRows(ReportTable table, const All& all, const Cells& cells) {
  for (const auto& one : all) table.rows.push_back(cells(one));
  return table;
}

/// The text with those of the numbers that are known.
TableCell NumberCell(std::string text, std::initializer_list<std::optional<double>> numbers);
TableCell Inked(std::string text, Ink ink);
/// A text from outside as a cell: Visible, and shortened to `limit` characters.
TableCell NameCell(std::string_view text, std::size_t limit = kNameLimit, int depth = 0);
TableCell SecondsCell(const Messages& t, std::optional<double> seconds);
TableCell CountCell(std::optional<double> count);
TableCell PercentCell(const Messages& t, std::optional<double> fraction);
TableCell ExcessCell(const Messages& t, const std::optional<Measured>& excess);
TableCell SecondsRangeCell(const Messages& t, const Interval& interval);
/// Bounds of a count; one number where they agree.
TableCell BoundsCell(const Measured& counts);
/// Value and proven bounds of a share.
TableCell ShareCell(const Messages& t, const std::optional<Measured>& share);

/// A row for each of several schedulers, worst first, at most `most`.
ReportTable UnitsTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most = 10'000);
/// Workloads that waited too long, or wait still, hit hardest first; at most `most` of them. Empty
/// without an incident.
ReportTable ImpactTable(const Messages& t, const Diagnosis& diagnosis, std::size_t most = 10);
/// Who held the pods for a hundredth of their time, and the parts of that.
ReportTable HoldersTable(const Messages& t, const Diagnosis& diagnosis);
/// The pods that waited longest, each with what is known to have held it.
ReportTable SlowPodsTable(const Messages& t, const Diagnosis& diagnosis);
/// Pods that were not scheduled by the window's end; 0 where they are few next to those over the
/// threshold.
double StillWaiting(const Impact& impact);
/// Pods over the threshold and those that wait still, `most` of the workloads hit hardest, what all
/// waited more, attempts over the threshold, and how long the alert stood above it: a sentence
/// each. Empty without an incident.
std::vector<std::string> HitSentences(const Messages& t, const Diagnosis& diagnosis,
                                      std::size_t most = 3);
/// The sentences as one paragraph.
std::string Sentences(const Messages& t, const std::vector<std::string>& all);
/// What the table of workloads cannot know. Empty without an incident.
std::vector<std::string> ImpactSentences(const Messages& t, const Diagnosis& diagnosis,
                                         std::size_t most = 10);

/// Load is compared over whole windows.
bool HasTimeOfItsOwn(const ClusterChange& change);
/// What changed, and of what.
std::string ChangeText(const Messages& t, const ClusterChange& change);
ReportTable ChangesTable(const Messages& t, const Diagnosis& diagnosis);
/// A row of that table as one line.
std::string ChangeLine(const Messages& t, const std::vector<TableCell>& row);

// Many diagnoses, one for each value of a label.

/// The heading over what the alerts show: the alert's, or the default question's.
std::string ShownHeading(const Messages& t, const SplitDiagnosis& split);
/// A line for each part.
ReportTable SplitTable(const Messages& t, const SplitDiagnosis& split);

// The stages of a diagnosis in the order in which every report shows them, and where the time of a
// scheduled pod went, before and now: the picture that every report begins with.

/// What people call the stage: its id; of a remainder that is the cause, that finding's:
/// `bind.extender` instead of `bind.unmeasured`. A finding that is merely possible names nothing.
std::string StageName(const Diagnosis& diagnosis, const StageTime& stage);

struct StageLine {
  const StageTime* stage = nullptr;
  int depth = 0;      ///< 0 at the top
  std::string name;   ///< as StageName has it
  std::string label;  ///< the name without its parent's id: `.filter` below `algorithm`
};

/// Parents before their children, apart from that in the order of `stages`. A stage whose parent is
/// not there, or that is its own ancestor, comes at the top: nothing is dropped. The result points
/// into the diagnosis.
std::vector<StageLine> StageTree(const Diagnosis& diagnosis);

/// True for a plugin that takes less than 1 % of the time: of interest in a table, not in a tree.
bool IsMinorPlugin(const StageTime& stage);

/// True when neither the window nor the baseline has any time in it.
bool IsIdle(const StageTime& stage);

/// A stage's seconds a scheduled pod.
struct StagePerPod {
  std::string id;  ///< of the stage; of a remainder that a finding names, that finding's
  double now = 0;
  std::optional<double> before;  ///< empty without a baseline
};

/// The stages that matter, at most `most`, in the order of the tree: whatever takes a tenth of the
/// time is taken apart, as far as its parts add up. What is below one percent now and before is
/// left out, then what is smallest. Empty where no pod was scheduled.
std::vector<StagePerPod> StagesPerPod(const Diagnosis& diagnosis, std::size_t most);

/// All of them together, with an empty id; nothing where no pod was scheduled.
std::optional<StagePerPod> WholePerPod(const Diagnosis& diagnosis);

/// True for a stage that takes half as long again as before.
bool HasGrown(const StagePerPod& stage);

/// Seconds as milliseconds without their unit: `0.33`, `41.7`, `1,900`.
std::string Milliseconds(double seconds);

// The plots of a diagnosis as values.

/// About `count` round ticks from `low` to `high`, labelled as seconds.
std::vector<Tick> SecondsTicks(const Messages& t, double low, double high, int count);
/// About `count` round times of day; the axis is in unix seconds.
std::vector<Tick> TimeTicks(double low, double high, int count, const Zone& zone = {});

/// Attempts by column and e2e bucket, for a heatmap: neighbouring columns are added up to at most
/// `most`; of the buckets those between the first and the last that any attempt fell into.
struct HeatCells {
  std::size_t first = 0, rows = 0;  ///< no rows without an attempt
  std::vector<std::vector<double>> cells;
};
HeatCells HeatCellsOf(const Timeline& timeline, int most);

// The plots of a diagnosis; each is absent where there is nothing to draw.

/// The alert's value with its proven band and threshold.
std::optional<Plot> AlertPlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts by e2e bucket over time, with the alert's quantile when it is one of e2e.
std::optional<Plot> E2eHeatmap(const Messages& t, const Diagnosis& diagnosis);
/// Pods waiting in the scheduler's queues.
std::optional<Plot> QueuePlot(const Messages& t, const Diagnosis& diagnosis);
/// Attempts in each column, and binding cycles in flight.
std::optional<Plot> ThroughputPlot(const Messages& t, const Diagnosis& diagnosis);
/// The two cumulative curves of an inversion, with the witness.
std::optional<Plot> InversionPlot(const Messages& t, const Diagnosis& diagnosis);
/// Measured against replayed.
std::optional<Plot> CrossCheckPlot(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens
