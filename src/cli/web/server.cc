#include "cli/web/server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "cli/web/httplib_server.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

int Listen(const ListenAddress& address) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kFailed, fmt::format("cannot serve on {}: {}", address.Text(), why));
  };
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (status != 0) fail(gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1, no = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (one->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
    if (fd >= 0 && bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
      return fd;
    }
    error = errno;
    if (fd >= 0) close(fd);
  }
  fail(std::strerror(error));
  return -1;
}

std::uint16_t BoundPort(int fd) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace

bool ListenAddress::IsLoopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

ListenAddress ParseListenAddress(const std::string& option, const std::string& text) {
  ListenAddress out;
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty() ||
      bracketed != (host.find_first_of(":[]") != std::string::npos)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: expected PORT, :PORT, HOST:PORT or [IPV6]:PORT", option, text));
  }
  if (!host.empty()) out.host = host;
  return out;
}

std::unique_ptr<WebServer> StartWebServer(WebServerOptions options) {
  const int listening = Listen(options.address);
  options.address.port = BoundPort(listening);
  try {
    return ServeOn(listening, std::move(options));
  } catch (...) {
    close(listening);
    throw;
  }
}

}  // namespace schedlens
