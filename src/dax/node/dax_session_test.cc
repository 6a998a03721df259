// The conversation with a client: what is a message, what is answered, and when the connection ends.
#include "dax/node/dax_session.h"

#include <future>
#include <new>
#include <thread>

#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

constexpr std::string_view kSignInFirst = "4,23,31,33 MissingAuthenticationTokenException";
constexpr std::string_view kRefused = "4,37,38,39,46 ValidationException";

// Believes signatures of zeros only, and calls them by their key.
class PickyVerifier final : public auth::Verifier {
 public:
  auth::AuthResult<auth::Verified> Verify(const net::HttpRequest& request, const auth::Expected& expected,
                                          Arena& arena) const override {
    auto verified = accepting_.Verify(request, expected, arena);
    if (verified && verified->principal.access_key_id.starts_with("BAD"))
      return auth::AuthFault{auth::AuthFaultKind::kInvalidSignature, "The signature is wrong."};
    if (verified && verified->principal.access_key_id.starts_with("OLD"))
      return auth::AuthFault{auth::AuthFaultKind::kExpiredToken, "The token has expired."};
    return verified;
  }

 private:
  const auth::AcceptAnyVerifier accepting_{kTestAccount, auth::KeyAccounts::kOneEach};
};

std::string AuthorizeAs(std::string_view key_id) { return AuthorizeWith(key_id, kSignature, kStringToSign); }

class DaxSessionTest : public NodeTest {
 protected:
  DaxSessionTest() { backend.Answer("GetItem", ItemReply(7, "a")); }
};

TEST_F(DaxSessionTest, AHandshakeIsNotAnsweredAndNorIsASignature) {
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake());
  client.Send(Authorize());
  client.Send(GetItem(7));
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(client.socket().ReadNow(), "");
}

TEST_F(DaxSessionTest, AllInOnePiece) {
  Start();
  DaxClient client(PortOf());
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 2), "4,") << "no handshake";
  DaxClient other(PortOf());
  other.Send(Handshake() + Authorize() + GetItem(7) + GetItem(7) + Message(Method::kEndpoints));
  EXPECT_EQ(other.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(other.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(other.ReadAnswer(Message(Method::kEndpoints)).substr(0, 4), "8081");
}

TEST_F(DaxSessionTest, PiecesOfOneByte) {
  Start();
  DaxClient client(PortOf());
  for (const char byte : Handshake() + Authorize() + GetItem(7)) {
    client.Send(std::string(1, byte));
    std::this_thread::yield();
  }
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), ItemAnswer("a"));
}

TEST_F(DaxSessionTest, WhoeverIsNoDaxClientIsToldOnceAndClosed) {
  Start();
  net::TestSocket http(PortOf());
  http.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(ErrorIn(http.ReadToEnd()), kRefused);
}

TEST_F(DaxSessionTest, AnUnknownMethodIsOneErrorAndTheEnd) {
  Start();
  DaxClient client = Connect();
  client.Send(Bytes("01 3a 12af5edd f6 f6") + GetItem(7) + GetItem(7));  // CreateTable
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), kRefused);
  EXPECT_TRUE(client.socket().IsClosedByServer());
}

TEST_F(DaxSessionTest, AServiceThatNobodyKnowsLikewise) {
  Start();
  DaxClient client = Connect();
  client.Send(Bytes("02 1a1b2bcf02"));
  EXPECT_EQ(client.ReadAnswer(Message(Method::kEndpoints)), kRefused);
  EXPECT_TRUE(client.socket().IsClosedByServer());
}

TEST_F(DaxSessionTest, WrongArgumentsAreAnErrorAndTheConnectionGoesOn) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(Message(Method::kGetItem, Bytes("05 06 07"))), kRefused);
  EXPECT_EQ(client.Call(Message(Method::kGetItem, Bytes("43 496473 41 07 bf 18 63 01 ff"))), kRefused);
  EXPECT_EQ(client.Call(Message(Method::kTransactGetItems, Bytes("80 81 41 07 80 f6"))), kRefused);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
}

TEST_F(DaxSessionTest, ARequestBeforeASignatureAsksForOne) {
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake());
  EXPECT_EQ(client.Call(GetItem(7)), kSignInFirst);
  EXPECT_EQ(client.Call(Message(Method::kEndpoints)), kSignInFirst);
  client.Send(Authorize());
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(backend.calls("GetItem"), 1u);
}

TEST_F(DaxSessionTest, AWrongSignatureIsTheAnswerOfTheRequestBehindIt) {
  const PickyVerifier picky;
  verifier = &picky;
  settings.serves_every_scope = true;
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake() + AuthorizeAs("BADKEY"));
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 10), "4,23,31,32");
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 10), "4,23,31,32");
  client.Send(AuthorizeAs("OLDKEY"));
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 10), "4,23,31,33") << "it may be made anew";
  client.Send(AuthorizeAs("GOODKEY"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a", 3));
  client.Send(AuthorizeAs("BADKEY"));
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 10), "4,23,31,32") << "what was believed is forgotten";
  EXPECT_EQ(client.socket().ReadNow(), "") << "nothing is said to a signature itself";
  verifier = &accepting;
}

TEST_F(DaxSessionTest, ThePrincipalsRateCountsRequestsAndNotSignatures) {
  const auth::PrincipalLimits three({.requests = Rate{1, 3}, .max_connections = 0}, accepting, clock, 7, metrics);
  limits = &three;
  Start();
  DaxClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    client.Send(Authorize());
    EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a")) << i;
  }
  EXPECT_EQ(client.Call(GetItem(7)), "4,37,38,39,50 ThrottlingException") << "be it cached or not";
  EXPECT_EQ(Connect().Call(Message(Method::kEndpoints)), "4,37,38,39,50 ThrottlingException") << "by any connection";
  clock.AdvanceMillis(1'000);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(backend.calls("GetItem"), 1u);
  cluster.reset();
}

TEST_F(DaxSessionTest, AnotherKeyOnTheSameConnectionIsAnotherCaller) {
  const PickyVerifier picky;
  verifier = &picky;
  settings.serves_every_scope = true;
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake() + AuthorizeAs("000000000001"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a", 3));
  EXPECT_EQ(backend.last_scope(), "000000000001/us-east-1");
  client.Send(AuthorizeAs("000000000002"));
  backend.Answer("GetItem", ItemReply(7, "b"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("b", 4)) << "and another's cached items are not his";
  EXPECT_EQ(backend.last_scope(), "000000000002/us-east-1");
  verifier = &accepting;
}

// Numbers are given in turn, so that anybody could count through them.
TEST_F(DaxSessionTest, NamesAreToldToTheirOwnAccountOnly) {
  const PickyVerifier picky;
  verifier = &picky;
  settings.serves_every_scope = true;
  Start();
  DaxClient client(PortOf());
  client.Send(Handshake() + AuthorizeAs("000000000001"));
  EXPECT_EQ(client.Call(DefineList({"secret"})), "8003");
  client.Send(AuthorizeAs("000000000002"));
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("02"))), kRefused);
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("03"))), kRefused);
  EXPECT_EQ(client.Call(PutItem(7, Blob("a", 3))), kRefused) << "nor are they written into an item of his";
  EXPECT_EQ(backend.calls("PutItem"), 0u);
  EXPECT_EQ(client.Call(DefineList({"secret"})), "8004");
  client.Send(AuthorizeAs("000000000001"));
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("03"))), "808166736563726574");
  verifier = &accepting;
}

TEST_F(DaxSessionTest, AClusterIsForItsOwnAccount) {
  settings.account = "999999999999";
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)), "4,23,31,32 UnrecognizedClientException");
}

TEST_F(DaxSessionTest, RequestsAreAnsweredInTheirOrder) {
  Start();
  backend.Hold("GetItem");
  DaxClient client = Connect();
  client.Send(GetItem(7) + Message(Method::kEndpoints) + DefineList({"x"}));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  EXPECT_EQ(client.socket().ReadNow(), "");
  backend.LetGo("GetItem");
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(client.ReadAnswer(Message(Method::kEndpoints)).substr(0, 4), "8081");
  EXPECT_EQ(client.ReadAnswer(DefineList({"x"})), "8002");
}

TEST_F(DaxSessionTest, HugeAnswersWaitForTheirReader) {
  Start();
  const std::string huge(3 << 20, 'h');
  backend.Answer("GetItem", ItemReply(7, huge));
  DaxClient lazy(PortOf(), 4096);
  lazy.SignIn();
  constexpr int kAnswers = 5;
  for (int i = 0; i < kAnswers; ++i) lazy.Send(GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  DaxClient other = Connect();
  EXPECT_EQ(other.Call(Message(Method::kEndpoints)).substr(0, 4), "8081") << "others are served meanwhile";
  for (int i = 0; i < kAnswers; ++i) EXPECT_EQ(lazy.ReadAnswer(GetItem(7)), ItemAnswer(huge)) << i;
}

TEST_F(DaxSessionTest, AMessageThatIsTooLongIsRefusedAtItsHead) {
  Start();
  DaxClient client = Connect();
  client.Send(Message(Method::kPutItem, Bytes("43 496473 41 07 5a 02000000")));
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), kRefused);
  EXPECT_TRUE(client.socket().IsClosedByServer());
}

TEST_F(DaxSessionTest, AMessageThatIsNestedTooDeepIsRefused) {
  Start();
  DaxClient client = Connect();
  client.Send(Message(Method::kGetItem, std::string(200, '\x81')));
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), kRefused);
  EXPECT_TRUE(client.socket().IsClosedByServer());
}

TEST_F(DaxSessionTest, ALargeMessageInPieces) {
  Start();
  backend.Answer("PutItem", "{}");
  DaxClient client = Connect();
  const std::string put = PutItem(7, Blob(std::string(5 << 20, 'p')));
  for (size_t at = 0; at < put.size(); at += 100'000) client.Send(put.substr(at, 100'000));
  EXPECT_EQ(client.ReadAnswer(put), kWritten);
  EXPECT_EQ(backend.asked("PutItem")[0].size(),
            (5 << 20) + std::string(R"({"TableName":"Ids","Item":{"id":{"N":"7"},"x":{"S":""}}})").size());
}

TEST_F(DaxSessionTest, WhoClosesInTheMiddleCostsNothing) {
  Start();
  for (size_t length : {3u, 20u, 60u}) {
    DaxClient client(PortOf());
    client.Send((Handshake() + Authorize() + GetItem(7)).substr(0, length));
    client.socket().FinishWriting();
    EXPECT_TRUE(client.socket().IsClosedByServer());
  }
  backend.Hold("GetItem");
  {
    DaxClient client = Connect();
    client.Send(GetItem(7));
    ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
    client.socket().Reset();
  }
  DaxClient last = Connect();
  last.Send(GetItem(7));
  backend.LetGo("GetItem");
  EXPECT_EQ(last.ReadAnswer(GetItem(7)), ItemAnswer("a"));
}

TEST_F(DaxSessionTest, WhoSaysThatHeWillSendNoMoreIsStillAnswered) {
  Start();
  DaxClient client = Connect();
  client.Send(GetItem(7) + GetItem(8));
  client.socket().FinishWriting();
  EXPECT_EQ(client.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(client.ReadAnswer(GetItem(8)), ItemAnswer("a"));
  EXPECT_TRUE(client.socket().IsClosedByServer());
}

TEST_F(DaxSessionTest, StoppingAnswersWhatIsUnderWay) {
  Start();
  DaxClient idle = Connect();
  EXPECT_EQ(idle.Call(DefineList({"x"})), "8002");
  backend.Hold("GetItem");
  DaxClient busy = Connect();
  busy.Send(GetItem(7) + GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  auto stopping = std::async(std::launch::async, [&] { cluster->StopAll(std::chrono::seconds(10)); });
  EXPECT_TRUE(idle.socket().IsClosedByServer());
  EXPECT_FALSE(DaxClient(PortOf()).socket().connected()) << "and nobody else comes in";
  backend.LetGo("GetItem");
  EXPECT_EQ(busy.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_TRUE(busy.socket().IsClosedByServer());
  stopping.get();
}

TEST_F(DaxSessionTest, WhatThrowsIsAFaultOfOurOwn) {
  Start();
  backend.SetScript("GetItem", [](std::string_view) -> BackendReply { throw std::bad_alloc(); });
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 13), "4,37,38,39,47");
  backend.SetScript("GetItem", [](std::string_view) -> BackendReply { throw 5; });
  EXPECT_EQ(client.Call(GetItem(7)).substr(0, 13), "4,37,38,39,47");
  backend.Answer("GetItem", ItemReply(7, "a"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
}

TEST_F(DaxSessionTest, TooManyConnectionsAreToldSo) {
  MakeCluster();
  NodePlan plan = PlanOf("a");
  plan.max_connections = 1;
  ASSERT_TRUE(cluster->AddNode(plan).ok());
  DaxClient first = Connect();
  EXPECT_EQ(first.Call(GetItem(7)), ItemAnswer("a"));
  DaxClient second(PortOf());
  EXPECT_EQ(ErrorIn(second.socket().ReadToEnd()), "4,37,38,39,50 ThrottlingException");
}

TEST_F(DaxSessionTest, WhatNodesKnowByThemselves) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(DefineKeySchema("Music")),
            "80a26641727469737461536"
            "4536f6e676153");
  EXPECT_EQ(client.Call(DefineKeySchema("None")), "4,23,24 ResourceNotFoundException");
  EXPECT_EQ(client.Call(DefineList({"Price", "Year"})), "8003");
  EXPECT_EQ(client.Call(DefineList({})), "8001");
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("03"))), "80826550726963656459656172");
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("01"))), "8080");
  EXPECT_EQ(client.Call(Message(Method::kDefineAttributeList, Bytes("04"))), kRefused);
  EXPECT_EQ(client.Call(DefineList({"a", "a"})), kRefused);
}

}  // namespace
}  // namespace armature::dax
