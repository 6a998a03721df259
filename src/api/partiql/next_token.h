// NextToken: how far a SELECT has come, as text a client hands back.
//
// Bound to the statement and its parameters by a hash, so that it does not go on with something else; Limit and
// ConsistentRead may change from page to page. It names a key, which is checked before it is used: whoever makes one up
// reads nothing that the statement could not have read. Pure; used inside api/partiql.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/partiql/bound_statement.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"
#include "table/keys/keyspace.h"
#include "table/txn/token_store.h"

namespace armature::api {

struct NextToken {
  uint64_t read = 0;  // which of the plan's reads goes on
  model::Item key{};  // of the last row read by it; empty: it has not begun
};

// What tells statements with their parameters apart.
table::ParameterHash HashStatement(std::string_view text, const StatementParameters& parameters);

std::string EncodeNextToken(const NextToken& token, table::ParameterHash statement);
// `read_count` is how many reads the plan has, `keyspace` what they read.
model::ApiResult<NextToken> DecodeNextToken(std::string_view text, table::ParameterHash statement, size_t read_count,
                                            const table::Keyspace& keyspace, Arena& arena);

}  // namespace armature::api
