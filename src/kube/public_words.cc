#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "base/series.h"
#include "base/text.h"
#include "kube/metrics.h"
#include "kube/words.h"

namespace schedlens::kube {
namespace {

using Words = std::unordered_set<std::string_view>;

/// The words of public_words.txt of one kind.
const Words& ListOf(std::string_view kind) {
  static const std::map<std::string_view, Words> all = [] {
    std::map<std::string_view, Words> lists;
    ReadTable("public_words", [&](const auto& words) {
      lists[words.front()].insert(words.begin() + 1, words.end());
    });
    return lists;
  }();
  return all.at(kind);
}

template <typename Enum>
void AddSpellings(Words* words) {
  words->insert(kSpellings<Enum>.begin(), kSpellings<Enum>.end());
}

const Words& Vocabulary() {
  static const Words all = [] {
    Words words = ListOf("words");
    words.insert(ListOf("labels").begin(), ListOf("labels").end());
    AddSpellings<ExtensionPoint>(&words);
    AddSpellings<AttemptResult>(&words);
    AddSpellings<StatusCode>(&words);
    AddSpellings<CallType>(&words);
    AddSpellings<QueueName>(&words);
    AddSpellings<PodEvent>(&words);
    AddSpellings<Gate>(&words);
    AddSpellings<Component>(&words);
    words.erase("");
    return words;
  }();
  return all;
}

const Words& PublicLabels() {
  static const Words all = [] {
    Words labels;
    for (const char* kind : {"bounds", "numbers", "versions", "labels", "names"}) {
      labels.insert(ListOf(kind).begin(), ListOf(kind).end());
    }
    for (const auto& table : {MetricTable(), NeighbourTable()}) {
      for (const MetricRow& row : table) {
        for (const MetricEra& era : row.eras) labels.insert(era.labels.begin(), era.labels.end());
      }
    }
    return labels;
  }();
  return all;
}

std::string_view WithoutExported(std::string_view label) {
  constexpr std::string_view kExported = "exported_";
  if (label.starts_with(kExported)) label.remove_prefix(kExported.size());
  return label;
}

/// A status of HTTP, how many attempts there were (`15+`); longer ones may be an account's.
bool IsSmallNumber(std::string_view text) {
  if (text.ends_with('+')) text.remove_suffix(1);
  return !text.empty() && text.size() <= 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c); });
}

/// `go_...` and `process_...` of Prometheus' client libraries: their words, not any application's.
bool IsOfARuntime(std::string_view name) {
  const Words& words = ListOf("runtime");
  if (!name.starts_with("go_") && !name.starts_with("process_")) return false;
  for (std::size_t at = name.find('_') + 1; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    if (!words.contains(name.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

/// `a.b/c`: each part must be known where the whole is not.
bool AllKnown(std::string_view value) {
  if (Vocabulary().contains(value)) return true;
  const std::size_t dot = value.find('.');
  return dot != std::string_view::npos && Vocabulary().contains(value.substr(0, dot)) &&
         Vocabulary().contains(value.substr(dot + 1));
}

}  // namespace

bool IsPublicMetric(std::string_view name) {
  if (IsOfARuntime(name)) return true;
  if (FindMetric(name) != nullptr || FindNeighbour(name) != nullptr) return true;
  const std::string counter = std::string(name) + "_total";  // a family as OpenMetrics names it
  if (FindMetric(counter) != nullptr || FindNeighbour(counter) != nullptr) return true;
  const Words& more = ListOf("metrics");
  return more.contains(name) || more.contains(counter) || more.contains(FamilyOf(name));
}

bool IsPublicLabel(std::string_view name) {
  return PublicLabels().contains(name) || PublicLabels().contains(WithoutExported(name));
}

bool IsPublicValue(std::string_view label, std::string_view value) {
  if (ListOf("bounds").contains(label) && ParseNumber(value)) return true;
  if (ListOf("numbers").contains(label) && IsSmallNumber(value)) return true;
  if (label == kMetricName) return IsPublicMetric(value);
  return ListOf("labels").contains(WithoutExported(label)) && AllKnown(value);
}

bool IsPublicWord(std::string_view word) { return AllKnown(word); }

bool IsVersionLabel(std::string_view label) {
  return ListOf("versions").contains(WithoutExported(label));
}

}  // namespace schedlens::kube
