// Conversations with a DAX node, from bytes on a socket to answers on it.
//
// Input: a byte for how long the pieces are that the client sends; one of flags (below); one that chooses what DynamoDB
// says; then what the client sends, behind a handshake and a signature unless it says otherwise. However the bytes are
// cut, the node says the same; what it says is whole values; and when the client has said all, the connection ends.
#include <cerrno>
#include <coroutine>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <sys/socket.h>
#include <unistd.h>

#include "auth/accept_any.h"
#include "base/log.h"
#include "base/testing/fuzz_check.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/dax_session.h"
#include "dax/node/testing/dax_client.h"
#include "dax/node/testing/fake_backend.h"
#include "net/transport/transport.h"

namespace armature::dax {
namespace {

enum Flag : uint8_t {
  kRaw = 1,        // no handshake and no signature before it
  kSuspends = 2,   // DynamoDB takes its time
  kReadsLate = 4,  // the client reads when it has sent all it can
  kDrains = 8,     // at the end it is the node that wants to go
  kIsCoherent = 16,
};

struct Plan {
  size_t piece;
  uint8_t flags;
  uint8_t choice;
};

// Coroutines wait for the next turn of their reactor.
struct NextTurn {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { Executor::Current()->Post(caller); }
  void await_resume() const noexcept {}
};

constexpr std::string_view kItem =
    R"({"id":{"N":"7"},"Artist":{"S":"Acme"},"Song":{"S":"Hello"},"sensor":{"N":"5"},"t":{"N":"1.5"},)"
    R"("b":{"B":"AAE="},"x":{"S":"a"},"l":{"L":[{"NULL":true},{"SS":["a","b"]}]}})";

std::string ReplyTo(std::string_view operation) {
  const std::string item(kItem);
  if (operation == "GetItem") return R"({"Item":)" + item + "}";
  if (operation == "BatchGetItem")
    return R"({"Responses":{"Ids":[)" + item + R"(],"Music":[)" + item +
           R"(]},"UnprocessedKeys":{"Ids":{"Keys":[{"id":{"N":"8"}}]}}})";
  if (operation == "TransactGetItems") return R"({"Responses":[{"Item":)" + item + "},{}]}";
  if (operation == "Query" || operation == "Scan")
    return R"({"Items":[)" + item + R"(],"Count":1,"ScannedCount":1,"LastEvaluatedKey":)" + item + "}";
  if (operation == "BatchWriteItem") return R"({"UnprocessedItems":{"Ids":[{"PutRequest":{"Item":)" + item + "}}]}}";
  return R"({"Attributes":)" + item + R"(,"ConsumedCapacity":{"TableName":"Ids","CapacityUnits":1}})";
}

// Tables all have one schema of four, by their names' lengths.
std::string Describe(std::string_view json) {
  static const std::string descriptions[] = {TableJson("i", {"id:N"}), TableJson("s", {"sensor:N", "t:N"}),
                                             TableJson("m", {"Artist:S", "Song:S"}), TableJson("b", {"b:B", "t:N"})};
  constexpr size_t kWithoutName = std::string_view(R"({"TableName":""})").size();
  return descriptions[(json.size() - kWithoutName + 1) % std::size(descriptions)];
}

class OddBackend final : public Backend {
 public:
  explicit OddBackend(const Plan& plan) : plan_(plan) {}

  Task<BackendReply> Call(std::string_view operation, std::string_view json, const Scope&) override {
    BackendReply reply = Choose(operation, json);
    if ((plan_.flags & kSuspends) != 0) co_await NextTurn();
    co_return reply;
  }

 private:
  BackendReply Choose(std::string_view operation, std::string_view json) {
    const size_t choice = plan_.choice == 0 ? 0 : (plan_.choice * 7 + calls_++) % 13;
    switch (choice) {
      case 1: return ErrorNamed("ConditionalCheckFailedException");
      case 2: return ErrorNamed("InternalServerError", 500, true);
      case 3: return BackendReply("no JSON");
      case 4: return BackendReply("{}");
      case 5: throw std::bad_alloc();
      case 6: {
        BackendError cancelled = ErrorNamed("TransactionCanceledException");
        cancelled.json =
            R"({"CancellationReasons":[{"Code":"None"},{"Code":"Odd","Item":)" + std::string(kItem) + "}]}";
        return cancelled;
      }
      default: return operation == "DescribeTable" ? Describe(json) : ReplyTo(operation);
    }
  }

  const Plan plan_;
  size_t calls_ = 0;
};

// Sends its bytes and hears what is said, on the node's own reactor.
class Client {
 public:
  Client(net::Reactor& reactor, net::TransportContext& context, int fd, std::string_view bytes, const Plan& plan)
      : reactor_(reactor), context_(context), fd_(fd), bytes_(bytes), plan_(plan) {}
  ~Client() { close(fd_); }

  async_detail::Detached Talk() {
    while (!bytes_.empty() && !has_ended_) {
      const bool is_stuck = !SendPiece();
      if (is_stuck || (plan_.flags & kReadsLate) == 0) Hear();
      co_await NextTurn();
    }
    if ((plan_.flags & kDrains) != 0) {
      context_.is_draining = true;
      if (context_.transports != nullptr) context_.transports->Drain();
    }
    shutdown(fd_, SHUT_WR);
    for (int turns = 0; !has_ended_; ++turns) {
      Require(turns < 100'000, "the connection ends");
      Hear();
      co_await NextTurn();
    }
    // What goes on behind the answers comes to its end, too.
    for (int turns = 0; turns < 10; ++turns) co_await NextTurn();
    reactor_.Stop();
  }

  std::string heard;

 private:
  bool SendPiece() {
    const std::string_view piece = bytes_.substr(0, plan_.piece);
    const ssize_t sent = send(fd_, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) bytes_.remove_prefix(static_cast<size_t>(sent));
    else if (errno != EAGAIN) bytes_ = {};  // nobody listens any more
    return sent > 0;
  }
  void Hear() {
    char bytes[65536];
    for (;;) {
      const ssize_t count = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
      if (count > 0) heard.append(bytes, static_cast<size_t>(count));
      else if (count < 0 && errno == EAGAIN) return;
      else return void(has_ended_ = true);
    }
  }

  net::Reactor& reactor_;
  net::TransportContext& context_;
  const int fd_;
  std::string_view bytes_;
  const Plan plan_;
  bool has_ended_ = false;
};

// What a new node says to all of it.
std::string Converse(std::string_view bytes, const Plan& plan) {
  static const auth::AcceptAnyVerifier verifier("111122223333");
  const ManualClock clock;
  Metrics metrics;
  OddBackend backend(plan);
  AttributeLists lists(nullptr, {.most_lists = 200});
  TableSchemas schemas(backend, clock);
  ClusterSettings settings;
  settings.account = "111122223333";
  settings.cache_bytes = 1 << 20;
  settings.is_coherent = (plan.flags & kIsCoherent) != 0;
  DaxCluster cluster(settings, {.backend = backend,
                                .lists = lists,
                                .schemas = schemas,
                                .clock = clock,
                                .metrics = metrics,
                                .verifier = verifier});
  DaxNode node(cluster, NodePlan());
  DaxProtocol protocol(node);

  net::Reactor reactor(clock);
  Require(reactor.Open().ok(), "there is a reactor");
  net::MemoryLedger memory(size_t{64} << 20);
  Counter evicted, timed_out;
  const std::function<bool()> overloaded;
  net::TransportContext context{.reactor = reactor,
                                .memory = memory,
                                .limits = {},
                                .counters = {evicted, timed_out},
                                .overloaded = overloaded,
                                .on_gone = {}};
  int sockets[2];
  Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets) == 0, "there are sockets");
  auto* const transport = new net::Transport(context, sockets[0], {});
  transport->Open(protocol.MakeSession(*transport));
  Client client(reactor, context, sockets[1], bytes, plan);
  [](net::Reactor& on, Client& talks) -> async_detail::Detached {
    co_await on.Enter();
    talks.Talk();
  }(reactor, client);
  reactor.Run();
  Require(context.transports == nullptr, "and nothing is left of it");
  return client.heard;
}

void Check(std::string_view bytes, Plan plan) {
  const std::string in_pieces = Converse(bytes, plan);
  CborReader reader(in_pieces);
  while (reader.ok() && !reader.at_end()) reader.Skip();
  Require(reader.ok(), "the node says whole values");
  plan.piece = bytes.size() + 1;
  plan.flags &= static_cast<uint8_t>(~kReadsLate);
  // Who is sent away while he speaks may have been heard or not.
  if ((plan.flags & kDrains) == 0) Require(Converse(bytes, plan) == in_pieces, "pieces give what the whole gives");
}

}  // namespace
}  // namespace armature::dax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace dax = armature::dax;
  if (size < 3) return 0;
  static const bool is_quiet = (armature::SetLogLevel(armature::LogLevel::kOff), true);
  (void)is_quiet;
  const dax::Plan plan{1 + size_t{data[0]} % 64, data[1], data[2]};
  std::string bytes;
  if ((plan.flags & dax::kRaw) == 0) bytes = dax::Handshake() + dax::Authorize();
  bytes += armature::FuzzText(data + 3, size - 3);
  dax::Check(bytes, plan);
  return 0;
}
