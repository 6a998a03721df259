// RequestMaker: the next thing a client asks for, by chance from a seed: every API that reads or writes items.
//
// A Request is the JSON to send and the operations it stands for, still without what the answer will tell. Not
// thread-safe: one per client. Knows DynamoDB's JSON and nothing of sockets, servers or time.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arena/board.h"
#include "arena/history/history.h"

namespace armature::arena {

// How to read an answer.
enum class Shape : uint8_t { kItem, kWrite, kBatchWrite, kBatchGet, kTransactWrite, kTransactGet, kRows, kStatement };

struct Request {
  const char* target = "";
  std::string body;
  Shape shape = Shape::kItem;
  // In the order of the request; rows of Query and Scan are added by the answer.
  std::vector<Operation> operations;
  bool returns_old = false;     // the answer has the image before, or none if there was none,
  bool returns_new = false;     // or the image after
  bool is_eventual = false;     // may be as old as the server is allowed to be
  bool may_repeat = false;      // has a token: sending it again does nothing twice
  uint32_t table = 0;           // of Query and Scan
  int64_t group = 0;            // the index key a Query asks for; 0: it asks for items
  std::vector<uint32_t> asked;  // keys that are in the answer, or else not there (or not in the group)
};

class RequestMaker {
 public:
  RequestMaker(Board& board, uint64_t seed) : board_(board), random_(seed) {}
  Request Next();

 private:
  uint64_t Pick(uint64_t count) { return random_() % count; }
  bool Chance(uint64_t percent) { return Pick(100) < percent; }
  uint32_t PickKey();
  std::vector<uint32_t> PickKeys(size_t at_least, size_t at_most);

  Access RandomWrite(uint32_t key, bool may_have_condition);
  Condition RandomCondition(uint32_t key, bool is_needed);
  // The members of Put, Update, Delete or ConditionCheck.
  std::string Members(const Access& access) const;
  std::string ItemJson(const Access& access) const;
  std::string KeyJson(uint32_t key) const;

  Request Get();
  Request Write();
  Request BatchWrite();
  Request BatchGet();
  Request TransactWrite();
  Request TransactGet();
  Request Query();
  Request IndexQuery();
  Request Scan();
  Request Statement();
  Request StatementTransaction();

  Board& board_;
  std::mt19937_64 random_;
};

}  // namespace armature::arena
