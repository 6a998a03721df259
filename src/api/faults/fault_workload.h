// FaultWorkload: a fixed run of requests of every writing kind over two tables, against the model of what was told.
//
// Table Tbl has a global index and a stream, table Loc a local index; items are large enough that logs and table files
// change several times. Each request's reply is held against the Worlds; so is what a reader sees in between. At the
// end items, indexes and stream must agree with each other and with one of the worlds. One thread.
#pragma once

#include <string>
#include <string_view>

#include "api/faults/fault_house.h"
#include "api/faults/worlds.h"

namespace armature::api {

class FaultWorkload {
 public:
  // What to call a house with; tests of memory fail in the middle of it (an exception is kUnknown).
  using Caller = std::function<FaultReply(FaultHouse&, std::string_view operation, const std::string& json)>;

  explicit FaultWorkload(Caller call = nullptr);

  // Creates the tables. REQUIRES: nothing fails yet.
  bool Begin(FaultHouse& house);
  void SetCaller(Caller call) { call_ = std::move(call); }
  size_t step_count() const { return kRounds * kStepsPerRound; }
  void RunStep(FaultHouse& house, size_t step);
  // Runs all steps; after `most_unknown` replies that leave something open it stops, or else the worlds would be too
  // many. Returns false and says so in problem() when a promise was broken.
  bool Run(FaultHouse& house, size_t most_unknown = 5);
  // One more write; whether it was accepted.
  bool WriteOnce(FaultHouse& house);
  // The engine shows a commit at once.
  void AllowNothingPending() { worlds_.AllowNothingPending(); }
  // The house is another one, over what the old one has left.
  void Restarted() { worlds_.Restarted(); }
  // A sync has failed behind acknowledgements that had not waited for it.
  void LoseLatest() { worlds_.LoseLatest(); }
  // Items, indexes and stream, as a reader finds them now.
  bool Check(FaultHouse& house);

  const std::string& problem() const { return problem_; }
  size_t unknown() const { return unknown_; }

 private:
  FaultReply Call(FaultHouse& house, std::string_view operation, const std::string& json);
  // Makes the request, whose condition is on an item of that key if it has one, and tells the worlds.
  void Do(FaultHouse& house, std::string_view operation, const std::string& json, const std::string& condition_key,
          const Worlds::Step& step);
  void Put(FaultHouse& house, const std::string& key, int n, bool if_absent);
  void Add(FaultHouse& house, const std::string& key, int n);
  void Delete(FaultHouse& house, const std::string& key);
  void Transact(FaultHouse& house, const std::string& put, const std::string& add, int n);
  void PutBatch(FaultHouse& house, const std::string& prefix, int n);
  void Get(FaultHouse& house, const std::string& key);
  bool Fail(const std::string& problem);

  bool ReadAll(FaultHouse& house, std::string_view table, std::string_view index, World& found);
  bool CheckStream(FaultHouse& house, const World& items);

  static constexpr size_t kRounds = 6;
  static constexpr size_t kStepsPerRound = 11;

  Caller call_;
  Worlds worlds_;
  std::string problem_;
  std::string told_;  // every request so far and its reply, in short
  size_t unknown_ = 0;
};

}  // namespace armature::api
