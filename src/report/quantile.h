#ifndef SCHEDLENS_REPORT_QUANTILE_H_
#define SCHEDLENS_REPORT_QUANTILE_H_

// How `quantile` prints what it found.

#include <string>
#include <vector>

#include "contract/quantile.h"
#include "report/messages/messages.h"

namespace schedlens {

/// For a person, lines of at most 100 columns where they can be broken.
std::string QuantileText(const Messages& t, const QuantileReport& report,
                         const std::vector<ServerValue>& servers);

/// Schema schedlens.quantile/1. The highest series is the object itself; `groups` holds all of them
/// when the expression keeps labels. +Inf and NaN are null.
std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers);

/// Four significant digits and the unit: `3.644 s`.
std::string FourDigits(const Messages& t, double value);
/// `2.048 .. 4.096 s`, `more than 16.38 s`, `unknown`.
std::string Between(const Messages& t, const Interval& interval);
/// A count with ten significant digits: `1234`.
std::string TenDigits(double value);
/// The metric and the labels that its aggregation keeps.
std::string SeriesName(const QuantileExplanation& row);
/// What a proven interval rests on; empty where nothing is known.
std::string BasisText(const Messages& t, const Basis& basis);
/// A line each, as the last ones of a text.
std::string NotesText(const Messages& t, const std::vector<Message>& warnings);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_QUANTILE_H_
