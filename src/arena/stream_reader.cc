#include "arena/stream_reader.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace armature::arena {

namespace {
constexpr std::string_view kDescribeStream = "DynamoDBStreams_20120810.DescribeStream";
constexpr std::string_view kGetShardIterator = "DynamoDBStreams_20120810.GetShardIterator";
constexpr std::string_view kGetRecords = "DynamoDBStreams_20120810.GetRecords";
}  // namespace

bool StreamReader::Accept(const Reply& reply, std::string_view what) {
  if (reply.status == 200) return true;
  if (reply.status != 0 && reply.status < 500)
    problem_ = fmt::format("{} answered {} {}", what, reply.status, reply.body);
  return false;
}

Task<bool> StreamReader::Poll(Transport& transport) {
  has_progress_ = false;
  bool is_found = !arn_.empty();
  if (!is_found) is_found = co_await FindStream(transport);
  if (is_found) is_found = co_await FindShards(transport);
  if (!is_found) co_return false;
  for (Shard& shard : shards_) {
    const auto parent =
        std::find_if(shards_.begin(), shards_.end(), [&](const Shard& s) { return s.name == shard.parent; });
    if (shard.is_done || (parent != shards_.end() && !parent->is_done)) continue;
    const bool is_read = co_await ReadShard(transport, shard);
    if (!is_read) co_return false;
  }
  co_return true;
}

Task<bool> StreamReader::Drain(Transport& transport) {
  bool is_read = true;
  do { is_read = co_await Poll(transport); } while (is_read && has_progress_);
  co_return is_read;
}

Task<bool> StreamReader::FindStream(Transport& transport) {
  const std::string body = fmt::format(R"({{"TableName":"{}"}})", board_.TableName(table_));
  const Reply reply = co_await transport.Call("DescribeTable", body);
  std::string_view arn;
  simdjson::dom::element document;
  if (!Accept(reply, "DescribeTable") || parser_.parse(reply.body).get(document) != simdjson::SUCCESS ||
      document["Table"]["LatestStreamArn"].get(arn) != simdjson::SUCCESS)
    co_return false;
  arn_ = arn;
  co_return true;
}

Task<bool> StreamReader::FindShards(Transport& transport) {
  std::string start;
  for (;;) {
    // Made before it is awaited: g++ 12 destroys a conditional temporary twice otherwise.
    const std::string from = start.empty() ? "" : fmt::format(R"(,"ExclusiveStartShardId":"{}")", start);
    const std::string body = fmt::format(R"({{"StreamArn":"{}"{}}})", arn_, from);
    const Reply reply = co_await transport.Call(kDescribeStream, body);
    simdjson::dom::element document;
    simdjson::dom::array shards;
    if (!Accept(reply, kDescribeStream) || parser_.parse(reply.body).get(document) != simdjson::SUCCESS ||
        document["StreamDescription"]["Shards"].get(shards) != simdjson::SUCCESS)
      co_return false;
    for (const auto one : shards) {
      std::string_view name, parent;
      if (one["ShardId"].get(name) != simdjson::SUCCESS) co_return false;
      if (std::any_of(shards_.begin(), shards_.end(), [&](const Shard& s) { return s.name == name; })) continue;
      Shard& shard = shards_.emplace_back();
      shard.name = name;
      if (one["ParentShardId"].get(parent) == simdjson::SUCCESS) shard.parent = parent;
      has_progress_ = true;
    }
    std::string_view last;
    if (document["StreamDescription"]["LastEvaluatedShardId"].get(last) != simdjson::SUCCESS) co_return true;
    start = last;
  }
}

Task<bool> StreamReader::Begin(Transport& transport, Shard& shard) {
  const std::string where =
      shard.last.empty()
          ? std::string(R"("ShardIteratorType":"TRIM_HORIZON")")
          : fmt::format(R"("ShardIteratorType":"AFTER_SEQUENCE_NUMBER","SequenceNumber":"{}")", shard.last);
  const std::string body = fmt::format(R"({{"StreamArn":"{}","ShardId":"{}",{}}})", arn_, shard.name, where);
  const Reply reply = co_await transport.Call(kGetShardIterator, body);
  std::string_view iterator;
  simdjson::dom::element document;
  if (!Accept(reply, kGetShardIterator) || parser_.parse(reply.body).get(document) != simdjson::SUCCESS ||
      document["ShardIterator"].get(iterator) != simdjson::SUCCESS)
    co_return false;
  shard.iterator = iterator;
  co_return true;
}

Task<bool> StreamReader::ReadShard(Transport& transport, Shard& shard) {
  for (int attempt = 0;; ++attempt) {
    bool is_begun = !shard.iterator.empty();
    if (!is_begun) is_begun = co_await Begin(transport, shard);
    if (!is_begun) co_return false;
    const std::string body = fmt::format(R"({{"ShardIterator":"{}"}})", shard.iterator);
    const Reply reply = co_await transport.Call(kGetRecords, body);
    // The clock may have jumped since it was issued.
    if (attempt == 0 && reply.status == 400 && reply.body.find("ExpiredIteratorException") != std::string::npos) {
      shard.iterator.clear();
      continue;
    }
    if (!Accept(reply, kGetRecords)) co_return false;
    auto records = answers_.ReadRecords(table_, reply, shard.iterator);
    if (!records) {
      problem_ = "a page of records that cannot be understood: " + reply.body;
      co_return false;
    }
    shard.is_done = shard.iterator.empty();
    if (!records->empty()) shard.last = records->back().sequence_number;
    has_progress_ |= shard.is_done || !records->empty();
    std::move(records->begin(), records->end(), std::back_inserter(records_));
    co_return true;
  }
}

}  // namespace armature::arena
