#ifndef SCHEDLENS_SIM_CLUSTER_STRINGS_H_
#define SCHEDLENS_SIM_CLUSTER_STRINGS_H_

// Texts as small numbers, and the numbers of nodes, pods and specs.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace schedlens::sim::core {

using Id = std::int32_t;      ///< an interned text; 0 is the empty text
using NodeId = std::int32_t;  ///< a node of a Cluster
using PodId = std::int32_t;   ///< a pod of a Cluster
using SpecId = std::int32_t;  ///< a PodSpec of a Cluster
constexpr Id kEmptyText = 0;
constexpr std::int32_t kNone = -1;  ///< no node, no pod, no spec

/// An id, which must not be kNone, as the index of a vector.
constexpr std::size_t Index(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Texts by number. Numbers are dense, from 0, in order of first use.
class Strings {
 public:
  Strings();
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  Id Intern(std::string_view text);
  /// kNone if the text was never interned.
  Id Find(std::string_view text) const;
  const std::string& Text(Id id) const { return texts_[static_cast<std::size_t>(id)]; }
  /// The text as Go's strconv.ParseInt(text, 10, 64) reads it, for Gt and Lt; nothing if it fails.
  const std::optional<std::int64_t>& Integer(Id id) const {
    return integers_[static_cast<std::size_t>(id)];
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::deque<std::optional<std::int64_t>> integers_;
  std::unordered_map<std::string_view, Id> ids_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_CLUSTER_STRINGS_H_
