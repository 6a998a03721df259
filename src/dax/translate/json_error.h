// JSON errors: DynamoDB's error as the bytes a DAX client gets (6.2 and 6.3 of the protocol).
//
// A cancelled transaction tells of each of its members why, with the item that was there; such items travel as blobs,
// for which attribute lists are made. Pure but for those. Used by node/.
#pragma once

#include <span>
#include <string>

#include "base/memory/arena.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/backend/backend.h"
#include "dax/table_schema.h"
#include "model/api_error.h"

namespace armature::dax {

// `schemas`: of TablesOf(request); of a transaction they are its members'. The answer may be sent when the lists
// are settled.
void AppendErrorReply(std::string& out, const BackendError& error, std::span<const TableSchemaPtr> schemas,
                      const AccountLists& lists, Arena& arena);

// What a request is answered that never reached DynamoDB.
void AppendErrorReply(std::string& out, const model::ApiError& error);

}  // namespace armature::dax
