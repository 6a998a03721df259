// What the tests of TLS share: certificates in files, a client made of OpenSSL's other side, a server to speak to.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/testing/memory_file.h"
#include "base/tls/openssl_handles.h"
#include "base/tls/self_signed.h"
#include "net/server_testing.h"
#include "net/tls/tls_acceptor.h"

namespace armature::net {

inline SelfSigned MakeTestCertificate(const std::string& host = "localhost") {
  const int64_t now = std::time(nullptr);
  auto made = MakeSelfSigned({{host}, now - 3600, now + 86'400});
  EXPECT_TRUE(made);
  return std::move(*made);
}

using SessionPtr = std::unique_ptr<SSL_SESSION, OpensslFree<SSL_SESSION_free>>;

struct TlsClientSetup {
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  std::string ciphers{};           // of TLS 1.2 and below; empty: OpenSSL's
  std::string protocols{};         // as they stand in the message, each behind its length
  SelfSigned certificate{};        // to show
  SSL_SESSION* session = nullptr;  // to go on with
  size_t piece = 1 << 20;          // bytes that are sent at once
  int receive_buffer_bytes = 0;
};

// A client on a real socket. OpenSSL sees memory only, so that a test decides which bytes go out and when.
class TlsTestClient {
 public:
  explicit TlsTestClient(uint16_t port, const TlsClientSetup& setup = {})
      : socket_(port, setup.receive_buffer_bytes), piece_(setup.piece), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_.get(), 0);  // to ask for what must be refused
    SSL_CTX_set_min_proto_version(context_.get(), setup.min_version);
    SSL_CTX_set_max_proto_version(context_.get(), setup.max_version);
    if (!setup.ciphers.empty()) { EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), setup.ciphers.c_str()), 1); }
    if (!setup.certificate.key_pem.empty()) Show(setup.certificate);
    SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_tlsext_host_name(ssl_.get(), "localhost");
    const auto* const protocols = reinterpret_cast<const unsigned char*>(setup.protocols.data());
    if (!setup.protocols.empty())
      SSL_set_alpn_protos(ssl_.get(), protocols, static_cast<unsigned>(setup.protocols.size()));
    if (setup.session != nullptr) {
      const SessionPtr copy(SSL_SESSION_dup(setup.session));  // a session of TLS 1.3 is for one use
      SSL_set_session(ssl_.get(), copy.get());
    }
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl_.get());
  }

  SSL* ssl() { return ssl_.get(); }
  TestSocket& socket() { return socket_; }

  bool Handshake() {
    return Drive([this] { return SSL_do_handshake(ssl_.get()); }) == 1;
  }
  bool Send(std::string_view bytes) {
    return Drive([&] { return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); }) > 0;
  }
  // What a request became, as TestClient reads it.
  TestResponse Read() {
    TestResponse response;
    response.head = ReadUntil("\r\n\r\n");
    if (response.head.empty()) return response;
    response.head.resize(response.head.size() - 2);
    response.status = std::atoi(response.head.c_str() + 9);
    const size_t length = std::strtoul(response.Header("Content-Length").c_str(), nullptr, 10);
    response.body = ReadBytes(length);
    return response.body.size() == length ? response : TestResponse();
  }
  TestResponse Call(std::string_view bytes) { return Send(bytes) ? Read() : TestResponse(); }

  // The first bytes of a handshake, which are not sent.
  std::string Hello() {
    SSL_do_handshake(ssl_.get());
    return TakeOutgoing();
  }
  // Says that it will send no more, and nothing else.
  void SayGoodbye() {
    SSL_shutdown(ssl_.get());
    SendOutgoing();
  }
  std::string ReadBytes(size_t count) {
    while (pending_.size() < count && Fill()) {}
    return Take(count);
  }
  std::string ReadUntil(std::string_view end) {
    size_t at = std::string::npos;
    while ((at = pending_.find(end)) == std::string::npos)
      if (!Fill()) return {};
    return Take(at + end.size());
  }
  std::string ReadToEnd() {
    while (Fill()) {}
    return std::exchange(pending_, {});
  }
  // The server has said that it sends no more.
  bool HasGoodbye() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  // To be used with another client, once an answer was read. This one ends well, or OpenSSL would not trust it again.
  SessionPtr Session() {
    SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN);
    return SessionPtr(SSL_get1_session(ssl_.get()));
  }
  bool IsResumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  // Why the last step failed, by OpenSSL's number.
  int reason() const { return reason_; }
  std::string PeerPem() {
    const CertificatePtr certificate(SSL_get1_peer_certificate(ssl_.get()));
    const BioPtr text(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(text.get(), certificate.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<size_t>(size)};
  }

 private:
  void Show(const SelfSigned& own) {
    const BioPtr certificate_text(BIO_new_mem_buf(own.certificate_pem.data(), -1));
    const BioPtr key_text(BIO_new_mem_buf(own.key_pem.data(), -1));
    const CertificatePtr certificate(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
    const PrivateKeyPtr key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context_.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }

  // Repeats an action, with bytes carried both ways, until it succeeds or fails.
  template <class Action>
  int Drive(Action action) {
    for (;;) {
      ERR_clear_error();
      const int result = action();
      const int why = SSL_get_error(ssl_.get(), result);
      reason_ = result > 0 ? 0 : ERR_GET_REASON(ERR_peek_error());
      const bool is_sent = SendOutgoing();
      if (result > 0 || why != SSL_ERROR_WANT_READ) return result;
      if (!ReceiveSome() && !is_sent) return -1;
      if (is_at_end_ && BIO_pending(SSL_get_rbio(ssl_.get())) == 0) return -1;
    }
  }
  std::string TakeOutgoing() {
    char* bytes = nullptr;
    BIO* const out = SSL_get_wbio(ssl_.get());
    std::string taken(static_cast<size_t>(BIO_get_mem_data(out, &bytes)), '\0');
    if (!taken.empty()) BIO_read(out, taken.data(), static_cast<int>(taken.size()));
    return taken;
  }
  bool SendOutgoing() {
    const std::string all = TakeOutgoing();
    for (size_t at = 0; at < all.size(); at += piece_)
      if (!socket_.Send(std::string_view(all).substr(at, piece_))) return false;
    return !all.empty();
  }
  // Waits for something; false at the end.
  bool ReceiveSome() {
    std::string bytes = socket_.ReadBytes(1);
    if (bytes.empty()) is_at_end_ = true;
    else bytes += socket_.ReadNow();
    if (!bytes.empty()) BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    return !bytes.empty();
  }
  bool Fill() {
    char bytes[65536];
    const int count = Drive([&] { return SSL_read(ssl_.get(), bytes, sizeof(bytes)); });
    if (count > 0) pending_.append(bytes, static_cast<size_t>(count));
    return count > 0;
  }
  std::string Take(size_t count) {
    std::string taken = pending_.substr(0, count);
    pending_.erase(0, taken.size());
    return taken;
  }

  TestSocket socket_;
  size_t piece_;
  SslContextPtr context_;
  SslPtr ssl_;
  std::string pending_;
  int reason_ = 0;
  bool is_at_end_ = false;
};

// A server with HTTP on one port and HTTPS on another. Its certificates lie in files that a test may write anew.
class TlsServerTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    chmod(key_file.path().c_str(), 0600);
    WriteFiles(MakeTestCertificate());
  }
  void TearDown() override { server.reset(); }
  void WriteFiles(const SelfSigned& made) {
    EXPECT_TRUE(certificate_file.Write(made.certificate_pem));
    EXPECT_TRUE(key_file.Write(made.key_pem));
  }
  void StartTls() {
    auto opened = TlsAcceptor::Open({.files = files, .wants_kernel = false}, metrics, ticket_clock);
    ASSERT_TRUE(opened) << opened.error().message();
    acceptor = *opened;
    options.tls = acceptor;
    options.tls_port = 0;
    StartServer();
  }
  TlsTestClient ConnectTls(const TlsClientSetup& setup = {}) { return TlsTestClient(server->tls_port(), setup); }
  uint64_t Count(std::string_view name) { return metrics.GetCounter(name, "").value(); }

  MemoryFile certificate_file{"cert.pem"};
  MemoryFile key_file{"key.pem"};
  MemoryFile client_ca_file{"ca.pem"};
  TlsFiles files{certificate_file.path(), key_file.path(), {}};
  ManualClock ticket_clock{SystemClock().NowMillis()};
  std::shared_ptr<TlsAcceptor> acceptor;
};

}  // namespace armature::net
