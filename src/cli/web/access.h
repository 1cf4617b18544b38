#ifndef SCHEDLENS_CLI_WEB_ACCESS_H_
#define SCHEDLENS_CLI_WEB_ACCESS_H_

// Who may connect to the web server: certificates and passwords. Part of its library.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "source/http/web_config.h"

typedef struct ssl_ctx_st SSL_CTX;  // OpenSSL's own name of it

namespace schedlens {

/// Reads the files. Throws Error(kFailed) naming the one that cannot be used.
std::shared_ptr<SSL_CTX> MakeTls(const WebTls& tls);

class Doorkeeper {
 public:
  /// Whether the header's value is `Basic` with the name and password of one of the users (names
  /// and bcrypt hashes), or there are none. Hashing takes its time on purpose: one at a time, and
  /// the last right answer counts as long as its hash does.
  bool LetsIn(const std::map<std::string, std::string>& users, const std::string& authorization);

 private:
  std::mutex mutex_;
  std::string last_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_WEB_ACCESS_H_
