// Which keys a WHERE selects: the item of a write, or what a SELECT has to read.
//
// A read with an equality on the partition key (or IN, or OR between several) becomes a get or queries, one for each
// combination of key values; everything else is a scan. Nothing cleverer is tried, since AWS does not either and costs
// would differ. Pure; called by api/partiql. Results live in the arena but for the ranges.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "expr/bind/key_condition.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/table_def.h"
#include "model/value.h"
#include "partiql/ast.h"
#include "partiql/lower.h"
#include "storage/engine.h"
#include "table/keys/keyspace.h"

namespace armature::partiql {

// AWS takes no statement apart into more reads.
inline constexpr size_t kMaxReads = 50;

// One query of a plan.
struct KeyRead {
  storage::KeyRange range;
  const model::Value* hash = nullptr;           // the value of the partition key
  const expr::ConditionNode* filter = nullptr;  // what the range does not see to; null: nothing
};

struct ReadPlan {
  enum class Kind : uint8_t { kGet, kQueries, kScan };
  Kind kind = Kind::kScan;
  model::Item key{};                            // of kGet
  const expr::ConditionNode* filter = nullptr;  // of kGet and kScan; null: none
  std::vector<KeyRead> reads;                   // of kQueries, in the order to be read
  bool is_reverse = false;
  // The values that keys are compared with, for the checks keys undergo.
  std::span<const expr::KeyPredicate> hash_predicates{};
  std::span<const expr::KeyPredicate> range_predicates{};
  // A key attribute compared with a value of another type than it has; empty: none. Nothing can be read then.
  std::string_view mistyped_key{};
};

// What to read of `keyspace` for a WHERE (null: none). Gets are for tables only.
model::ApiResult<ReadPlan> PlanRead(const expr::ConditionNode* where, const table::Keyspace& keyspace, bool is_table,
                                    Arena& arena);
// Puts a plan in the order that ORDER BY asks for, if it can be.
model::ApiResult<void> OrderPlan(std::span<const OrderTerm> order_by, bool has_where, const model::KeySchema& schema,
                                 ReadPlan& plan);

// The key, if the WHERE says nothing but what each key attribute is, and with the right types; empty otherwise. Needs
// no lowered WHERE: this is how most statements of applications look.
model::Item KeyOfEqualities(const Statement& statement, Parameters parameters, const model::KeySchema& schema,
                            Arena& arena);

// The item that a write's WHERE names, and what is left of the WHERE as a condition (null: nothing).
struct WriteTarget {
  model::Item key{};
  const expr::ConditionNode* condition = nullptr;
};
enum class WriteForm : uint8_t {
  kWrite,   // a second value for a key attribute is an error
  kExists,  // a second one is a condition like any other
};
model::ApiResult<WriteTarget> FindWriteTarget(const expr::ConditionNode* where, const model::KeySchema& schema,
                                              WriteForm form, Arena& arena);

}  // namespace armature::partiql
