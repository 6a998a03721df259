#include "triggers/functions/destination.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text/json_writer.h"

namespace armature::triggers {

namespace {

std::string FormatTime(int64_t millis, const char* format) {
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string IsoSeconds(int64_t millis) { return FormatTime(millis, "%Y-%m-%dT%H:%M:%SZ"); }
std::string IsoMillis(int64_t millis) {
  return fmt::format("{}.{:03}Z", FormatTime(millis, "%Y-%m-%dT%H:%M:%S"), millis % 1000);
}

Status SystemError(std::string_view what, const std::string& path) {
  return Status::IoError(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

// Whole and on disk before it has its name.
Status WriteFile(const std::string& path, std::string_view content) {
  const std::string unfinished = path + ".part";
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (file < 0) return SystemError("cannot write", unfinished);
  Status status;
  while (!content.empty() && status.ok()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written > 0) content.remove_prefix(static_cast<size_t>(written));
    else if (errno != EINTR) status = SystemError("cannot write", unfinished);
  }
  if (status.ok() && fsync(file) != 0) status = SystemError("cannot sync", unfinished);
  close(file);
  if (status.ok() && rename(unfinished.c_str(), path.c_str()) != 0) status = SystemError("cannot rename", unfinished);
  return status;
}

}  // namespace

DestinationSpec DestinationOf(std::string_view text) {
  if (text.starts_with("http://") || text.starts_with("https://")) return {{}, std::string(text)};
  if (text.starts_with('/')) return {std::string(text), {}};
  return {};
}

std::string FailureRecord(const FailedBatch& batch, std::string_view request_id, int64_t now_millis,
                          bool with_payload) {
  std::string record;
  JsonWriter json(record);
  json.BeginObject();
  json.Key("requestContext");
  json.BeginObject();
  json.Member("requestId", request_id);
  json.Member("functionArn", batch.function_arn);
  json.Member("condition", batch.condition);
  json.MemberInt("approximateInvokeCount", batch.invoke_count);
  json.EndObject();
  if (batch.invoke_count > 0) {
    json.Key("responseContext");
    json.BeginObject();
    json.MemberInt("statusCode", 200);
    json.Member("executedVersion", "$LATEST");
    json.Member("functionError", "Unhandled");
    json.EndObject();
  }
  json.Member("version", "1.0");
  json.Member("timestamp", IsoMillis(now_millis));
  json.Key("DDBStreamBatchInfo");
  json.BeginObject();
  json.Member("shardId", batch.shard_id);
  json.Member("startSequenceNumber", batch.first_sequence_number);
  json.Member("endSequenceNumber", batch.last_sequence_number);
  json.Member("approximateArrivalOfFirstRecord", IsoSeconds(batch.first_millis));
  json.Member("approximateArrivalOfLastRecord", IsoSeconds(batch.last_millis));
  json.MemberInt("batchSize", static_cast<int64_t>(batch.record_count));
  json.Member("streamArn", batch.stream_arn);
  json.EndObject();
  if (with_payload) json.Member("payload", batch.event);
  json.EndObject();
  return record;
}

Status Destination::Write(const FailedBatch& batch, std::string_view request_id, int64_t now_millis) const {
  // Lambda's name of such an object in S3, so that records of a shard sort by time.
  const std::string folder = fmt::format("{}/aws/lambda/{}/{}/{}", spec_.directory, batch.mapping_uuid, batch.shard_id,
                                         FormatTime(now_millis, "%Y/%m/%d"));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status::IoError(fmt::format("cannot make {}: {}", folder, error.message()));
  const std::string path = fmt::format("{}/{}-{}", folder, FormatTime(now_millis, "%Y-%m-%dT%H.%M.%S"), request_id);
  return WriteFile(path, FailureRecord(batch, request_id, now_millis, true));
}

Status Destination::Send(const FailedBatch& batch, int64_t now_millis, const std::stop_token& stop) const {
  const std::string request_id = UuidV4(random_);
  if (!spec_.directory.empty()) return Write(batch, request_id, now_millis);
  const std::string record = FailureRecord(batch, request_id, now_millis, false);
  HttpClientRequest request;
  request.url = spec_.url;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = record;
  const auto response = http_.Send(request, stop);
  if (!response) return response.error();
  if (response->status < 200 || response->status > 299)
    return Status::IoError(fmt::format("{} answered with status {}", spec_.url, response->status));
  return Status::Ok();
}

}  // namespace armature::triggers
