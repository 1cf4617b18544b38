#include "cli/web/access.h"

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// Of no password that is known: a user who is not there takes as long as one who is.
const std::string kNobody = "$2b$10$abcdefghijklmnopqrstuu37RkUr9H1EPO4Rc63Ngz60LSVREthYa";

[[noreturn]] void FailTls(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  throw Error(ErrorKind::kFailed,
              fmt::format("{}: {}", what, reason == nullptr ? "cannot be used" : reason));
}

int TlsVersion(const std::string& name) {
  if (name == "TLS10") return TLS1_VERSION;
  if (name == "TLS11") return TLS1_1_VERSION;
  return name == "TLS12" ? TLS1_2_VERSION : TLS1_3_VERSION;
}

/// `USER:PASSWORD`; empty when it is no Basic authorization.
std::string Decoded(const std::string& authorization) {
  constexpr std::string_view kBasic = "Basic ";
  if (!authorization.starts_with(kBasic)) return "";
  const std::string coded = authorization.substr(kBasic.size());
  std::string text(coded.size(), '\0');
  const int bytes = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                    reinterpret_cast<const unsigned char*>(coded.data()),
                                    static_cast<int>(coded.size()));
  const auto padding = std::count(coded.begin(), coded.end(), '=');
  if (bytes < padding) return "";
  text.resize(static_cast<std::size_t>(bytes - padding));
  return text;
}

}  // namespace

std::shared_ptr<SSL_CTX> MakeTls(const WebTls& tls) {
  std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TlsVersion(tls.min_version));
  SSL_CTX_set_max_proto_version(context, TlsVersion(tls.max_version));
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Of one connection: nothing is kept for a next one.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (SSL_CTX_use_certificate_chain_file(context, tls.cert_file.c_str()) != 1) {
    FailTls("cert_file " + tls.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    FailTls("key_file " + tls.key_file);
  }
  if (tls.client_auth == "NoClientCert") return made;
  const bool needed = tls.client_auth.starts_with("Require");
  const bool verified = tls.client_auth.find("Verify") != std::string::npos;
  SSL_CTX_set_verify(
      context, SSL_VERIFY_PEER | (needed ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
      verified ? nullptr : +[](int, X509_STORE_CTX*) { return 1; });
  const int read = tls.client_ca_file.empty()
                       ? SSL_CTX_set_default_verify_paths(context)
                       : SSL_CTX_load_verify_file(context, tls.client_ca_file.c_str());
  if (read != 1) FailTls("client_ca_file " + tls.client_ca_file);
  return made;
}

bool Doorkeeper::LetsIn(const std::map<std::string, std::string>& users,
                        const std::string& authorization) {
  if (users.empty()) return true;
  const std::string text = Decoded(authorization);
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find('\0') != std::string::npos) return false;
  const auto user = users.find(text.substr(0, colon));
  const std::string& hash = user == users.end() ? kNobody : user->second;
  const std::lock_guard lock(mutex_);
  if (last_ == text + hash) return true;
  const auto data = std::make_unique<crypt_data>();
  const char* made = crypt_r(text.c_str() + colon + 1, hash.c_str(), data.get());
  const bool same = made != nullptr && std::strlen(made) == hash.size() &&
                    CRYPTO_memcmp(made, hash.data(), hash.size()) == 0;
  if (!same || user == users.end()) return false;
  last_ = text + hash;
  return true;
}

}  // namespace schedlens
