#ifndef SCHEDLENS_SIM_SCENARIO_SECTION_H_
#define SCHEDLENS_SIM_SCENARIO_SECTION_H_

// One mapping of a scenario file, read key by key.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/distribution.h"
#include "sim/base/time.h"

namespace YAML {
class Node;
}  // namespace YAML

namespace schedlens::sim {

/// Every key asked for is known; Finish complains about the others. An absent or null key gives the
/// fallback. Every complaint is an Error(kUsage) of one line with file, line and path.
class Section {
 public:
  /// `severity` scales the numbers that say so. Throws for anything but a mapping, null or nothing.
  Section(const YAML::Node& node, std::string file, std::string path, double severity);

  [[noreturn]] void Fail(const YAML::Node& at, const std::string& why) const;

  YAML::Node Find(const std::string& key);
  bool Has(const std::string& key) const;
  const YAML::Node& node() const { return *node_; }

  std::string Text(const std::string& key, const std::string& fallback);
  double Number(const std::string& key, double fallback, double low, double high);
  /// A whole number; a fraction that a severity makes is rounded.
  int Count(const std::string& key, int fallback, int low, int high);
  Nanos Duration(const std::string& key, Nanos fallback);
  bool Flag(const std::string& key, bool fallback);
  /// Kubernetes quantities: 100m, 64, 128Mi, 256Gi, 1.5G.
  double Quantity(const std::string& key, double fallback);
  std::map<std::string, double> Quantities(const std::string& key);
  std::map<std::string, std::string> Texts(const std::string& key);
  Distribution Spread(const std::string& key, const Distribution& fallback);

  Distribution ReadDistribution(const YAML::Node& node, const std::string& key) const;
  double Scalar(const YAML::Node& node, const std::string& key) const;
  double Bounded(const YAML::Node& node, const std::string& key, double value, double low,
                 double high) const;

  /// Complains about the first key that was never asked for, naming the nearest that was.
  void Finish() const;

  Section Sub(const std::string& key);
  Section Child(const YAML::Node& node, const std::string& key) const;
  /// Calls use(section) for each entry of a list, and finishes it.
  void Each(const std::string& key, const std::function<void(Section&)>& use);

 private:
  double ParseAmount(const YAML::Node& node, const std::string& key, std::string text) const;

  std::shared_ptr<const YAML::Node> node_;
  std::string file_;
  std::string path_;
  double severity_;
  std::vector<std::string> known_;
};

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_SCENARIO_SECTION_H_
