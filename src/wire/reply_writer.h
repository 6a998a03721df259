// ReplyWriter: what a reply is made of, in whichever form the client asked for.
//
// The generated Write functions (wire/query/iam.h, wire/query/sts.h, wire/services/dax.h) call Member once for each
// member of a structure; what becomes of it, XML or JSON, is the subclass's matter (wire/query/xml_reply.h,
// wire/query/json_reply.h, wire/json_output.h). Members that are absent are left out or null, empty lists are there.
// Writes into a string and keeps no more than how it stands; one reply, one writer.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec/percent_encoding.h"

namespace armature::wire {

// A time in a reply; told in whole seconds.
struct Timestamp {
  int64_t epoch_millis = 0;
};

class ReplyWriter {
 public:
  ReplyWriter() = default;
  ReplyWriter(const ReplyWriter&) = delete;
  ReplyWriter& operator=(const ReplyWriter&) = delete;
  virtual ~ReplyWriter() = default;

  template <class T>
  void Member(std::string_view name, const T& value) {
    BeginMember(name);
    Value(value);
    EndMember(name);
  }
  template <class T>
  void Member(std::string_view name, const std::optional<T>& value) {
    if (value) Member(name, *value);
    else Absent(name);
  }

  // A policy document, which replies carry percent-encoded.
  void EncodedMember(std::string_view name, const std::string& document) {
    std::string encoded;
    PercentEncode(document, encoded);
    Member(name, encoded);
  }
  void EncodedMember(std::string_view name, const std::optional<std::string>& document) {
    if (document) EncodedMember(name, *document);
    else Absent(name);
  }

  // The outermost element. REQUIRES: one of each for a reply.
  virtual void BeginReply(std::string_view name, std::string_view xml_namespace) = 0;
  virtual void EndReply(std::string_view name) = 0;

  virtual void BeginMember(std::string_view name) = 0;
  virtual void EndMember(std::string_view name) = 0;
  virtual void BeginStructure() = 0;
  virtual void EndStructure() = 0;

 private:
  virtual void Absent(std::string_view name) = 0;
  virtual void BeginList() = 0;
  virtual void EndList() = 0;
  virtual void BeginElement() = 0;
  virtual void EndElement() = 0;
  virtual void BeginMap() = 0;
  virtual void EndMap() = 0;
  virtual void BeginEntry(std::string_view key) = 0;
  virtual void EndEntry() = 0;
  virtual void Text(std::string_view text) = 0;
  virtual void Number(int64_t number) = 0;
  virtual void Boolean(bool value) = 0;
  virtual void Time(Timestamp time) = 0;

  void Value(std::string_view text) { Text(text); }
  void Value(std::same_as<int64_t> auto number) { Number(number); }
  void Value(std::same_as<bool> auto value) { Boolean(value); }
  void Value(Timestamp time) { Time(time); }
  template <class T>
  void Value(const std::vector<T>& list) {
    BeginList();
    for (const T& element : list) {
      BeginElement();
      Value(element);
      EndElement();
    }
    EndList();
  }
  template <class T>
  void Value(const std::map<std::string, T>& map) {
    BeginMap();
    for (const auto& [key, value] : map) {
      BeginEntry(key);
      Value(value);
      EndEntry();
    }
    EndMap();
  }
  // A generated structure.
  template <class T>
  requires requires(ReplyWriter& writer, const T& value) { Write(writer, value); }
  void Value(const T& value) {
    BeginStructure();
    Write(*this, value);
    EndStructure();
  }
};

}  // namespace armature::wire
