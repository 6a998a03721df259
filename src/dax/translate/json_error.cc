#include "dax/translate/json_error.h"

#include <vector>

#include <simdjson.h>

#include "dax/codec/error_codes.h"
#include "dax/codec/item_blob.h"
#include "dax/translate/item_json.h"
#include "wire/json/json_document.h"

namespace armature::dax {

namespace dom = simdjson::dom;

namespace {

constexpr std::string_view kNoReason = "None";

std::optional<std::string_view> TextIn(dom::object json, std::string_view name) {
  std::string_view text;
  if (json.at_key(name).get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

// Nothing if there is no item, or none that can be told: the error is worth more than what it was about.
std::optional<std::string_view> BlobIn(dom::object reason, const TableSchema& schema, const AccountLists& lists,
                                       Arena& arena) {
  dom::element json;
  if (reason.at_key("Item").get(json) != simdjson::SUCCESS || json.is_null()) return std::nullopt;
  const auto item = ItemOfJson(json, arena);
  std::string blob;
  if (!item || !AppendItemBlob(blob, *item, schema, lists).ok()) return std::nullopt;
  return arena.Copy(blob);
}

}  // namespace

void AppendErrorReply(std::string& out, const BackendError& error, std::span<const TableSchemaPtr> schemas,
                      const AccountLists& lists, Arena& arena) {
  if (error.name != "TransactionCanceledException") return AppendError(out, error);
  const auto document = wire::JsonDocument::Parse(error.json);
  dom::array json;
  if (!document || document->root().at_key("CancellationReasons").get(json) != simdjson::SUCCESS)
    return AppendError(out, error);
  std::vector<CancellationReason> reasons;
  for (const dom::element element : json) {
    CancellationReason reason;
    reason.code = kNoReason;
    dom::object members;
    if (element.get(members) == simdjson::SUCCESS) {
      reason.code = TextIn(members, "Code").value_or(kNoReason);
      reason.message = TextIn(members, "Message");
      if (reasons.size() < schemas.size()) reason.blob = BlobIn(members, *schemas[reasons.size()], lists, arena);
    }
    reasons.push_back(reason);
  }
  AppendError(out, error, reasons);
}

void AppendErrorReply(std::string& out, const model::ApiError& error) {
  AppendError(out, CodesOf(error.name),
              {.name = error.name, .message = error.message, .request_id = {}, .http_status = error.http_status});
}

}  // namespace armature::dax
