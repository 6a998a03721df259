// What a call was answered, and JSON in general, as the audit log shows it: names begin with a small letter, and
// secrets are not told.
//
// Of replies of IAM and STS a ReplyWriter beside the one that makes the XML; of those in JSON, their text read again,
// which only calls that change something pay. A secret, or a session token, is a member that is hidden. Pure; used by
// audit/ and front/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/json_output.h"

namespace armature::audit {

// The members of a …Output, as a JSON object once Finish was called.
class ElementsWriter final : public wire::JsonValues {
 public:
  ElementsWriter() : JsonValues(text_) { json_.BeginObject(); }

  // Empty if nothing was written.
  std::string Finish();
  // A text at the top: who a web identity is.
  std::string_view provider() const { return provider_; }
  std::string_view subject() const { return subject_; }

  void BeginReply(std::string_view, std::string_view) override {}
  void EndReply(std::string_view) override {}
  void BeginMember(std::string_view name) override;

 private:
  void Text(std::string_view text) override;
  void Time(wire::Timestamp time) override;

  std::string text_;         // what is written; not looked at before it is made
  std::string_view member_;  // the one being written
  std::string provider_;
  std::string subject_;
};

// An object of JSON with its names begun small, secrets and `hidden` members told as hidden. Empty if it is none.
std::string ElementsOf(std::string_view json, std::string_view hidden = {});

// "tableName" of "TableName".
std::string SmallName(std::string_view name);

}  // namespace armature::audit
