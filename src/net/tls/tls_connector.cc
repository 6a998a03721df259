#include "net/tls/tls_connector.h"

#include <utility>

#include <openssl/x509v3.h>

namespace armature::net {
namespace {

// An address has no name to be told to the server, and stands elsewhere in its certificate.
bool ExpectHost(SSL* ssl, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1) return true;
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

Result<std::shared_ptr<TlsConnector>> TlsConnector::Open(const std::string& ca_file) {
  ARMATURE_TRY(SslContextPtr context, MakeClientContext(ca_file));
  return std::shared_ptr<TlsConnector>(new TlsConnector(std::move(context)));
}

std::unique_ptr<TlsStream> TlsConnector::Connect(int fd, const std::string& host) {
  SslPtr ssl(SSL_new(context_.get()));
  const bool is_ready = ssl && ExpectHost(ssl.get(), host);
  ERR_clear_error();
  if (!is_ready) return nullptr;
  return TlsStream::Make(std::move(ssl), fd, /*tries_kernel=*/false, counters_, TlsStream::Side::kClient);
}

}  // namespace armature::net
