#include "cli/bench/http/tls_client.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <openssl/x509v3.h>

namespace armature::cli::bench {
namespace {

bool ExpectHost(SSL* ssl, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1) return true;
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

std::string HandshakeProblem(const SSL* ssl) {
  const long verdict = SSL_get_verify_result(ssl);
  std::string reason = TakeOpensslReason();
  return verdict == X509_V_OK ? reason : X509_verify_cert_error_string(verdict);
}

}  // namespace

Result<TlsTrust> LoadTrust(const std::string& ca_file) {
  TlsTrust trust(SSL_CTX_new(TLS_client_method()), OpensslFree<SSL_CTX_free>());
  const bool is_loaded = trust && (ca_file.empty() ? SSL_CTX_set_default_verify_paths(trust.get())
                                                   : SSL_CTX_load_verify_file(trust.get(), ca_file.c_str())) == 1;
  if (!is_loaded)
    return Status::InvalidArgument(fmt::format("cannot read certificates from {}: {}", ca_file, TakeOpensslReason()));
  SSL_CTX_set_verify(trust.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_min_proto_version(trust.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(trust.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return trust;
}

Result<std::unique_ptr<TlsClient>> TlsClient::Connect(SSL_CTX& trust, int fd, const std::string& host) {
  SslPtr ssl(SSL_new(&trust));
  if (!ssl || SSL_set_fd(ssl.get(), fd) != 1 || !ExpectHost(ssl.get(), host))
    return Status::Unavailable(fmt::format("TLS with {}: {}", host, TakeOpensslReason()));
  if (SSL_connect(ssl.get()) != 1)
    return Status::Unavailable(fmt::format("TLS with {}: {}", host, HandshakeProblem(ssl.get())));
  return std::unique_ptr<TlsClient>(new TlsClient(std::move(ssl)));
}

ssize_t TlsClient::Send(std::string_view bytes) {
  size_t count = 0;
  ERR_clear_error();
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  return result == 1 ? static_cast<ssize_t>(count) : Fail(result);
}

ssize_t TlsClient::Receive(std::span<char> room) {
  size_t count = 0;
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &count);
  return result == 1 ? static_cast<ssize_t>(count) : Fail(result);
}

ssize_t TlsClient::Fail(int result) {
  const int system_error = errno;
  const int why = SSL_get_error(ssl_.get(), result);
  ERR_clear_error();
  if (why == SSL_ERROR_ZERO_RETURN) return 0;
  const bool must_wait = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
  errno = must_wait ? EAGAIN : why == SSL_ERROR_SYSCALL && system_error != 0 ? system_error : EPROTO;
  return -1;
}

}  // namespace armature::cli::bench
