// Reads `--set`.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "model/text.h"
#include "reference/change.h"
#include "reference/change_keys.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr double kMostFactor = 1000;

using Fail = std::function<Error(const std::string&)>;

/// A number, with a unit of time where it is one.
std::optional<double> ReadNumber(const std::string& value, bool time) {
  if (const auto number = ParseNumber(value)) return number;
  if (!time) return std::nullopt;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  for (const auto& [unit, seconds] : kUnits) {
    if (!value.ends_with(unit)) continue;
    const auto number = ParseNumber(value.substr(0, value.size() - unit.size()));
    if (number) return *number * seconds;
  }
  return std::nullopt;
}

void CheckNumber(const KeyRow& row, const Fail& fail, const Change& change) {
  const bool multiply = change.kind == ChangeKind::kMultiply;
  if (multiply && change.value > kMostFactor) {
    throw fail(fmt::format("a factor over {} is no question", kMostFactor));
  }
  const bool may_be_nothing = row.kind == KeyKind::kStage || row.kind == KeyKind::kPlugin;
  if (multiply && change.value == 0 && !may_be_nothing) throw fail("must be over 0");
  if (multiply) return;
  if (change.value < row.least || change.value > row.most) {
    throw fail(fmt::format("must lie in {} to {} {}", FormatNumber(row.least),
                           FormatNumber(row.most), row.unit));
  }
  if (row.whole && change.value != std::floor(change.value)) {
    throw fail(fmt::format("is no whole number of {}", row.unit));
  }
}

void ReadValue(const std::string& value, const KeyRow& row, const Fail& fail, Change* change) {
  const bool multiply = change->kind == ChangeKind::kMultiply;
  if (row.kind == KeyKind::kConfig) {
    if (multiply || value.empty()) throw fail("expected config=FILE");
    change->kind = ChangeKind::kFile;
    change->file = value;
    return;
  }
  const bool removable = row.kind == KeyKind::kExtender || row.kind == KeyKind::kPlugin ||
                         row.kind == KeyKind::kWebhook;
  if (!multiply && removable && value == "removed") {
    change->kind = ChangeKind::kRemoved;
    return;
  }
  if (row.kind == KeyKind::kExtender) throw fail("expected extender=removed");
  if (row.kind == KeyKind::kWebhook) throw fail("expected webhook.NAME=removed");
  const bool at_point = change->key.find('/') != std::string::npos;
  if (row.kind == KeyKind::kPlugin && !multiply && !at_point) {
    throw fail("expected [Point/]NAME*=FACTOR, [Point/]NAME=removed or Point/NAME=TIME");
  }
  if (row.kind == KeyKind::kRunning && !multiply) throw fail("expected running*=FACTOR");
  if (!multiply && value == "baseline") {
    if (row.kind != KeyKind::kStage && row.kind != KeyKind::kRate &&
        row.kind != KeyKind::kStorage) {
      throw fail("only stages, rate and etcd.fsync have one");
    }
    change->kind = ChangeKind::kBaseline;
    return;
  }
  if (row.kind == KeyKind::kStorage) throw fail("expected etcd.fsync=baseline");
  const auto number = ReadNumber(value, !multiply && row.unit == "seconds");
  if (!number || !std::isfinite(*number) || *number < 0) throw fail("the value is no number >= 0");
  change->value = *number;
  CheckNumber(row, fail, *change);
}

}  // namespace

std::vector<ChangeKey> ChangeKeys() {
  std::vector<ChangeKey> keys;
  for (const KeyRow& row : KeyRows())
    keys.push_back({std::string(row.key), std::string(row.meaning)});
  return keys;
}

Change ParseChange(const std::string& text) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorKind::kUsage, fmt::format("--set {}: {}", text, why));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw fail("expected KEY=VALUE or KEY*=FACTOR");
  Change change;
  change.key = text.substr(0, equals);
  if (change.key.ends_with('*')) {
    change.kind = ChangeKind::kMultiply;
    change.key.pop_back();
  }
  const KeyRow* row = RowOf(change.key);
  if (row == nullptr) {
    throw fail(fmt::format("unknown key; did you mean {}?", NearestKey(change.key)));
  }
  ReadValue(text.substr(equals + 1), *row, fail, &change);
  return change;
}

}  // namespace schedlens
