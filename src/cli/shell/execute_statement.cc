#include "cli/shell/execute_statement.h"

#include <utility>

#include <simdjson.h>

#include "base/text/json_writer.h"

namespace armature::cli::shell {

Result<Page, CallError> ExecuteStatement(Client& client, const StatementRequest& request, const std::stop_token& stop) {
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  json.Member("Statement", request.statement);
  json.Member("ReturnConsumedCapacity", "TOTAL");
  if (request.is_consistent) json.MemberBool("ConsistentRead", true);
  if (request.limit > 0) json.MemberInt("Limit", static_cast<int64_t>(request.limit));
  if (!request.next_token.empty()) json.Member("NextToken", request.next_token);
  json.EndObject();
  ARMATURE_TRY(const Reply reply, client.Call("ExecuteStatement", body, stop));

  Page page;
  std::string_view next_token;
  if (reply.root["NextToken"].get(next_token) == simdjson::SUCCESS) page.next_token = next_token;
  page.has_capacity = reply.root["ConsumedCapacity"]["CapacityUnits"].get(page.capacity_units) == simdjson::SUCCESS;
  simdjson::dom::array items;
  if (reply.root["Items"].get(items) != simdjson::SUCCESS) return page;
  for (const auto item : items) {
    auto row = ReadRow(item);
    if (!row) return CallError{{}, row.error().message(), {}};
    page.rows.push_back(std::move(*row));
    page.typed_rows.push_back(simdjson::minify(item));
  }
  return page;
}

}  // namespace armature::cli::shell
