#pragma once

// Counters of several processes added up, and how much they grew in a window that their scrapes do
// not meet: the neighbours are scraped at other moments than the scheduler.

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/control_plane/neighbour_facts.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// Something that lies between two bounds, and the best guess between them.
struct Between {
  double low = 0;
  double value = 0;
  double high = std::numeric_limits<double>::infinity();

  static Between Exactly(double x) { return {x, x, x}; }
  Between operator+(const Between& other) const;
  /// This without the other, of which it is the whole: none of it falls below zero.
  Between Less(const Between& other) const;
  /// The same, and no more than the other has.
  Between AtMost(const Between& other) const;
};

/// A part of a whole as a number with what is proven of it; no high end where nobody knows one.
Measured MeasuredOf(const Between& part, double whole, std::string unit);

class Meter {
 public:
  explicit Meter(const NeighbourFacts& facts) : facts_(&facts) {}

  /// A counter from zero: a fall is a restart, and a series that begins after its process's first
  /// scrape began at zero. `sign` -1 takes it off.
  void Add(const Series& series, double sign = 1);
  void Add(const Meter& other, double sign);
  /// Whether it counts something of every process that the other counts something of.
  bool Covers(const Meter& other) const;
  bool empty() const { return lines_.empty(); }

  /// From one scrape of a process to its next.
  struct Step {
    Labels process;
    std::size_t scrape = 0;  ///< its number at the end
    TimeMs start = 0, end = 0;
    double increase = 0;
  };
  /// Of every process, in the order of time.
  std::vector<Step> Steps() const;
  /// How much this grew in the same step; 0 where it has nothing of that process.
  double Within(const Step& step) const;

  /// At least what lies between the first and the last scrape inside the window, at most what lies
  /// between those around it: nobody knows the most where one of them is missing, and where the
  /// process began again in between. Of a difference that may fall only the least holds, and where
  /// the process began again not even that: zero.
  Between Increase(const TimeRange& window) const;
  /// The same of one of its processes; nothing of any other.
  Between IncreaseOf(const Labels& process, const TimeRange& window) const;
  std::vector<Labels> processes() const;

 private:
  bool BeganAgain(const Labels& process, std::size_t from, std::size_t to) const;

  const NeighbourFacts* facts_;
  bool difference_ = false;                           ///< something was taken off
  std::map<Labels, std::set<std::size_t>> restarts_;  ///< by process: before which scrapes
  std::map<Labels, std::vector<double>> lines_;  ///< by process: the total at each of its scrapes
};

/// The series of a question with this name, of which `wanted` holds, added up.
using SeriesTest = std::function<bool(const Labels&)>;
Meter MeterOf(const NeighbourFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted = {});

}  // namespace schedlens
