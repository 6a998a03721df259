// RequestWriter: one message while it becomes JSON. Internal to json_request.
//
// Lives for one call of WriteJsonRequest; holds references to what that was given. Each method writes members of the
// object that is open.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text/json_writer.h"
#include "dax/translate/expressions/expression_text.h"
#include "dax/translate/json_request.h"
#include "model/value.h"
#include "model/wording.h"

namespace armature::dax {

class RequestWriter {
 public:
  RequestWriter(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas, const AccountLists& lists,
                Arena& arena, const JsonRequestOptions& overrides, const model::Wording& wording)
      : request_(request),
        schemas_(schemas),
        lists_(lists),
        arena_(arena),
        overrides_(overrides),
        wording_(wording),
        json_(body_) {}

  // The whole body. Once.
  model::ApiResult<std::string> Write();

 private:
  using MaybeText = std::optional<std::string_view>;

  // One operation each. Those of single items and searches are in json_request.cc, the others in json_batch_request.cc.
  model::ApiResult<void> WriteMembers();
  model::ApiResult<void> WriteGet();
  model::ApiResult<void> WriteSingleWrite();
  model::ApiResult<void> WriteSearch();
  model::ApiResult<void> WriteBatchGet();
  model::ApiResult<void> WriteBatchWrite();
  model::ApiResult<void> WriteTransactGet();
  model::ApiResult<void> WriteTransactWrite();

  // Parts of them.
  model::ApiResult<void> WriteStartKey();
  model::ApiResult<void> WriteAction(const RequestItem& item, const TableSchema& schema);
  model::ApiResult<void> WriteKey(std::string_view member, const RequestItem& item, const TableSchema& schema);
  // What is put: its key and its blob in one.
  model::ApiResult<void> WritePut(const RequestItem& item, const TableSchema& schema);
  model::ApiResult<void> WriteConsumedCapacity();
  model::ApiResult<void> WriteMetrics();

  // What is absent is not written.
  model::ApiResult<void> WriteCondition(std::string_view member, MaybeText bytes, ExpressionWriter& expressions);
  model::ApiResult<void> WriteUpdate(MaybeText bytes, ExpressionWriter& expressions);
  model::ApiResult<void> WriteProjection(MaybeText bytes, ExpressionWriter& expressions);
  model::ApiResult<void> WriteEnum(std::string_view member, std::optional<int64_t> value,
                                   std::span<const std::string_view> names);
  void WriteBool(std::string_view member, std::optional<bool> value) {
    if (value) json_.MemberBool(member, *value);
  }
  void WriteInt(std::string_view member, std::optional<int64_t> value) {
    if (value) json_.MemberInt(member, *value);
  }
  void WriteText(std::string_view member, MaybeText text) {
    if (text) json_.Member(member, *text);
  }
  void WriteItem(std::string_view member, model::Item item);

  const Options& options() const { return request_.options; }

  const ParsedRequest& request_;
  const std::span<const TableSchemaPtr> schemas_;
  const AccountLists& lists_;
  Arena& arena_;
  const JsonRequestOptions& overrides_;
  const model::Wording& wording_;
  std::string body_;
  JsonWriter json_;
};

}  // namespace armature::dax
