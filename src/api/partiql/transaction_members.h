// The statements of an ExecuteTransaction, and what is checked of them before they run.
//
// Where a fault is reported is half of the matter: faults of a statement's text stand for the request and name the
// member, tables that are not there and keys that do not fit cancel the transaction in the name of their statements.
// Used by ExecuteTransaction.
#pragma once

#include <string>
#include <vector>

#include "api/partiql/bound_statement.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "partiql/key_plan.h"
#include "wire/requests.h"

namespace armature::api {

struct TransactionMember {
  const wire::ParameterizedStatement* request = nullptr;
  BoundStatement bound;
  partiql::WriteTarget target;  // of reads: the key only
};

// Everything up to execution.
model::ApiResult<std::vector<TransactionMember>> CheckMembers(const RequestContext& context,
                                                              const wire::ExecuteTransactionInput& request);

// The parameters that make two requests with one client token the same, as bytes.
std::string CanonicalStatements(const wire::ExecuteTransactionInput& request);

}  // namespace armature::api
