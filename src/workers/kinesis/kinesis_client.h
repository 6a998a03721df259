// KinesisClient: the two calls of the Kinesis API that delivery needs.
//
// Speaks to one endpoint (any: AWS, kinesalite, an emulator), signed with Signature Version 4. Blocking, for background
// threads; thread-safe. Tells failures apart only as far as delivery reacts to them. Knows nothing of tables. Used by
// kinesis_delivery.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/http_client.h"
#include "base/result.h"
#include "model/names/arn.h"

namespace armature::workers {

struct KinesisOptions {
  std::string endpoint;  // "{region}" in it is replaced by the stream's; empty: there is none
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;
};

struct KinesisRecord {
  std::string partition_key;
  std::string data;
};

enum class KinesisFailure {
  kUnavailable,  // nobody answers, or it is in trouble or overloaded: later
  kNoStream,     // ResourceNotFoundException
  kDenied,       // the credentials are not accepted
  kRefused,      // the request as it is will never be accepted
};
struct KinesisError {
  KinesisFailure kind = KinesisFailure::kUnavailable;
  std::string message;
};
template <class T>
using KinesisResult = Result<T, KinesisError>;

class KinesisClient {
 public:
  static constexpr size_t kMaxRecords = 500;
  static constexpr size_t kMaxRequestBytes = size_t{5} << 20;  // of data and partition keys
  static constexpr size_t kMaxRecordBytes = size_t{1} << 20;

  explicit KinesisClient(KinesisOptions options);

  bool has_endpoint() const { return !options_.endpoint.empty(); }
  std::string EndpointFor(std::string_view region) const;

  // CREATING, DELETING, ACTIVE or UPDATING.
  KinesisResult<std::string> StreamStatus(const model::KinesisStreamArn& stream, const std::stop_token& stop);
  // For each record why it was not taken; empty: it was.
  KinesisResult<std::vector<std::string>> PutRecords(const model::KinesisStreamArn& stream,
                                                     std::span<const KinesisRecord* const> records,
                                                     const std::stop_token& stop);

 private:
  KinesisResult<std::string> Call(const model::KinesisStreamArn& stream, std::string_view operation,
                                  std::string_view body, const std::stop_token& stop);

  const KinesisOptions options_;
  HttpClient http_;
};

}  // namespace armature::workers
