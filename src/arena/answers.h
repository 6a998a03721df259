// AnswerReader: what an answer tells, written into the operations of its request.
//
// Owns a JSON parser; not thread-safe, one per client. An answer that the arena does not expect (a validation error, an
// unknown shape) is a finding, not something to pass over.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "arena/board.h"
#include "arena/followers.h"
#include "arena/requests.h"

namespace armature::arena {

struct Reply {
  int status = 0;  // 0: none came
  std::string body;
};

class AnswerReader {
 public:
  explicit AnswerReader(const Board& board) : board_(board) {}

  // Fills outcomes and sightings. False for an answer that cannot be right; problem() says why.
  bool Read(Request& request, const Reply& reply);
  const std::string& problem() const { return problem_; }

  // The rows of a whole Query or Scan answer. Empty: not one page, or not understood.
  std::optional<std::vector<std::pair<uint32_t, ItemState>>> ReadRows(uint32_t table, const Reply& reply);
  // One page of records of a table's stream; `next` is empty when the shard is at its end.
  std::optional<std::vector<StreamRecord>> ReadRecords(uint32_t table, const Reply& reply, std::string& next);

 private:
  using Object = simdjson::dom::object;

  bool ReadOk(Request& request, const Object& root);
  bool ReadError(Request& request, const Reply& reply, const Object& root);
  bool ReadReasons(Operation& operation, const Object& root);
  bool ReadRowsInto(Request& request, const Object& root);
  bool SetSighting(const Object& holder, const char* member, Sighting& sighting);
  bool ReadState(const Object& item, ItemState& state);
  std::optional<uint32_t> ReadKey(uint32_t table, const Object& item);
  bool Wrong(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  const Board& board_;
  simdjson::dom::parser parser_;
  std::string problem_;
};

}  // namespace armature::arena
