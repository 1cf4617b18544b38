#pragma once

// Asks a server and our own evaluator the same question and compares what they say.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/text.h"
#include "e2e/server.h"

namespace schedlens::test {

/// label set -> (time text, value text) in order.
using Values = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

inline std::string SecondsText(TimeMs t) { return fmt::format("{}.{:03}", t / 1000, t % 1000); }

/// What the HTTP API answers. Throws when it refuses.
inline nlohmann::json AskServer(Server& server, const Query& query) {
  std::vector<std::pair<std::string, std::string>> fields = {{"query", query.promql}};
  if (query.instant()) {
    fields.emplace_back("time", SecondsText(query.start));
  } else {
    fields.emplace_back("start", SecondsText(query.start));
    fields.emplace_back("end", SecondsText(query.end));
    fields.emplace_back("step", SecondsText(query.step_ms));
    fields.emplace_back("nocache", "1");
  }
  long status = 0;
  const std::string path = query.instant() ? "/api/v1/query" : "/api/v1/query_range";
  const std::string body =
      server.client().Post(server.url() + path, server.client().Form(fields), &status);
  if (status != 200) throw std::runtime_error(query.promql + ": " + body);
  return nlohmann::json::parse(body).at("data");
}

inline std::string LabelsKey(const nlohmann::json& metric) {
  std::vector<Labels::Pair> pairs;
  for (const auto& [name, value] : metric.items()) {
    pairs.emplace_back(name, value.get<std::string>());
  }
  return Labels(std::move(pairs)).ToString();
}

inline Values ValuesOf(const nlohmann::json& data) {
  const auto time = [](const nlohmann::json& t) { return fmt::format("{:.3f}", t.get<double>()); };
  Values values;
  if (data.at("resultType") == "scalar") {
    values["{}"] = {{time(data["result"][0]), data["result"][1].get<std::string>()}};
    return values;
  }
  for (const auto& series : data.at("result")) {
    auto& list = values[LabelsKey(series.at("metric"))];
    if (series.contains("value")) {
      list.emplace_back(time(series["value"][0]), series["value"][1].get<std::string>());
    }
    if (!series.contains("values")) continue;
    for (const auto& value : series["values"]) {
      list.emplace_back(time(value[0]), value[1].get<std::string>());
    }
  }
  return values;
}

inline Values ValuesOf(const Answer& answer) {
  Values values;
  for (const Series& series : answer.series) {
    auto& list = values[series.labels.ToString()];
    for (const Sample& sample : series.samples) {
      list.emplace_back(fmt::format("{:.3f}", static_cast<double>(sample.t) / 1000),
                        FormatNumber(sample.v));
    }
  }
  return values;
}

/// How two value texts may differ: not at all (bits), or by a relative error.
inline bool Agree(const std::string& theirs, const std::string& ours, double tolerance) {
  if (theirs == ours) return true;
  if (tolerance == 0) return false;
  const double a = std::strtod(theirs.c_str(), nullptr);
  const double b = std::strtod(ours.c_str(), nullptr);
  return std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
}

/// Compares and returns the number of equal values; the first few differences fail the test.
inline std::size_t Compare(const Values& theirs, const Values& ours, double tolerance,
                           const std::string& what) {
  std::size_t equal = 0;
  std::size_t wrong = 0;
  const auto complain = [&](const std::string& text) {
    if (++wrong <= 5) ADD_FAILURE() << what << "\n  " << text;
  };
  for (const auto& [labels, list] : theirs) {
    const auto found = ours.find(labels);
    if (found == ours.end()) {
      complain(labels + ": only the server has it, " + list.front().second);
      continue;
    }
    const auto& own = found->second;
    if (own.size() != list.size()) {
      complain(fmt::format("{}: {} values there, {} here", labels, list.size(), own.size()));
      continue;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].first != own[i].first || !Agree(list[i].second, own[i].second, tolerance)) {
        complain(fmt::format("{} at {}: server {}, here {} at {}", labels, list[i].first,
                             list[i].second, own[i].second, own[i].first));
      } else {
        ++equal;
      }
    }
  }
  for (const auto& [labels, list] : ours) {
    if (theirs.count(labels) == 0) complain(labels + ": only here, " + list.front().second);
  }
  if (wrong > 5) ADD_FAILURE() << what << ": " << wrong << " differences in all";
  return equal;
}

}  // namespace schedlens::test
