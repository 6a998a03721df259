#include "wire/json/change_json.h"

#include <charconv>

#include "base/text/json_writer.h"
#include "model/sequence_number.h"
#include "wire/json/attribute_json.h"

namespace armature::wire {

using model::ChangeRecord;

namespace {

void AppendInt(int64_t value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end.ptr);
}

void AppendEventId(const ChangeRecord& record, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  char digits[32];
  for (size_t i = 0; i < sizeof(digits); ++i) digits[i] = kHex[(record.event_id[i / 16] >> (60 - 4 * (i % 16))) & 15];
  out.append(digits, sizeof(digits));
}

// Kinesis data shows it as a UUID.
void AppendEventUuid(const ChangeRecord& record, std::string& out) {
  const size_t start = out.size();
  AppendEventId(record, out);
  for (const size_t at : {20, 16, 12, 8}) out.insert(start + at, 1, '-');
}

std::string_view EventName(ChangeRecord::Kind kind) {
  switch (kind) {
    case ChangeRecord::Kind::kInsert: return "INSERT";
    case ChangeRecord::Kind::kModify: return "MODIFY";
    case ChangeRecord::Kind::kRemove: return "REMOVE";
  }
  return "";
}

// Keys, images and SizeBytes, without braces.
void AppendImages(const ChangeRecord& record, model::Images images, std::string& out) {
  size_t size = record.keys_size;
  out += R"("Keys":)";
  AppendItemAsJson(record.keys, out);
  if (record.has_new && (images & model::kNewImage)) {
    out += R"(,"NewImage":)";
    AppendItemAsJson(record.new_image, out);
    size += record.new_size;
  }
  if (record.has_old && (images & model::kOldImage)) {
    out += R"(,"OldImage":)";
    AppendItemAsJson(record.old_image, out);
    size += record.old_size;
  }
  out += R"(,"SizeBytes":)";
  AppendInt(static_cast<int64_t>(size), out);
}

// What streams and Lambda events have in common, without the closing brace.
void AppendEvent(const ChangeRecord& record, const ChangeSource& source, std::string& out) {
  out += R"({"eventID":")";
  AppendEventId(record, out);
  out += R"(","eventName":")";
  out += EventName(record.kind);
  out += R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":)";
  AppendJsonString(out, source.region);
  out += R"(,"dynamodb":{"ApproximateCreationDateTime":)";
  AppendInt(record.created_millis / 1000, out);
  out += ',';
  AppendImages(record, source.images, out);
  out += R"(,"SequenceNumber":")";
  model::AppendSequenceNumber(record.position, record.partition, out);
  out += R"(","StreamViewType":")";
  out += model::ViewTypeName(source.images);
  out += R"("})";
}

}  // namespace

void AppendStreamRecord(const ChangeRecord& record, const ChangeSource& source, std::string& out) {
  AppendEvent(record, source, out);
  if (record.by_ttl) out += R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})";
  out += '}';
}

void AppendLambdaRecord(const ChangeRecord& record, const ChangeSource& source, std::string& out) {
  AppendEvent(record, source, out);
  if (record.by_ttl) out += R"(,"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"})";
  out += R"(,"eventSourceARN":)";
  AppendJsonString(out, source.stream_arn);
  out += '}';
}

void AppendKinesisRecord(const ChangeRecord& record, const ChangeSource& source, std::string_view precision,
                         std::string& out) {
  out += R"({"awsRegion":)";
  AppendJsonString(out, source.region);
  out += R"(,"eventID":")";
  AppendEventUuid(record, out);
  out += R"(","eventName":")";
  out += EventName(record.kind);
  out += R"(","userIdentity":)";
  out += record.by_ttl ? R"({"principalId":"dynamodb.amazonaws.com","type":"Service"})" : "null";
  out += R"(,"recordFormat":"application/json","tableName":)";
  AppendJsonString(out, source.table_name);
  out += R"(,"dynamodb":{"ApproximateCreationDateTime":)";
  AppendInt(record.created_millis * (precision == "MICROSECOND" ? 1000 : 1), out);
  out += ',';
  AppendImages(record, model::kBothImages, out);
  if (!precision.empty()) {
    out += R"(,"ApproximateCreationDateTimePrecision":)";
    AppendJsonString(out, precision);
  }
  out += R"(},"eventSource":"aws:dynamodb"})";
}

}  // namespace armature::wire
