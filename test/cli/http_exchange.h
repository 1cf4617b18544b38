#pragma once

// Raw requests to a server on loopback: exactly the bytes that a test says.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace schedlens::test {

/// A connection, or -1.
inline int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) return fd;
  close(fd);
  return -1;
}

inline bool SendText(int fd, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

/// What comes until the peer closes.
inline std::string ReadToEnd(int fd) {
  std::string answer;
  char block[4096];
  for (ssize_t got = 0; (got = recv(fd, block, sizeof(block), 0)) > 0;) {
    answer.append(block, static_cast<std::size_t>(got));
  }
  return answer;
}

/// One request and its whole answer; empty where there is none.
inline std::string Exchange(int port, const std::string& request) {
  const int fd = Connect(port);
  if (fd < 0) return "";
  SendText(fd, request);
  const std::string answer = ReadToEnd(fd);
  close(fd);
  return answer;
}

inline std::string PostText(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The status of an answer; 0 for none.
inline int StatusOf(const std::string& answer) {
  return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace schedlens::test
