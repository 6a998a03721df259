// JsonReply: replies of the Query protocol as JSON, for those who send "Accept: application/json".
//
// As AWS has it: an absent member is null, and a time is seconds since the epoch. Used by wire/query/ only.
#pragma once

#include <string>
#include <string_view>

#include "wire/json_output.h"

namespace armature::wire {

class JsonReply final : public JsonValues {
 public:
  explicit JsonReply(std::string& out) : JsonValues(out) {}

  void BeginReply(std::string_view name, std::string_view) override {
    json_.BeginObject();
    json_.Key(name);
    json_.BeginObject();
  }
  void EndReply(std::string_view) override {
    json_.EndObject();
    json_.EndObject();
  }

 private:
  void Absent(std::string_view name) override {
    json_.Key(name);
    json_.Null();
  }
  void Time(Timestamp time) override { json_.Int(time.epoch_millis / 1000); }
};

}  // namespace armature::wire
