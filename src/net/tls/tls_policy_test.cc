// What is spoken and what is refused; certificates that change under load; clients that come back, and clients that
// show who they are.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "net/tls/ticket_keys.h"
#include "net/tls/tls_testing.h"

namespace armature::net {
namespace {

class TlsPolicyTest : public TlsServerTest {
 protected:
  // A session that another connection may go on with.
  SessionPtr MakeSession(const TlsClientSetup& setup = {}) {
    auto client = ConnectTls(setup);
    EXPECT_TRUE(client.Handshake());
    EXPECT_EQ(client.Call(kGet).status, 200);  // in TLS 1.3 the ticket comes behind the handshake
    return client.Session();
  }
  bool Resumes(SSL_SESSION* session, TlsClientSetup setup = {}) {
    setup.session = session;
    auto client = ConnectTls(setup);
    EXPECT_TRUE(client.Handshake());
    EXPECT_EQ(client.Call(kGet).status, 200);
    client.SayGoodbye();
    return client.IsResumed();
  }
};

TEST_F(TlsPolicyTest, NothingOlderThanTls12IsSpoken) {
  StartTls();
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    auto client = ConnectTls({.min_version = version, .max_version = version, .ciphers = "ALL:@SECLEVEL=0"});
    EXPECT_FALSE(client.Handshake()) << version;
    EXPECT_EQ(client.reason(), SSL_R_TLSV1_ALERT_PROTOCOL_VERSION) << "the client was told why";
  }
  auto client = ConnectTls({.max_version = TLS1_2_VERSION});
  EXPECT_TRUE(client.Handshake());
  EXPECT_STREQ(SSL_get_version(client.ssl()), "TLSv1.2");
}

TEST_F(TlsPolicyTest, WeakCiphersAreRefused) {
  StartTls();
  for (const char* cipher :
       {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA256", "AES128-GCM-SHA256",
        "ECDHE-ECDSA-NULL-SHA", "AECDH-AES128-SHA", "ECDHE-ECDSA-AES128-CCM8"}) {
    auto client = ConnectTls({.max_version = TLS1_2_VERSION, .ciphers = std::string(cipher) + ":@SECLEVEL=0"});
    EXPECT_FALSE(client.Handshake()) << cipher;
  }
  for (const char* cipher :
       {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"}) {
    auto client = ConnectTls({.max_version = TLS1_2_VERSION, .ciphers = cipher});
    EXPECT_TRUE(client.Handshake()) << cipher;
    EXPECT_EQ(client.Call(kGet).status, 200);
  }
}

TEST_F(TlsPolicyTest, AProtocolThatIsNotSpokenIsRefusedAtOnce) {
  StartTls();
  auto client = ConnectTls({.protocols = "\x02h2"});
  EXPECT_FALSE(client.Handshake());
  EXPECT_EQ(client.reason(), SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL);
}

TEST_F(TlsPolicyTest, NobodyMayRenegotiate) {
  StartTls();
  auto client = ConnectTls({.max_version = TLS1_2_VERSION});
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(kGet).status, 200);
  ASSERT_EQ(SSL_renegotiate(client.ssl()), 1);
  EXPECT_FALSE(client.Handshake());
  EXPECT_EQ(Count("armature_tls_handshakes_total"), 1u);
}

TEST_F(TlsPolicyTest, AClientComesBackByItsTicketToWhicheverReactor) {
  options.threads = 3;
  StartTls();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const TlsClientSetup setup{.max_version = version};
    const auto session = MakeSession(setup);
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(Resumes(session.get(), setup)) << version;
  }
  EXPECT_EQ(Count("armature_tls_handshakes_total"), 14u);
  EXPECT_EQ(Count("armature_tls_handshakes_resumed_total"), 12u);
}

TEST_F(TlsPolicyTest, AKeyOfTicketsOpensForTwiceAsLongAsItSeals) {
  StartTls();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const TlsClientSetup setup{.max_version = version};
    const auto session = MakeSession(setup);
    ticket_clock.AdvanceMillis(TicketKeys::kSealingMillis - 1'000);
    EXPECT_TRUE(Resumes(session.get(), setup)) << "the key still seals";
    ticket_clock.AdvanceMillis(2'000);
    EXPECT_TRUE(Resumes(session.get(), setup)) << "another seals, this one opens";
    ticket_clock.AdvanceMillis(TicketKeys::kSealingMillis);
    EXPECT_FALSE(Resumes(session.get(), setup)) << "it is gone";
    const auto old = MakeSession(setup);
    ticket_clock.AdvanceMillis(10 * TicketKeys::kSealingMillis);
    EXPECT_FALSE(Resumes(old.get(), setup)) << "though nobody came meanwhile";
  }
}

TEST_F(TlsPolicyTest, ANewCertificateIsForNewConnectionsAndTicketsOutlastIt) {
  StartTls();
  auto old = ConnectTls();
  ASSERT_TRUE(old.Handshake());
  const auto session = MakeSession();
  const SelfSigned fresh = MakeTestCertificate("fresh.example");
  WriteFiles(fresh);
  ASSERT_TRUE(acceptor->Reload().ok());
  EXPECT_EQ(old.Call(kGet).status, 200);
  EXPECT_NE(old.PeerPem(), fresh.certificate_pem);
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.PeerPem(), fresh.certificate_pem);
  EXPECT_TRUE(Resumes(session.get()));
}

TEST_F(TlsPolicyTest, ABrokenCertificateLeavesTheOldOneInPlace) {
  const SelfSigned first = MakeTestCertificate();
  WriteFiles(first);
  StartTls();
  EXPECT_TRUE(certificate_file.Write("-----BEGIN CERTIFICATE-----\nMIIB\n"));
  const Status broken = acceptor->Reload();
  EXPECT_EQ(broken.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(certificate_file.Write(MakeTestCertificate("other.example").certificate_pem));
  EXPECT_FALSE(acceptor->Reload().ok()) << "the key is not its own";
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.PeerPem(), first.certificate_pem);
}

TEST_F(TlsPolicyTest, CertificatesMayChangeUnderLoadWithoutALostRequest) {
  StartTls();
  std::atomic<bool> is_over{false};
  std::atomic<int> answered{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!is_over) {
        auto client = ConnectTls();
        bool is_good = client.Handshake();
        for (int k = 0; k < 5 && is_good; ++k) is_good = client.Call(Post("x")).body == "POST / x";
        ++(is_good ? answered : lost);
      }
    });
  for (int i = 0; i < 20; ++i) {
    WriteFiles(MakeTestCertificate());
    EXPECT_TRUE(acceptor->Reload().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  is_over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GT(answered, 0);
}

TEST_F(TlsPolicyTest, WhereClientsHaveToShowWhoTheyAreNobodyElseGetsIn) {
  const SelfSigned known = MakeTestCertificate("known.example");
  const SelfSigned stranger = MakeTestCertificate("stranger.example");
  EXPECT_TRUE(client_ca_file.Write(known.certificate_pem));
  files.client_ca = client_ca_file.path();
  StartTls();
  auto nameless = ConnectTls();
  EXPECT_TRUE(!nameless.Handshake() || nameless.Call(kGet).status == 0);
  auto other = ConnectTls({.certificate = stranger});
  EXPECT_TRUE(!other.Handshake() || other.Call(kGet).status == 0);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const TlsClientSetup setup{.max_version = version, .certificate = known};
    const auto session = MakeSession(setup);
    EXPECT_TRUE(Resumes(session.get(), setup));
    ASSERT_TRUE(acceptor->Reload().ok());
    EXPECT_FALSE(Resumes(session.get(), setup)) << "the files may say otherwise now";
  }
}

TEST_F(TlsPolicyTest, ATicketOfOneWhoMayNoLongerComeIsWorthNothing) {
  const SelfSigned known = MakeTestCertificate("known.example");
  EXPECT_TRUE(client_ca_file.Write(known.certificate_pem));
  files.client_ca = client_ca_file.path();
  StartTls();
  const auto session = MakeSession({.certificate = known});
  EXPECT_TRUE(client_ca_file.Write(MakeTestCertificate("next.example").certificate_pem));
  ASSERT_TRUE(acceptor->Reload().ok());
  auto client = ConnectTls({.certificate = known, .session = session.get()});
  EXPECT_TRUE(!client.Handshake() || client.Call(kGet).status == 0);
}

}  // namespace
}  // namespace armature::net
