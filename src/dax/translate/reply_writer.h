// ReplyWriter: one reply while it is turned into its answer. Internal to json_reply.
//
// Lives for one call of AppendReply; holds references to what that was given. Every method appends to `out`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "dax/translate/capacity_json.h"
#include "dax/translate/expressions/projected_item.h"
#include "dax/translate/json_reply.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::dax {

class ReplyWriter {
 public:
  ReplyWriter(std::string& out, simdjson::dom::object reply, const ReplyContext& context, ReplyItems& items)
      : out_(out), reply_(reply), context_(context), items_(items) {}

  model::ApiResult<void> Write();

 private:
  using Object = simdjson::dom::object;
  using Array = simdjson::dom::array;
  using Element = simdjson::dom::element;

  // One operation each. Those of single items and searches are in json_reply.cc, the others in json_batch_reply.cc.
  model::ApiResult<void> WriteGet();
  model::ApiResult<void> WriteSingleWrite();
  model::ApiResult<void> WriteSearch();
  model::ApiResult<void> WriteBatchGet();
  model::ApiResult<void> WriteBatchWrite();
  model::ApiResult<void> WriteTransactGet();
  model::ApiResult<void> WriteTransactWrite();

  // Parts of them.
  model::ApiResult<void> AppendAttributes(std::string& entries, size_t& count);
  model::ApiResult<void> AppendSearchItem(Element json, const ItemProjection* projection);
  model::ApiResult<void> AppendLastKey(Element json);
  model::ApiResult<void> AppendTableItems(std::string_view table, std::optional<Element> json);
  model::ApiResult<void> AppendUnprocessedKeys();
  model::ApiResult<void> AppendTransactItem(size_t index, Element json);
  model::ApiResult<void> AppendLeftWrite(Element json, const TableSchema& schema);
  model::ApiResult<void> AppendMetricsOfTables();
  // The array of what there is of it.
  void AppendCapacities(CapacityForm form);

  // --- what all of them use

  std::optional<Element> Member(std::string_view name) const { return MemberOf(reply_, name); }
  static std::optional<Element> MemberOf(Object object, std::string_view name);
  static std::optional<Object> ObjectIn(std::optional<Element> element);
  static std::optional<Array> ArrayIn(std::optional<Element> element);
  // An item that has its table's key; an error otherwise.
  model::ApiResult<model::Item> WholeItem(Element json, const TableSchema& schema);
  // Their bytes, in the arena.
  std::string_view KeyOf(model::Item item, const TableSchema& schema);
  model::ApiResult<std::string_view> BlobOf(model::Item item, const TableSchema& schema);
  model::ApiResult<ReplyItem> Keep(std::string_view table, model::Item item, const TableSchema& schema);
  // The schema of a table of a batch; null: the request does not name it.
  const TableSchema* SchemaOfTable(std::string_view table) const;
  const BatchTable* BatchTableOf(std::string_view table) const;
  const TableSchema& schema() const { return *context_.schemas[0]; }
  const ParsedRequest& request() const { return context_.request; }
  const Options& options() const { return context_.request.options; }

  std::string& out_;
  const Object reply_;
  const ReplyContext& context_;
  ReplyItems& items_;
  std::string scratch_;
};

}  // namespace armature::dax
