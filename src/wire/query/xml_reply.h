// XmlReply: replies of the Query protocol as XML, which SDKs and the CLI read.
//
// Whatever a text holds, what is written is well-formed XML 1.0: characters that it cannot hold become U+FFFD, and a
// carriage return is written so that a reader gets it back. Used by wire/query/ only.
#pragma once

#include <string>
#include <string_view>

#include "wire/reply_writer.h"

namespace armature::wire {

// Appends text as the content of an element.
void AppendXmlText(std::string& out, std::string_view text);

class XmlReply final : public ReplyWriter {
 public:
  explicit XmlReply(std::string& out) : out_(out) {}

  void BeginReply(std::string_view name, std::string_view xml_namespace) override;
  void EndReply(std::string_view name) override { EndMember(name); }
  void BeginMember(std::string_view name) override;
  void EndMember(std::string_view name) override;
  void BeginStructure() override {}
  void EndStructure() override {}

 private:
  void Absent(std::string_view) override {}
  void BeginList() override {}
  void EndList() override {}
  void BeginElement() override { BeginMember("member"); }
  void EndElement() override { EndMember("member"); }
  void BeginMap() override {}
  void EndMap() override {}
  void BeginEntry(std::string_view key) override;
  void EndEntry() override;
  void Text(std::string_view text) override { AppendXmlText(out_, text); }
  void Number(int64_t number) override;
  void Boolean(bool value) override { out_ += value ? "true" : "false"; }
  void Time(Timestamp time) override;

  std::string& out_;
  size_t opened_at_ = 0;  // where the content of the element opened last begins
};

}  // namespace armature::wire
