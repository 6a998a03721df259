// AllocationCases: requests of every operation, for the tests that make their allocations fail.
//
// The tables they speak of are made by Prepare: Full has both kinds of indexes, a stream, Time to Live and items; Plain
// has tags, a Kinesis destination and an item. Each case is the first request after that. Pure data.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "api/faults/fault_house.h"

namespace armature::api {

struct AllocationCase {
  std::string_view name;
  std::string_view operation;
  std::string_view json;  // $STREAM, $SHARD, $ITERATOR and $PARTITION stand for those of table Full

  friend std::ostream& operator<<(std::ostream& out, const AllocationCase& test) { return out << test.name; }
};

std::span<const AllocationCase> AllocationCases();

// Makes the tables and their items. REQUIRES: nothing fails. What did, if something does.
std::string PrepareTables(FaultHouse& house);

// The JSON with its placeholders filled in.
std::string FillIn(FaultHouse& house, std::string_view json);

}  // namespace armature::api
