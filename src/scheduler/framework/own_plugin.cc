#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/text.h"
#include "scheduler/framework/framework.h"

namespace schedlens::sim::core {
namespace {

using enum kube::ExtensionPoint;

std::int64_t AmountOf(const Resources& resources, std::string_view name, const Strings& strings) {
  if (name == "cpu") return resources.milli_cpu;
  if (name == "memory") return resources.memory;
  if (name == "ephemeral-storage") return resources.ephemeral_storage;
  if (name == "pods") return resources.pods;
  const Id id = strings.Find(name);
  return id == kNone ? 0 : resources.Scalar(id);
}

std::optional<std::string_view> LabelOf(const ObjectLabels& labels, std::string_view key,
                                        const Strings& strings) {
  const Id value = FindLabel(labels, strings.Find(key));
  if (value == kNone) return std::nullopt;
  return strings.Text(value);
}

class OwnPod : public PodView {
 public:
  explicit OwnPod(const Attempt& attempt) : attempt_(attempt) {}
  std::string_view name() const override { return attempt_.cluster.pod(attempt_.pod).name; }
  std::string_view namespace_name() const override {
    return attempt_.cluster.strings().Text(attempt_.spec.namespace_name);
  }
  std::int64_t priority() const override { return attempt_.spec.priority; }
  std::optional<std::string_view> Label(std::string_view key) const override {
    return LabelOf(attempt_.spec.labels, key, attempt_.cluster.strings());
  }
  std::int64_t Request(std::string_view resource) const override {
    return AmountOf(attempt_.spec.request, resource, attempt_.cluster.strings());
  }

 private:
  const Attempt& attempt_;
};

class OwnNode : public NodeView {
 public:
  OwnNode(const NodeInfo& info, const Strings& strings) : info_(info), strings_(strings) {}
  std::string_view name() const override { return strings_.Text(info_.node.name); }
  std::optional<std::string_view> Label(std::string_view key) const override {
    return LabelOf(info_.node.labels, key, strings_);
  }
  std::int64_t Allocatable(std::string_view resource) const override {
    return AmountOf(info_.node.allocatable, resource, strings_);
  }
  std::int64_t Requested(std::string_view resource) const override {
    return resource == "pods" ? pods() : AmountOf(info_.requested, resource, strings_);
  }
  std::int32_t pods() const override { return static_cast<std::int32_t>(info_.pods.size()); }

 private:
  const NodeInfo& info_;
  const Strings& strings_;
};

class Adapter : public Plugin {
 public:
  Adapter(std::string name, std::unique_ptr<SchedulerPlugin> own, Points points)
      : name_(std::move(name)), own_(std::move(own)), points_(points) {}

  Code PreFilter(const Attempt& attempt, PreFilterNodes&) override {
    refusal_.reset();
    if (!Enabled(kPreFilter)) return Code::kSuccess;
    const OwnPod pod(attempt);
    refusal_ = Charged(kPreFilter, pod, nullptr, [&] { return own_->PreFilter(pod); });
    return refusal_ ? Code::kUnresolvable : Code::kSuccess;
  }
  Texts PreFilterReasons(const Attempt&) const override {
    return refusal_ ? Texts{*refusal_} : Texts{};
  }

  Code Filter(const Attempt& attempt, const NodeInfo& info, Texts* why) const override {
    const OwnPod pod(attempt);
    const OwnNode node(info, attempt.cluster.strings());
    const auto reason = Charged(kFilter, pod, &node, [&] { return own_->Filter(pod, node); });
    return reason ? Reject(Code::kUnschedulable, why, *reason) : Code::kSuccess;
  }

  void PreScore(const Attempt& attempt, NodeSpan) override {
    if (!Enabled(kPreScore)) return;
    const OwnPod pod(attempt);
    Charged(kPreScore, pod, nullptr, [&] { own_->PreScore(pod); });
  }
  void Score(const Attempt& attempt, NodeSpan nodes, ScoreSpan scores) override {
    const OwnPod pod(attempt);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const OwnNode node(attempt.cluster.node(nodes[i]), attempt.cluster.strings());
      scores[i] = Charged(kScore, pod, &node, [&] { return own_->Score(pod, node); });
    }
  }
  void Normalize(const Attempt& attempt, NodeSpan, ScoreSpan scores) override {
    if (!own_->ScalesScores()) return;
    const OwnPod pod(attempt);
    Charged(kScoreNormalize, pod, nullptr, [&] { own_->NormalizeScore(pod, scores); });
  }

  void Run(ExtensionPoint point, const Attempt& attempt, const NodeInfo* info,
           PointAnswer& out) override {
    const bool undo = point == kUnreserve;
    if (!Enabled(undo ? kReserve : point)) return;
    const OwnPod pod(attempt);
    std::optional<OwnNode> node;
    if (info != nullptr) node.emplace(*info, attempt.cluster.strings());
    Charge(point, pod, node ? &*node : nullptr);
    TakeTime(point, out.times);
    std::optional<std::string> refusal =
        Guard(ToString(point), [&] { return Call(point, pod, node ? &*node : nullptr, out); });
    if (!refusal) return;
    out.refused = true;
    out.plugin = name_;
    out.refusal = std::move(*refusal);
  }

  void TakeTime(ExtensionPoint point, std::vector<OwnTime>& out) override {
    OwnTime& time = times_[kube::IndexOf(point)];
    if (time.calls > 0) out.push_back({name_, time.seconds, time.calls});
    time = OwnTime();
  }

  bool MayHelp(const Attempt& attempt, PluginEvent event) const override {
    return Guard("MayHelp", [&] { return own_->MayHelp(event, OwnPod(attempt)); });
  }

 private:
  bool Enabled(ExtensionPoint point) const { return (points_ & Bit(point)) != 0; }

  template <typename Use>
  std::invoke_result_t<const Use&> Guard(std::string_view where, const Use& use) const {
    try {
      return use();
    } catch (const std::exception& error) {
      Raise(ErrorKind::kFailed, "plugin `{}` threw at {}: {}", name_, where, error.what());
    } catch (...) {
      Raise(ErrorKind::kFailed, "plugin `{}` threw at {} what is no std::exception", name_, where);
    }
  }

  template <typename Use>
  std::invoke_result_t<const Use&> Charged(ExtensionPoint point, const PodView& pod,
                                           const NodeView* node, const Use& use) const {
    Charge(point, pod, node);
    return Guard(ToString(point), use);
  }

  // What the call that follows takes.
  void Charge(ExtensionPoint point, const PodView& pod, const NodeView* node) const {
    OwnTime& time = times_[kube::IndexOf(point)];
    const double seconds =
        Guard("Seconds", [&] { return own_->Seconds(*PluginPointOf(point), pod, node); });
    if (!(seconds >= 0 && seconds < 1e9)) {
      Raise(ErrorKind::kFailed, "plugin `{}`: a call at {} takes {} s", name_, ToString(point),
            seconds);
    }
    time.seconds += seconds;
    ++time.calls;
  }

  // The points that only a simulation has. Those from Reserve on have a node.
  std::optional<std::string> Call(ExtensionPoint point, const PodView& pod, const NodeView* node,
                                  PointAnswer& out) const {
    if (point == kPreEnqueue) return own_->PreEnqueue(pod);
    if (point == kReserve) return own_->Reserve(pod, *node);
    if (point == kPreBind) return own_->PreBind(pod, *node);
    if (point == kPermit) {
      PermitAnswer answer = own_->Permit(pod, *node);
      if (!(answer.wait_seconds >= 0)) throw std::invalid_argument("a wait below 0");
      out.wait = std::max(out.wait, answer.wait_seconds);
      return std::move(answer.refusal);
    }
    if (point == kPostFilter) own_->PostFilter(pod);
    if (point == kUnreserve) own_->Unreserve(pod, *node);
    if (point == kPostBind) own_->PostBind(pod, *node);
    return std::nullopt;
  }

  std::string name_;
  std::unique_ptr<SchedulerPlugin> own_;
  Points points_;
  std::optional<std::string> refusal_;  // of PreFilter
  mutable std::array<OwnTime, kExtensionPoints> times_{};
};

[[noreturn]] void Refuse(const std::string& file, const std::string& why) {
  Raise(ErrorKind::kUsage, "plugin library {}: {}", file, why);
}

void* Open(const std::string& file) {
  if (!std::ifstream(file)) {
    Raise(ErrorKind::kFailed, "plugin library {}: {}", file, std::strerror(errno));
  }
  // A path with a slash: the loader does not search for it.
  const std::string path = std::filesystem::absolute(file).string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    // The loader's own words start with the path, and may go on over lines.
    const char* text = dlerror();
    std::string why = text == nullptr ? "unknown error" : text;
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    Raise(ErrorKind::kFailed, "plugin library {}: {}", file, why.substr(0, why.find('\n')));
  }
  return library;
}

template <typename Function>
Function* Symbol(void* library, const char* name, const std::string& file) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    Refuse(file,
           fmt::format("it does not export {}; see SCHEDLENS_PLUGIN in schedlens/plugin.h", name));
  }
  return reinterpret_cast<Function*>(symbol);
}

class Registry : public PluginRegistry {
 public:
  void Add(SchedulerPluginFactory factory) override { plugins.push_back(std::move(factory)); }
  std::vector<SchedulerPluginFactory> plugins;
};

void CheckPlugins(const std::string& file, const std::vector<SchedulerPluginFactory>& plugins,
                  const std::vector<SchedulerPluginFactory>& known) {
  if (plugins.empty()) Refuse(file, "it registers no plugin");
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    const std::string& name = plugins[i].name;
    if (name.empty() || !plugins[i].make) Refuse(file, "a plugin has no name or no factory");
    const auto same = [&](const auto& plugin) { return plugin.name == name; };
    if (IsInTree(name)) Refuse(file, fmt::format("`{}` is the name of an in-tree plugin", name));
    const auto before = plugins.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::ranges::any_of(known, same) || std::any_of(plugins.begin(), before, same)) {
      Refuse(file, fmt::format("two plugins have the name `{}`", name));
    }
  }
}

// The enumerator of Own that has the place of `wanted` among `in_order`.
template <typename Own, typename Known, std::size_t kRows>
std::optional<Own> AtPlaceOf(Known wanted, const Known (&in_order)[kRows]) {
  const auto* at = std::ranges::find(in_order, wanted);
  if (at == std::end(in_order)) return std::nullopt;
  return static_cast<Own>(at - std::begin(in_order));
}

}  // namespace

std::optional<PluginPoint> PluginPointOf(kube::ExtensionPoint point) {
  return AtPlaceOf<PluginPoint>(
      point, {kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPreScore, kScore, kScoreNormalize,
              kReserve, kPermit, kPreBind, kBind, kPostBind, kUnreserve});
}

std::optional<PluginEvent> PluginEventOf(kube::PodEvent event) {
  using enum kube::PodEvent;
  return AtPlaceOf<PluginEvent>(
      event, {kNodeAdd, kAssignedPodAdd, kAssignedPodDelete, kClaimAdd, kNodeDelete});
}

std::unique_ptr<Plugin> AdaptOwnPlugin(std::string name, std::unique_ptr<SchedulerPlugin> own,
                                       Points points) {
  if (own == nullptr) Raise(ErrorKind::kFailed, "plugin `{}`: its factory made none", name);
  return std::make_unique<Adapter>(std::move(name), std::move(own), points);
}

std::vector<SchedulerPluginFactory> LoadPluginLibrary(
    const std::string& file, const std::vector<SchedulerPluginFactory>& known) {
  void* library = Open(file);
  const auto abi = Symbol<unsigned()>(library, "schedlens_plugin_abi", file);
  if (const unsigned version = abi(); version != kPluginAbi) {
    Refuse(file, fmt::format("built for plugin ABI {}, this schedlens has {}; build it again with "
                             "this release's schedlens/plugin.h",
                             version, kPluginAbi));
  }
  const auto enter = Symbol<void(PluginRegistry&)>(library, "schedlens_plugins", file);
  Registry registry;
  try {
    enter(registry);
  } catch (const std::exception& error) {
    Refuse(file, fmt::format("schedlens_plugins threw: {}", error.what()));
  } catch (...) {
    Refuse(file, "schedlens_plugins threw something that is no std::exception");
  }
  CheckPlugins(file, registry.plugins, known);
  return std::move(registry.plugins);
}

}  // namespace schedlens::sim::core
