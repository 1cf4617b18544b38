#ifndef SCHEDLENS_CLI_WEB_HTTPLIB_SERVER_H_
#define SCHEDLENS_CLI_WEB_HTTPLIB_SERVER_H_

#include <memory>

#include "cli/web/server.h"

namespace schedlens {

/// Serves on a socket that listens, and closes it at the end. Throws what the configuration throws;
/// then the socket is still open.
std::unique_ptr<WebServer> ServeOn(int listening, WebServerOptions options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_WEB_HTTPLIB_SERVER_H_
