// MakeServerContext and MakeClientContext: PEM files in, OpenSSL's settings for connections out.
//
// The only place that says which versions, ciphers and curves are spoken: TLS 1.2 and 1.3 with an ephemeral key
// exchange and authenticated encryption; no renegotiation, no compression, no early data. Reads the files whole, asks
// nobody for a passphrase, prints nothing. The system's openssl.cnf is not looked at. Internal to net/tls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <openssl/ssl.h>

#include "base/result.h"
#include "base/tls/openssl_handles.h"

namespace armature::net {

using SslContextPtr = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;

struct TlsFiles {
  std::string certificate;  // PEM: the server's own, then those that lead to one that clients know
  std::string key;          // PEM, without a passphrase
  std::string client_ca;    // PEM: who signs the certificates that clients have to show; empty: they show none
};

struct ServerContext {
  SslContextPtr context;
  std::vector<std::string> warnings;  // each a line fit for a log: it works, but not as it should
};

// The error is one line that names the file. `now_seconds` is compared with the times of the certificate.
Result<ServerContext> MakeServerContext(const TlsFiles& files, int64_t now_seconds);

// For connections that we make: whoever is at the other end has to prove his name by a certificate that one of
// `ca_file` (PEM; empty: the system's) leads to.
Result<SslContextPtr> MakeClientContext(const std::string& ca_file);

}  // namespace armature::net
