#include "cli/commands/serve_posts.h"

#include <fmt/format.h>

#include <filesystem>

#include "contract/report.h"
#include "model/file.h"
#include "model/json_text.h"
#include "model/known_secrets.h"
#include "model/url.h"
#include "schedlens/error.h"
#include "source/http/client.h"
#include "source/http/client_transfer.h"
#include "source/http/config.h"

namespace schedlens {
namespace {

HttpConfig GrafanaAccess(const PostOptions& options) {
  return options.grafana_config.empty() ? HttpConfig() : ReadHttpConfig(options.grafana_config);
}

/// The page of the API below the server's URL, credentials in it included.
std::string AnnotationsUrl(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url + "/api/annotations";
}

/// `{"text": ...}`, as Slack's incoming webhooks and those that copy them take it.
std::string ChatMessage(const Diagnosis& diagnosis) {
  return JsonText::Document(JsonStyle::kCompact,
                            [&](JsonText& json) { json("text", RenderSlack(diagnosis)); });
}

/// Empty, or what went wrong.
std::string Post(const std::string& what, const std::string& url, const std::string& body,
                 const HttpConfig& access) {
  HttpOptions http;
  http.access = access;
  http.total_timeout_seconds = kPostSeconds;
  http.query_timeout_seconds = kPostSeconds;
  HttpRequest request;
  request.url = url;
  request.form = MaskKnownSecrets(body);
  request.what = what;
  request.headers = {{"Content-Type", "application/json"}};
  try {
    HttpClient client(std::move(http));
    const HttpAnswer answer = client.Fetch(request);
    if (answer.status >= 200 && answer.status < 300) return "";
    return fmt::format("{}: the server answers {}", what, answer.status);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    // The path of a chat's webhook is its secret.
    const auto parsed = ParseUrl(url);
    return fmt::format("{}: {} cannot be reached or refuses access", what,
                       parsed ? parsed->host : "the server");
  }
}

/// As Post. The configuration is read for each report, for a token that is renewed.
std::string Annotate(const Diagnosis& diagnosis, const PostOptions& options) {
  HttpConfig access;
  try {
    access = GrafanaAccess(options);
  } catch (const Error& error) {
    return fmt::format("annotation: {}", error.what());
  }
  return Post("annotation", AnnotationsUrl(options.grafana), RenderGrafanaAnnotation(diagnosis),
              access);
}

void CheckUrl(const std::string& option, const std::string& url) {
  if (url.empty()) return;
  if (const auto parsed = ParseUrl(url)) return CheckCredentials(*parsed, option);
  throw Error(ErrorKind::kUsage, option + ": not an http, https or unix URL");
}

}  // namespace

void CheckPosts(const PostOptions& options) {
  CheckUrl("--grafana", options.grafana);
  CheckUrl("--notify", options.notify);
  GrafanaAccess(options);
}

std::vector<std::string> PostDiagnosis(const Diagnosis& diagnosis, const PostOptions& options) {
  const bool noted = !options.told.empty() && std::filesystem::exists(options.told);
  std::string told = noted ? ReadFile(options.told) : "";
  std::vector<std::string> failures;
  const auto once = [&](const std::string& what, const std::string& url, const auto& post) {
    if (url.empty() || told.find(what) != std::string::npos) return;
    const std::string failure = post();
    if (!failure.empty()) return failures.push_back(failure);
    told += what + "\n";
    if (!options.told.empty()) WriteFileAtomically(options.told, told);
  };
  once("annotation", options.grafana, [&] { return Annotate(diagnosis, options); });
  once("notification", options.notify,
       [&] { return Post("notification", options.notify, ChatMessage(diagnosis), HttpConfig()); });
  return failures;
}

}  // namespace schedlens
