#pragma once

#include <string>
#include <string_view>

#include "schedlens/error.h"
#include "schedlens/semantics.h"
#include "source/http/client.h"
#include "source/open_source.h"

namespace schedlens {

// What is said of an answer whose status is no success: the server's own words where it has some,
// and what to do.

/// Throws Error(kind) with `what`, the printable URL and the text on one line.
[[noreturn]] void ThrowOf(const std::string& what, const std::string& url, ErrorKind kind,
                          const std::string& text);
[[noreturn]] void ThrowOf(const HttpRequest& request, ErrorKind kind, const std::string& text);

/// The error for a status other than success.
[[noreturn]] void ThrowStatus(const HttpRequest& request, const HttpAnswer& answer);

/// Whether an error's text tells a server's limit on what one query may load or answer: less may
/// be answered.
bool TellsALimit(std::string_view text);

/// `message` of the Status object with which a Kubernetes API server refuses; empty for anything
/// else.
std::string KubernetesMessage(const std::string& body);

// A server as the options name it: where its API is and how to speak to it.

/// Limits, credentials and headers of the options. Throws Error(kUsage) for a malformed header
/// (without quoting its value) and what ReadHttpConfig throws.
HttpOptions HttpOptionsOf(const SourceOptions& options);

/// `path` ("/api/v1/query") below the server's URL and its prefix; a pasted `/graph`, `/query`,
/// `/api/v1` or `/vmui` at the end of the URL is dropped. Throws Error(kUsage) for what is no URL.
std::string ApiUrl(const std::string& url, std::string_view path);

/// What the body of `/api/v1/status/buildinfo` says about who answers: kind, version as the server
/// says it and semantics, those of the newest Prometheus where its version is not known; `exact`
/// for a Prometheus whose version is. Anything unexpected is kind "unknown".
SourceInfo ReadBuildInfo(std::string_view body);

}  // namespace schedlens
