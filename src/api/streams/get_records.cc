// GetRecords: the next records of a shard.
#include <ctime>

#include <fmt/format.h>

#include "api/handlers.h"
#include "api/streams/shard_iterator.h"
#include "api/streams/stream_lookup.h"
#include "base/log.h"
#include "model/messages/streams.h"
#include "wire/json/change_json.h"

namespace armature::api {

using model::ApiResult;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxRecords = 1000;
constexpr size_t kMaxBytes = size_t{1} << 20;

// "Sun Nov 15 08:10:00 UTC 2026", as AWS's error names a time.
std::string TimeText(int64_t millis) {
  const std::time_t seconds = millis / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  const size_t size = std::strftime(text, sizeof(text), "%a %b %d %H:%M:%S UTC %Y", &utc);
  return {text, size};
}

ApiResult<ShardIterator> ReadIterator(const RequestContext& context, std::string_view text) {
  const auto iterator = ParseShardIterator(text);
  if (!iterator) return model::ValidationException(std::string(messages::kInvalidShardIterator));
  if (context.now_millis - iterator->issued_millis <= kIteratorLifeMillis) return *iterator;
  model::ApiError error;
  error.name = "ExpiredIteratorException";
  error.message = fmt::format(messages::kIteratorExpired, TimeText(iterator->issued_millis),
                              TimeText(context.now_millis), kIteratorLifeMillis);
  return error;
}

model::ApiError ReadError(const Status& status) {
  // A shard is forgotten a day after it was closed.
  if (status.code() == StatusCode::kNotFound) return TrimmedDataAccessException();
  LogError("reading a stream failed: {}", status.ToString());
  return model::FromStatus(status);
}

}  // namespace

Task<ApiResult<void>> GetRecords(RequestContext& context, const wire::GetRecordsInput& request) {
  ARMATURE_CO_TRY(const size_t limit, StreamLimit(request.Limit, kMaxRecords));
  ARMATURE_CO_TRY(ShardIterator iterator, ReadIterator(context, *request.ShardIterator));
  ARMATURE_CO_TRY(const auto ref, FindStream(context, iterator.stream_arn));
  auto read = co_await context.services.journal.Read(*ref.table, iterator.lane, iterator.position, {limit, kMaxBytes},
                                                     ref.stream->images, context.arena);
  if (!read) co_return ReadError(read.error());
  const table::JournalPage& page = *read;
  if (page.was_trimmed) co_return TrimmedDataAccessException();

  std::string& body = context.body;
  body += R"({"Records":[)";
  const wire::ChangeSource source{context.region, {}, {}, ref.stream->images};
  for (size_t i = 0; i < page.records.size(); ++i) {
    if (i > 0) body += ',';
    wire::AppendStreamRecord(page.records[i], source, body);
  }
  body += ']';
  // At the end of a closed shard there is no next.
  if (!page.is_done) {
    body += R"(,"NextShardIterator":")";
    iterator.position = page.next;
    iterator.issued_millis = context.now_millis;
    AppendShardIterator(iterator, body);
    body += '"';
  }
  body += '}';
  co_return ApiResult<void>{};
}

}  // namespace armature::api
