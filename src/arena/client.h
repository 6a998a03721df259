// Transport and Client: one client of a round, on whatever a server is behind.
//
// Transport is the seam: a keep-alive connection to a server process (http_transport.h), or a server's parts in this
// process under a scheduler (simulation.h). Client asks, waits, takes down what it was told and when. A call that got
// no answer is an operation of unknown outcome, over with the server's life it was sent to; if it has a token it is
// sent again to the next life, and is then one operation. Not thread-safe: one of each per client.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arena/answers.h"
#include "arena/board.h"
#include "arena/history/history.h"
#include "arena/requests.h"
#include "base/async.h"

namespace armature::arena {

class Transport {
 public:
  virtual ~Transport() = default;
  // `target` as in cli/bench's signer: an operation, with its service if it is not DynamoDB itself.
  virtual Task<Reply> Call(std::string_view target, std::string_view body) = 0;
  // After a call without an answer: until there is a server again. False if there will be none.
  virtual Task<bool> Reconnect() = 0;
  virtual Time Now() const = 0;
  // Which life of the server the last call went to.
  virtual uint32_t life() const = 0;
};

struct Told {
  Operation operation;
  uint32_t life = 0;
};

class Client {
 public:
  // Eventually consistent reads may be `staleness` old.
  Client(Board& board, Transport& transport, uint32_t process, uint64_t seed, Time staleness)
      : board_(board),
        transport_(transport),
        process_(process),
        staleness_(staleness),
        maker_(board, seed),
        answers_(board) {}

  // Until the round's calls are used up, or an answer cannot be right.
  Task<void> Run();

  std::vector<Told>& told() { return told_; }
  const std::string& problem() const { return problem_; }
  // The first answer of status 500, with its request; empty if there was none. Its outcome is unknown, as if lost.
  const std::string& internal_error() const { return internal_error_; }
  const std::map<std::string, uint64_t>& calls() const { return calls_; }

 private:
  Task<bool> Step();
  void TakeDown(Request& request, Time invoked, Time returned);

  Board& board_;
  Transport& transport_;
  const uint32_t process_;
  const Time staleness_;
  RequestMaker maker_;
  AnswerReader answers_;
  std::vector<Told> told_;
  std::map<std::string, uint64_t> calls_;
  std::string problem_;
  std::string internal_error_;
};

}  // namespace armature::arena
