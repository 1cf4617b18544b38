#pragma once

// What is said of an answer whose status is no success: the server's own words where it has some,
// and what to do.

#include <string>
#include <string_view>

#include "schedlens/error.h"
#include "source/http/client.h"

namespace schedlens {

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

}  // namespace schedlens
