#ifndef SCHEDLENS_REPORT_ANSWER_H_
#define SCHEDLENS_REPORT_ANSWER_H_

// A query's answer as the HTTP API writes it, and as a table for people.

#include <string>

#include "contract/source.h"

namespace schedlens {

/// The `data` object of the HTTP API without a line end: `{"resultType":...,"result":[...]}`,
/// timestamps in seconds (three decimals, or none), values as strings, keys in the API's order.
/// `at` is the time of a string answer.
std::string AnswerJson(const Answer& answer, TimeMs at);

/// One line a series: labels and value; of a range: number, first, lowest, highest and last value.
/// Ends with a line end, empty for an empty answer.
std::string AnswerTable(const Answer& answer);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_ANSWER_H_
