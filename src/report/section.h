#pragma once

// A report as a value: sections of paragraphs, lists, tables and pictures. sections.h makes it once
// for all formats; text, Markdown and HTML walk it. Texts are Visible, not yet escaped for a
// format; what stands in backquotes is code.

#include <string>
#include <utility>
#include <vector>

#include "base/series.h"

namespace schedlens {

/// What a cell or a line is painted with on a terminal.
enum class Ink { kPlain, kBold, kDim, kBad, kGood, kUnsure, kAccent };

struct TableCell {
  std::string text;
  std::vector<double> numbers =
      {};         ///< as the JSON has them, so that a page can be held against it
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

/// A line of a list.
struct Item {
  std::string text;
  std::string query = {};  ///< that shows it; may be empty, may stand in the text as code
  TimeMs at = 0;           ///< when it happened, or the query was asked
};

struct Tick {
  double at = 0;
  std::string label;
};

/// An axis in plot coordinates. A logarithmic scale is made by taking logarithms of the data.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;
};

/// A line; with `y2` the band between the two. A gap is a NaN.
struct PlotSeries {
  std::string style;  ///< CSS class: "accent", "muted", "warn"
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
  double from = 0;
  double to = 0;
  std::string style;  ///< CSS class: "window", "before"
  std::string label;
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

}  // namespace schedlens
