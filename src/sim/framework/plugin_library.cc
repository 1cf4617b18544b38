#include "sim/framework/plugin_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "schedlens/error.h"
#include "sim/framework/plugin_table.h"

namespace schedlens::sim::core {
namespace {

[[noreturn]] void Refuse(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("plugin library {}: {}", file, why));
}

// The loader's own words start with the path, and may go on over lines.
std::string LoaderError(const std::string& path) {
  const char* text = dlerror();
  std::string out = text == nullptr ? "unknown error" : text;
  if (out.rfind(path + ": ", 0) == 0) out.erase(0, path.size() + 2);
  return out.substr(0, out.find('\n'));
}

void* Open(const std::string& file) {
  if (!std::ifstream(file)) {
    throw Error(ErrorKind::kFailed,
                fmt::format("plugin library {}: {}", file, std::strerror(errno)));
  }
  // A path with a slash: the loader does not search for it.
  const std::string path = std::filesystem::absolute(file).string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(ErrorKind::kFailed, fmt::format("plugin library {}: {}", file, LoaderError(path)));
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

void Check(const std::string& file, const std::vector<SchedulerPluginFactory>& plugins,
           const std::vector<SchedulerPluginFactory>& known) {
  if (plugins.empty()) Refuse(file, "it registers no plugin");
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    const std::string& name = plugins[i].name;
    if (name.empty() || !plugins[i].make) Refuse(file, "a plugin has no name or no factory");
    const auto same = [&](const auto& plugin) { return plugin.name == name; };
    const auto& tree = InTreePlugins();
    if (std::any_of(tree.begin(), tree.end(), same)) {
      Refuse(file, fmt::format("`{}` is the name of an in-tree plugin", name));
    }
    const auto before = plugins.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(known.begin(), known.end(), same) ||
        std::any_of(plugins.begin(), before, same)) {
      Refuse(file, fmt::format("two plugins have the name `{}`", name));
    }
  }
}

}  // namespace

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
  Check(file, registry.plugins, known);
  return std::move(registry.plugins);
}

}  // namespace schedlens::sim::core
