// Round: the tables, the history and the verdict of one set of clients, whatever they run on.
//
// Prepare makes the tables, Judge reads what is there when all clients are done (items, indexes, streams) and puts the
// checkers to work. Between the two the clients run, which is the caller's. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arena/board.h"
#include "arena/client.h"
#include "arena/history/history.h"
#include "arena/stream_reader.h"
#include "base/result.h"

namespace armature::arena {

class Round {
 public:
  explicit Round(const RoundOptions& options);

  Board& board() { return board_; }
  // Follows the stream of a table while clients run; judged with the rest.
  StreamReader& live_reader(uint32_t table) { return *live_[table]; }

  Task<Status> Prepare(Transport& transport);
  // `deaths[life]` is when that life of the server was surely over; kNever for one that was not.
  Task<Findings> Judge(Transport& transport, std::vector<Told> told, const std::vector<Time>& deaths);
  Task<void> Remove(Transport& transport);

  const History& history() const { return history_; }

 private:
  Task<bool> ReadEnd(Transport& transport, Findings& findings);
  Findings CompareStreams(const StreamReader& live, const StreamReader& fresh) const;

  Board board_;
  History history_;
  std::vector<std::unique_ptr<StreamReader>> live_;
  Items items_;
  std::string end_problem_;  // why the end could not be read
};

}  // namespace armature::arena
