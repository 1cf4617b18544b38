#pragma once

// The one check of a diagnosis before any renderer. What passed it can be rendered without looking
// twice:
//   - lists that belong together have one length, bounds rise, times rise;
//   - low <= value <= high, start <= end, every time is of the years 1 to 9999;
//   - a number is finite and at most 1e100, so that sums and squares are finite too; it is NaN only
//     where it may be absent (io.OrNull, the lists of numbers);
//   - no stage is its own ancestor, no list has over 10,000 entries, text is well-formed UTF-8.

#include <optional>
#include <string>
#include <string_view>

#include "contract/diagnosis.h"
#include "contract/prediction.h"
#include "contract/quantile.h"

namespace schedlens {

/// The first field of a diagnosis in JSON.
inline constexpr std::string_view kDiagnosisSchema = "schedlens.diagnosis/1";

/// How deep messages may be within messages.
inline constexpr int kDeepestMessage = 4;

/// A diagnosis that was just made: what fails the check is left out, and a warning names it. What
/// is not finite where it may be absent is absent, as in a saved file; so a checked diagnosis and
/// the same one saved and read render to the same bytes. Throws Error(kFailed) where nothing can be
/// left out: the window.
Diagnosis Checked(Diagnosis diagnosis);

/// The same of the other answers that hold intervals, with a remark in place of the warning. What a
/// server shows may be infinite. Throws Error(kFailed) where a number fails that is always there.
QuantileReport Checked(QuantileReport report);
Comparison Checked(Comparison comparison);
Prediction Checked(Prediction prediction);
Headroom Checked(Headroom headroom);

/// The check of a diagnosis that was read: what is wrong with it, as "field window.start must be
/// ..."; empty where all is well.
std::string WhatFails(Diagnosis* diagnosis);

}  // namespace schedlens
