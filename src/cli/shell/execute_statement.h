// ExecuteStatement: a page of what a PartiQL statement brings, as the shell shows it.
//
// Blocks for one request; a stop request ends it. Used by the session and by the catalogue of names.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/client/client.h"
#include "cli/shell/output/value.h"

namespace armature::cli::shell {

struct Page {
  std::vector<Row> rows;
  std::vector<std::string> typed_rows;  // the same as DynamoDB's JSON
  std::string next_token;
  double capacity_units = 0;
  bool has_capacity = false;
};

struct StatementRequest {
  std::string_view statement;
  std::string_view next_token;
  size_t limit = 0;  // 0: as much as the server gives in one page
  bool is_consistent = false;
};

Result<Page, CallError> ExecuteStatement(Client& client, const StatementRequest& request,
                                         const std::stop_token& stop = {});

}  // namespace armature::cli::shell
