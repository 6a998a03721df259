#include "net/tls/tls_context.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <sys/stat.h>

namespace armature::net {
namespace {

constexpr const char* kCiphersOfTls12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kCiphersOfTls13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kCurves = "X25519:P-256:P-384";
// 112 bits: RSA and its like from 2048 bits on, no SHA-1.
constexpr int kSecurityLevel = 2;
constexpr std::string_view kProtocol = "http/1.1";

constexpr size_t kMaxFileBytes = 1 << 20;
constexpr long kMaxClientChainBytes = 32 * 1024;

void FreeNames(STACK_OF(X509_NAME) * names) { sk_X509_NAME_pop_free(names, X509_NAME_free); }
using NamesPtr = std::unique_ptr<STACK_OF(X509_NAME), OpensslFree<FreeNames>>;

// --- Files

Result<std::string> ReadFile(std::string_view what, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  struct stat info {};
  if (!file || stat(path.c_str(), &info) != 0)
    return Status::InvalidArgument(fmt::format("cannot read {} {}: {}", what, path, strerror(errno)));
  if (S_ISDIR(info.st_mode))
    return Status::InvalidArgument(fmt::format("cannot read {} {}: it is a directory", what, path));
  std::string bytes(kMaxFileBytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  if (bytes.size() > kMaxFileBytes)
    return Status::InvalidArgument(fmt::format("{} {} is longer than {} bytes", what, path, kMaxFileBytes));
  return bytes;
}

BioPtr OpenText(const std::string& text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// Every certificate of a file, at least one.
Result<std::vector<CertificatePtr>> ReadCertificates(std::string_view what, const std::string& path) {
  ARMATURE_TRY(const std::string text, ReadFile(what, path));
  const BioPtr source = OpenText(text);
  std::vector<CertificatePtr> certificates;
  while (X509* const next = source ? PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr) : nullptr)
    certificates.emplace_back(next);
  const bool is_at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = TakeOpensslReason();
  if (!is_at_end) return Status::InvalidArgument(fmt::format("{} {} cannot be understood: {}", what, path, reason));
  if (certificates.empty())
    return Status::InvalidArgument(
        fmt::format("{} {} holds no certificate (PEM is expected: -----BEGIN CERTIFICATE-----)", what, path));
  return certificates;
}

// Nobody is asked: a server has no terminal. It is only noted that somebody would have been.
int OnPassphrase(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

Result<PrivateKeyPtr> ReadKey(const std::string& path) {
  ARMATURE_TRY(std::string text, ReadFile("the TLS key", path));
  const BioPtr source = OpenText(text);
  bool was_asked = false;
  PrivateKeyPtr key(source ? PEM_read_bio_PrivateKey(source.get(), nullptr, &OnPassphrase, &was_asked) : nullptr);
  const bool is_absent = text.find("PRIVATE KEY-----") == std::string::npos;
  OPENSSL_cleanse(text.data(), text.size());
  if (key) return key;
  const std::string reason = TakeOpensslReason();
  if (was_asked)
    return Status::InvalidArgument(fmt::format("the TLS key {} is protected by a passphrase: store it without", path));
  if (is_absent)
    return Status::InvalidArgument(
        fmt::format("the TLS key {} holds no key (PEM is expected: -----BEGIN PRIVATE KEY-----)", path));
  return Status::InvalidArgument(fmt::format("the TLS key {} cannot be understood: {}", path, reason));
}

// --- What is not as it should be

std::string TimeText(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

void WarnOfTimes(const TlsFiles& files, const X509* certificate, int64_t now_seconds,
                 std::vector<std::string>& warnings) {
  time_t now = now_seconds;
  const ASN1_TIME* const begin = X509_get0_notBefore(certificate);
  const ASN1_TIME* const end = X509_get0_notAfter(certificate);
  if (X509_cmp_time(begin, &now) > 0)
    warnings.push_back(fmt::format("the TLS certificate {} is not valid before {}: clients will refuse it",
                                   files.certificate, TimeText(begin)));
  if (X509_cmp_time(end, &now) < 0)
    warnings.push_back(
        fmt::format("the TLS certificate {} expired on {}: clients will refuse it", files.certificate, TimeText(end)));
  ERR_clear_error();
}

void WarnOfReaders(const std::string& key_file, std::vector<std::string>& warnings) {
  struct stat info {};
  if (stat(key_file.c_str(), &info) == 0 && (info.st_mode & S_IROTH) != 0)
    warnings.push_back(fmt::format("the TLS key {} can be read by every user of this machine: chmod 600", key_file));
}

// --- Settings

// A client that offers protocols and not ours would not understand a word.
int OnProtocols(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                unsigned int offered_size, void*) {
  for (unsigned int at = 0; at < offered_size; at += 1U + offered[at]) {
    const unsigned int size = offered[at];
    if (at + 1 + size > offered_size) break;
    if (std::string_view(reinterpret_cast<const char*>(offered + at + 1), size) != kProtocol) continue;
    *chosen = offered + at + 1;
    *chosen_size = static_cast<unsigned char>(size);
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// What holds on either side.
bool ConfigureCommon(SSL_CTX* context) {
  SSL_CTX_set_security_level(context, kSecurityLevel);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets only: the server remembers nobody
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kCiphersOfTls12) == 1 &&
         SSL_CTX_set_ciphersuites(context, kCiphersOfTls13) == 1 && SSL_CTX_set1_groups_list(context, kCurves) == 1;
}

bool Configure(SSL_CTX* context) {
  SSL_CTX_set_options(context,
                      SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_max_cert_list(context, kMaxClientChainBytes);
  SSL_CTX_set_alpn_select_cb(context, &OnProtocols, nullptr);
  return ConfigureCommon(context) && SSL_CTX_set_num_tickets(context, 1) == 1;
}

// A connection that ends without a farewell has failed here: what was read may have been cut short.
bool ConfigureClient(SSL_CTX* context) {
  static constexpr unsigned char kProtocols[] = "\x08http/1.1";
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return ConfigureCommon(context) && SSL_CTX_set_alpn_protos(context, kProtocols, sizeof(kProtocols) - 1) == 0;
}

Status UseIdentity(SSL_CTX* context, const TlsFiles& files, std::vector<CertificatePtr> chain, EVP_PKEY* key) {
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1)
    return Status::InvalidArgument(
        fmt::format("the TLS certificate {} cannot be used: {}", files.certificate, TakeOpensslReason()));
  if (X509_check_private_key(chain.front().get(), key) != 1) {
    ERR_clear_error();
    return Status::InvalidArgument(
        fmt::format("the TLS key {} does not belong to the certificate {}", files.key, files.certificate));
  }
  if (SSL_CTX_use_PrivateKey(context, key) != 1)
    return Status::InvalidArgument(fmt::format("the TLS key {} cannot be used: {}", files.key, TakeOpensslReason()));
  for (size_t i = 1; i < chain.size(); ++i)
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
      return Status::InvalidArgument(
          fmt::format("certificate {} of {} cannot be used: {}", i + 1, files.certificate, TakeOpensslReason()));
  return Status::Ok();
}

Status DemandClientCertificates(SSL_CTX* context, const std::string& path) {
  auto authorities = ReadCertificates("the TLS client CA", path);
  if (!authorities) return authorities.error();
  NamesPtr names(sk_X509_NAME_new_null());
  for (const CertificatePtr& authority : *authorities) {
    X509_NAME* const name = X509_NAME_dup(X509_get_subject_name(authority.get()));
    const bool is_added = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) == 1 &&
                          name != nullptr && names && sk_X509_NAME_push(names.get(), name) > 0;
    if (is_added) continue;
    X509_NAME_free(name);
    return Status::InvalidArgument(fmt::format("the TLS client CA {} cannot be used: {}", path, TakeOpensslReason()));
  }
  SSL_CTX_set_client_CA_list(context, names.release());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // A ticket says that its client has shown a certificate. Who may do so can change with the files: it is good only
  // with these settings.
  unsigned char here[SSL_MAX_SID_CTX_LENGTH];
  if (RAND_bytes(here, sizeof(here)) != 1 || SSL_CTX_set_session_id_context(context, here, sizeof(here)) != 1)
    return Status::Unavailable(TakeOpensslReason());
  return Status::Ok();
}

}  // namespace

Result<ServerContext> MakeServerContext(const TlsFiles& files, int64_t now_seconds) {
  ARMATURE_TRY(auto chain, ReadCertificates("the TLS certificate", files.certificate));
  ARMATURE_TRY(const PrivateKeyPtr key, ReadKey(files.key));
  ServerContext made;
  WarnOfTimes(files, chain.front().get(), now_seconds, made.warnings);
  WarnOfReaders(files.key, made.warnings);
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  made.context.reset(SSL_CTX_new(TLS_server_method()));
  if (!made.context || !Configure(made.context.get()))
    return Status::Unavailable(fmt::format("TLS cannot be set up: {}", TakeOpensslReason()));
  if (Status status = UseIdentity(made.context.get(), files, std::move(chain), key.get()); !status.ok()) return status;
  if (files.client_ca.empty()) return made;
  if (Status status = DemandClientCertificates(made.context.get(), files.client_ca); !status.ok()) return status;
  return made;
}

Result<SslContextPtr> MakeClientContext(const std::string& ca_file) {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context || !ConfigureClient(context.get()))
    return Status::Unavailable(fmt::format("TLS cannot be set up: {}", TakeOpensslReason()));
  if (ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) == 1) return context;
    return Status::Unavailable(fmt::format("the system's certificates cannot be used: {}", TakeOpensslReason()));
  }
  ARMATURE_TRY(const auto authorities, ReadCertificates("the certificates to trust", ca_file));
  for (const CertificatePtr& authority : authorities)
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority.get()) != 1)
      return Status::InvalidArgument(
          fmt::format("the certificates to trust {} cannot be used: {}", ca_file, TakeOpensslReason()));
  return context;
}

}  // namespace armature::net
