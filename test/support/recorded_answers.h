#pragma once

// A server that gives the answers which a real one gave (test/data/servers), by path and
// parameters, whether they come by GET or POST. What was never asked is refused, and listed.

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "base/url.h"
#include "support/fake_server.h"

namespace schedlens::test {

class RecordedAnswers {
 public:
  /// `name`: a file of test/data/servers without .jsonl.gz.
  explicit RecordedAnswers(const std::string& name)
      : server_([this](const FakeRequest& request) { return Reply(request); }) {
    const std::string path = fmt::format("{}/servers/{}.jsonl.gz", SCHEDLENS_TEST_DATA, name);
    std::istringstream lines(Unpacked(path));
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line);
      std::multimap<std::string, std::string> parameters;
      for (const auto& [key, value] : record.at("params").items()) {
        if (value.is_string()) parameters.emplace(key, value.get<std::string>());
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
          parameters.emplace(key, value[i].get<std::string>());
        }
      }
      Answer(KeyOf(record.at("path").get<std::string>(), parameters),
             record.at("status").get<int>(), record.at("body").get<std::string>());
    }
  }

  /// Adds an answer to a query at a time (unix seconds), in place of a recorded one.
  void Set(const std::string& promql, const std::string& seconds, int status,
           const std::string& body) {
    const std::string key = KeyOf("/api/v1/query", {{"query", promql}, {"time", seconds}});
    const std::lock_guard lock(mutex_);
    answers_.erase(key);
    answers_[key] = {status, body};
  }

  std::string url() const { return server_.url(); }
  /// The requests that were not recorded: path and parameters, each once.
  std::set<std::string> unknown() const {
    const std::lock_guard lock(mutex_);
    return unknown_;
  }
  /// All answers of status 200 to instant queries at this time and without other parameters, by
  /// their expression.
  std::map<std::string, std::string> InstantAnswers(const std::string& seconds) const {
    std::map<std::string, std::string> found;
    const std::string end = fmt::format("\ntime={}", *ParseNumber(seconds));
    for (const auto& [key, answer] : answers_) {
      const std::string start = "/api/v1/query\nquery=";
      if (answer.status != 200 || !key.starts_with(start) || !key.ends_with(end)) continue;
      const std::string promql = key.substr(start.size(), key.size() - start.size() - end.size());
      if (promql.find('\n') == std::string::npos) found[promql] = answer.body;
    }
    return found;
  }

 private:
  struct Recorded {
    int status;
    std::string body;
  };

  static std::string Unpacked(const std::string& path) {
    const std::unique_ptr<ByteSource> source = OpenByteSource(path, path);
    std::string text;
    std::string block(1 << 16, '\0');
    while (const std::size_t size = source->Read(block.data(), block.size())) {
      text.append(block, 0, size);
    }
    return text;
  }

  /// Times are numbers: 1795315032 and 1795315032.000 are one.
  static std::string KeyOf(const std::string& path,
                           const std::multimap<std::string, std::string>& parameters) {
    static const std::set<std::string> kNumbers = {"time", "start", "end", "step"};
    std::string key = path;
    for (const auto& [name, value] : parameters) {
      const auto number = kNumbers.contains(name) ? ParseNumber(value) : std::nullopt;
      if (name == "nocache") continue;
      key += fmt::format("\n{}={}", name, number ? fmt::format("{}", *number) : value);
    }
    return key;
  }

  /// Of several answers to one request the first stays.
  void Answer(const std::string& key, int status, const std::string& body) {
    answers_.try_emplace(key, Recorded{status, body});
  }

  FakeReply Reply(const FakeRequest& request) {
    const std::size_t mark = std::min(request.target.find('?'), request.target.size());
    const std::string path = request.target.substr(0, mark);
    std::multimap<std::string, std::string> parameters;
    const std::string sent = request.target.substr(std::min(mark + 1, request.target.size()));
    for (const std::string& text : {sent, request.body}) {
      for (const auto& [name, value] : ParseQueryString(text)) parameters.emplace(name, value);
    }
    const std::string key = KeyOf(path, parameters);
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(key);
    if (found != answers_.end()) return Http(found->second.status, found->second.body);
    unknown_.insert(key);
    const bool query = path.find("/query") != std::string::npos;
    return Http(query ? 422 : 404,
                R"({"status":"error","errorType":"execution","error":"not recorded"})");
  }

  mutable std::mutex mutex_;
  std::map<std::string, Recorded> answers_;
  std::set<std::string> unknown_;
  FakeServer server_;
};

}  // namespace schedlens::test
