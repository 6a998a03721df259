#include "base/tls/self_signed.h"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/tls/openssl_handles.h"

namespace armature {
namespace {

constexpr int kSerialBits = 127;  // RFC 5280: positive, at most 20 bytes, not to be guessed
constexpr size_t kMaxDnsName = 253;
constexpr size_t kMaxDnsLabel = 63;
constexpr size_t kMaxCommonName = 64;

using SerialPtr = std::unique_ptr<BIGNUM, OpensslFree<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;

bool IsIpAddress(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool IsDnsLabel(std::string_view label) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !label.empty() && label.size() <= kMaxDnsLabel && std::ranges::all_of(label, is_allowed) &&
         label.front() != '-' && label.back() != '-';
}

bool IsDnsName(std::string_view name) {
  if (name.size() > kMaxDnsName) return false;
  if (name.starts_with("*.")) name.remove_prefix(2);
  for (;;) {
    const size_t dot = name.find('.');
    if (!IsDnsLabel(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

// As OpenSSL's configuration writes it; nothing in a checked host can end its entry.
std::string AlternativeNames(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts)
    names += fmt::format("{}{}:{}", names.empty() ? "" : ",", IsIpAddress(host) ? "IP" : "DNS", host);
  return names;
}

bool AddExtension(X509* certificate, int name, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, name, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  const SerialPtr serial(BN_new());
  return serial && BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetNames(X509* certificate, const std::string& host) {
  const std::string common = host.size() <= kMaxCommonName ? host : "armature";
  X509_NAME* const name = X509_get_subject_name(certificate);  // its own
  const auto* const text = reinterpret_cast<const unsigned char*>(common.data());
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, static_cast<int>(common.size()), -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

// The key's identifier before that of its issuer, which is the same and is looked up.
bool AddExtensions(X509* certificate, const std::vector<std::string>& hosts) {
  return AddExtension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(certificate, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth,clientAuth") &&
         AddExtension(certificate, NID_subject_key_identifier, "hash") &&
         AddExtension(certificate, NID_authority_key_identifier, "keyid:always") &&
         AddExtension(certificate, NID_subject_alt_name, AlternativeNames(hosts));
}

CertificatePtr MakeCertificate(const SelfSignedRequest& request, EVP_PKEY* key) {
  CertificatePtr certificate(X509_new());
  const bool is_made =
      certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 && SetSerial(certificate.get()) &&
      ASN1_TIME_set(X509_getm_notBefore(certificate.get()), request.not_before_seconds) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(certificate.get()), request.not_after_seconds) != nullptr &&
      X509_set_pubkey(certificate.get(), key) == 1 && SetNames(certificate.get(), request.hosts.front()) &&
      AddExtensions(certificate.get(), request.hosts) && X509_sign(certificate.get(), key, EVP_sha256()) > 0;
  return is_made ? std::move(certificate) : nullptr;
}

std::string TextOf(BIO* memory) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  return {bytes, static_cast<size_t>(size)};
}

}  // namespace

bool IsCertificateHost(std::string_view host) { return IsIpAddress(std::string(host)) || IsDnsName(host); }

Result<SelfSigned> MakeSelfSigned(const SelfSignedRequest& request) {
  if (request.hosts.empty()) return Status::InvalidArgument("a certificate needs a name");
  for (const std::string& host : request.hosts)
    if (!IsCertificateHost(host))
      return Status::InvalidArgument(fmt::format("'{}' is neither a DNS name nor an IP address", host));
  const PrivateKeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = key ? MakeCertificate(request, key.get()) : nullptr;
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_secmem()));
  if (!certificate || !certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return Status::Unavailable(fmt::format("cannot make a certificate: {}", TakeOpensslReason()));
  return SelfSigned{TextOf(certificate_text.get()), TextOf(key_text.get())};
}

}  // namespace armature
