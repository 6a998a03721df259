// Change records as JSON: as GetRecords, Lambda events and Kinesis data show them.
//
// One object per record, appended to the caller's string. Images that the stream's view does not have are left out,
// also of SizeBytes. Pure. Used by api/streams, triggers/ and workers/.
#pragma once

#include <string>
#include <string_view>

#include "model/change_record.h"

namespace armature::wire {

struct ChangeSource {
  std::string_view region;
  std::string_view table_name;                // Kinesis only
  std::string_view stream_arn;                // Lambda only
  model::Images images = model::kBothImages;  // the stream's view
};

// {"eventID":…,"eventName":…,"dynamodb":{…}}
void AppendStreamRecord(const model::ChangeRecord& record, const ChangeSource& source, std::string& out);
// The same with eventSourceARN, and userIdentity spelt as Lambda does.
void AppendLambdaRecord(const model::ChangeRecord& record, const ChangeSource& source, std::string& out);
// Kinesis data: always both images if they are recorded; the time in the destination's precision, MILLISECOND or
// MICROSECOND, which is told only if it was chosen.
void AppendKinesisRecord(const model::ChangeRecord& record, const ChangeSource& source, std::string_view precision,
                         std::string& out);

}  // namespace armature::wire
