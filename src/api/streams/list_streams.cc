// ListStreams: the streams that can be read, of an account and Region or of one table.
#include <algorithm>

#include "api/handlers.h"
#include "api/streams/stream_lookup.h"
#include "api/table_lookup.h"
#include "base/text/json_writer.h"
#include "model/messages/streams.h"
#include "model/names/arn.h"

namespace armature::api {

using model::ApiResult;

namespace {
constexpr size_t kMaxStreams = 100;
}  // namespace

Task<ApiResult<void>> ListStreams(RequestContext& context, const wire::ListStreamsInput& request) {
  ARMATURE_CO_TRY(const size_t limit, StreamLimit(request.Limit, kMaxStreams));
  ARMATURE_CO_CHECK_OK(Authorize(context, auth::Resource{}));
  const std::string_view name = request.TableName ? TableNameOf(context, *request.TableName) : std::string_view();
  auto refs = context.services.journal.ListStreams(context.scope(), name);
  if (request.ExclusiveStartStreamArn) {
    const auto start = model::ParseStreamArn(*request.ExclusiveStartStreamArn);
    if (!start) co_return model::ValidationException(std::string(model::messages::kInvalidStreamArn));
    std::erase_if(refs, [&](const auto& ref) {
      const auto def = ref.table->def();
      return std::pair<std::string_view, std::string_view>(def->name, ref.stream->label) <=
             std::pair(start->table, start->label);
    });
  }

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Streams");
  json.BeginArray();
  std::string last_arn;
  const size_t count = std::min(limit, refs.size());
  for (size_t i = 0; i < count; ++i) {
    const auto def = refs[i].table->def();
    last_arn = model::MakeStreamArn(def->Arn(), refs[i].stream->label);
    json.BeginObject();
    json.Member("StreamArn", last_arn);
    json.Member("TableName", def->name);
    json.Member("StreamLabel", refs[i].stream->label);
    json.EndObject();
  }
  json.EndArray();
  if (count < refs.size()) json.Member("LastEvaluatedStreamArn", last_arn);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
