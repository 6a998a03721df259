// Destination: where the account of a batch that was given up goes: a directory or a URL.
//
// A failure record is Lambda's: who failed and why, and which records of which shard, by sequence number. In a
// directory (as Lambda does in S3) it also holds the event itself, in `payload`; each record is one file, complete when
// it has its name. A URL gets a POST and answers 2xx. Blocking; thread-safe. Used by triggers/.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/http_client.h"
#include "base/random.h"
#include "base/result.h"

namespace armature::triggers {

struct DestinationSpec {
  std::string directory;
  std::string url;

  bool is_none() const { return directory.empty() && url.empty(); }
};

// "http://…" and "https://…" are URLs, an absolute path is a directory; anything else is neither.
DestinationSpec DestinationOf(std::string_view text);

struct FailedBatch {
  std::string mapping_uuid;
  std::string function_arn;
  std::string stream_arn;
  std::string shard_id;
  std::string_view condition;  // "RetryAttemptsExhausted" or "RecordAgeExceeded"
  int64_t invoke_count = 0;
  std::string first_sequence_number;
  std::string last_sequence_number;
  int64_t first_millis = 0;  // when the first and the last record were written
  int64_t last_millis = 0;
  size_t record_count = 0;
  std::string_view event;
};

std::string FailureRecord(const FailedBatch& batch, std::string_view request_id, int64_t now_millis, bool with_payload);

class Destination {
 public:
  Destination(DestinationSpec spec, HttpClient& http, RandomSource& random)
      : spec_(std::move(spec)), http_(http), random_(random) {}

  bool is_none() const { return spec_.is_none(); }
  // Tries once.
  Status Send(const FailedBatch& batch, int64_t now_millis, const std::stop_token& stop) const;

 private:
  Status Write(const FailedBatch& batch, std::string_view request_id, int64_t now_millis) const;

  const DestinationSpec spec_;
  HttpClient& http_;
  RandomSource& random_;
};

}  // namespace armature::triggers
