#include "cli/commands/serve_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/alert/webhook.h"
#include "model/text.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestName = 60;

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What every file system and shell takes as a name, and no command as an option.
std::string FileName(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kLongestName)) name += IsPlain(c) ? c : '-';
  name.erase(0, name.find_first_not_of('-'));
  return name.empty() ? "alert" : name;
}

template <class T>
void SortOnce(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

}  // namespace

std::uint64_t Digest(std::string_view text) {
  std::uint64_t digest = 14695981039346656037U;
  for (const char c : text) {
    digest ^= static_cast<unsigned char>(c);
    digest *= 1099511628211U;
  }
  return digest;
}

AlertGroup ReadAlertGroup(std::string_view json) {
  const std::vector<WebhookAlert> alerts = ReadWebhook(json, "the webhook");
  AlertGroup group;
  std::optional<TimeMs> start;
  for (const WebhookAlert& alert : alerts) {
    group.alerts.push_back(Digest(alert.fingerprint));
    group.states.push_back(
        Digest(fmt::format("{} {} {}", alert.fingerprint, alert.start.value_or(0),
                           alert.firing ? "firing" : "resolved")));
    if (alert.start && (!start || *alert.start < *start)) start = alert.start;
  }
  SortOnce(&group.alerts);
  SortOnce(&group.states);
  std::string all;
  for (const std::uint64_t alert : group.alerts) all += fmt::format("{:016x}", alert);
  std::string time = start ? FormatTime(*start / 1000 * 1000) : "unknown";
  time.erase(std::remove_if(time.begin(), time.end(), [](char c) { return c == '-' || c == ':'; }),
             time.end());
  group.report = fmt::format("{}-{}-{:016x}", FileName(alerts.front().name), time, Digest(all));
  return group;
}

}  // namespace schedlens
