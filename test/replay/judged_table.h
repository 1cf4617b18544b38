#pragma once

// What many diagnoses got right, a line a scenario.

#include "replay/judged.h"

namespace schedlens::test {

struct Row {
  std::string name;
  std::size_t causes = 0;
  Held given{}, found{};
};

inline std::string Figures(const Row& row) {
  const Held &g = row.given, &f = row.found;
  const auto points = [](double fraction) {
    return std::isnan(fraction) ? std::string("-") : fmt::format("{:.2f}", 100 * fraction);
  };
  const auto plain = [](double value) {
    return std::isnan(value) ? std::string("-") : fmt::format("{:.2f}", value);
  };
  return fmt::format(
      "{:<32} {:>5} {:>5} {:>5} {:>5} {:>5}  {:>5} {:>5} {:>5} {:>5}  {:>6} {:>6} {:>4} {:>4} "
      "{:>5} {:>5}  {:>6} {:>6} {:>5} {:>5} {:>5} {:>5}\n",
      row.name, f.runs, g.first_right, f.first_right, f.all_named,
      g.wrong_certain + f.wrong_certain, points(Middle(g.share_errors)),
      points(Most(g.share_errors)), points(Middle(f.share_errors)), points(Most(f.share_errors)),
      g.tails + f.tails, g.tails_held + f.tails_held, plain(Middle(g.leading_low)),
      plain(Least(g.leading_low)), points(Middle(g.leading_estimate)),
      points(Most(g.leading_estimate)), g.quantiles, g.quantiles_held, plain(Middle(g.p99_ratio)),
      points(Middle(g.p99_estimate)), points(Most(g.p99_estimate)), points(Middle(g.p99_server)));
}

inline std::string Head() {
  return fmt::format("{:<32} {:>29}  {:>23}  {:>36}  {:>38}\n", "", "first finding ------------",
                     "share off by, points", "tail: intervals, lead low, estimate",
                     "e2e{scheduled}: held, p99 high/low, off %") +
         fmt::format(
             "{:<32} {:>5} {:>5} {:>5} {:>5} {:>5}  {:>5} {:>5} {:>5} {:>5}  {:>6} {:>6} {:>4} "
             "{:>4} {:>5} {:>5}  {:>6} {:>6} {:>5} {:>5} {:>5} {:>5}\n",
             "", "runs", "given", "found", "named", "wrong", "given", "max", "found", "max",
             "proven", "hold", "med", "min", "med", "max", "proven", "hold", "med", "med", "max",
             "serv.");
}

struct Table {
  std::vector<Row> rows;
  Row all{"all"}, several{"with several causes"};
  std::string text;

  explicit Table(const std::vector<Outcome>& outcomes) {
    for (const Outcome& o : outcomes) {
      if (!o.applies) continue;
      if (rows.empty() || rows.back().name != o.name) rows.push_back({o.name, o.causes});
      for (Row* row : {&rows.back(), &all, o.causes > 1 ? &several : nullptr}) {
        if (row == nullptr) continue;
        row->given.Merge(o.given);
        row->found.Merge(o.found);
      }
    }
    text = Head();
    for (const Row& row : rows) text += Figures(row);
    text += Figures(all) + Figures(several);
  }

  std::string Notes() const {
    std::string notes;
    for (const Row& row : rows) {
      for (const auto& [which, held] : {std::pair{"given", &row.given}, {"found", &row.found}}) {
        std::map<std::string, std::vector<std::string>> runs;
        for (const std::string& note : held->notes) {
          const std::size_t tab = note.find('\t');
          runs[note.substr(0, tab)].push_back(tab == std::string::npos ? "" : note.substr(tab + 1));
        }
        for (const auto& [note, of] : runs) {
          notes += fmt::format("{} ({}): {} x{}, e.g. {}\n", row.name, which, note, of.size(),
                               of.front());
        }
      }
    }
    return notes;
  }
};

}  // namespace schedlens::test
