// JsonOutput: a reply as AWS JSON 1.1 has it, of the services that are described whole (wire/services/dax.h).
//
// Absent members are left out, and a time is seconds since the epoch, to the millisecond. Appends to a string; one
// reply, one writer. JsonValues is what all replies in JSON share, those of the Query protocol and the audit's too.
#pragma once

#include <string>
#include <string_view>

#include "base/text/json_writer.h"
#include "base/text/visible_text.h"
#include "wire/reply_writer.h"

namespace armature::wire {

class JsonValues : public ReplyWriter {
 public:
  void BeginMember(std::string_view name) override { json_.Key(name); }
  void EndMember(std::string_view) override {}
  void BeginStructure() override { json_.BeginObject(); }
  void EndStructure() override { json_.EndObject(); }

 protected:
  explicit JsonValues(std::string& out) : json_(out) {}

  void Absent(std::string_view) override {}
  void BeginList() override { json_.BeginArray(); }
  void EndList() override { json_.EndArray(); }
  void BeginElement() override {}
  void EndElement() override {}
  void BeginMap() override { json_.BeginObject(); }
  void EndMap() override { json_.EndObject(); }
  void BeginEntry(std::string_view key) override { json_.Key(key); }
  void EndEntry() override {}
  void Text(std::string_view text) override { json_.String(WellFormedUtf8(text)); }
  void Number(int64_t number) override { json_.Int(number); }
  void Boolean(bool value) override { json_.Bool(value); }

  JsonWriter json_;
};

class JsonOutput final : public JsonValues {
 public:
  explicit JsonOutput(std::string& out) : JsonValues(out) {}

  void BeginReply(std::string_view, std::string_view) override { json_.BeginObject(); }
  void EndReply(std::string_view) override { json_.EndObject(); }

 private:
  void Time(Timestamp time) override { json_.Timestamp(static_cast<double>(time.epoch_millis) / 1000); }
};

// The members of a generated …Output, as one object.
template <class Output>
void AppendJsonOutput(const Output& output, std::string& body) {
  JsonOutput writer(body);
  writer.BeginReply({}, {});
  Write(writer, output);
  writer.EndReply({});
}

}  // namespace armature::wire
