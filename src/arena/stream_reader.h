// StreamReader: follows the stream of one table from its oldest record, shard after shard, parents first, through
// restarts of the server.
//
// What Poll has returned is never asked for again. Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "arena/answers.h"
#include "arena/client.h"
#include "arena/followers.h"

namespace armature::arena {

class StreamReader {
 public:
  StreamReader(const Board& board, uint32_t table) : board_(board), table_(table), answers_(board) {}

  // Reads one page of each shard that may be read now. False: no answer came; again after a reconnect.
  Task<bool> Poll(Transport& transport);
  // Until a whole round brings nothing.
  Task<bool> Drain(Transport& transport);

  const std::vector<StreamRecord>& records() const { return records_; }
  const std::string& problem() const { return problem_; }

 private:
  struct Shard {
    std::string name, parent, iterator, last;  // `last`: the sequence number to go on behind
    bool is_done = false;
  };

  Task<bool> FindStream(Transport& transport);
  Task<bool> FindShards(Transport& transport);
  Task<bool> ReadShard(Transport& transport, Shard& shard);
  Task<bool> Begin(Transport& transport, Shard& shard);
  // Whether the answer can be worked with; a wrong one is the problem.
  bool Accept(const Reply& reply, std::string_view what);

  const Board& board_;
  const uint32_t table_;
  AnswerReader answers_;
  simdjson::dom::parser parser_;
  std::string arn_;
  std::vector<Shard> shards_;
  std::vector<StreamRecord> records_;
  std::string problem_;
  bool has_progress_ = false;
};

}  // namespace armature::arena
