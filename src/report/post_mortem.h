#ifndef SCHEDLENS_REPORT_POST_MORTEM_H_
#define SCHEDLENS_REPORT_POST_MORTEM_H_

// What a post-mortem can take over from the data, and what only people can fill in.

#include <string>
#include <vector>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"

namespace schedlens {

/// Something that happened at a time, as the series show it.
struct Event {
  TimeMs time = 0;
  std::string text;
};

/// The edges of window and baseline and the alert's crossings of its threshold, in order of time.
std::vector<Event> EventsOf(const Messages& t, const Diagnosis& diagnosis);

struct PostMortemField {
  std::string name;
  std::vector<std::string> lines;  ///< Visible text; empty when people must fill it in
  bool inference = false;          ///< concluded, not measured
  std::string shown_in = {};       ///< the section of the page that shows the same; may be empty
};

/// The usual fields of a post-mortem, in their usual order.
std::vector<PostMortemField> PostMortem(const Messages& t, const Diagnosis& diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_POST_MORTEM_H_
