// DaxClient: a client of a DAX node on a real socket, whose every byte is the test's; and the messages it sends. Test
// support only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec/hex.h"
#include "base/memory/arena.h"
#include "dax/codec/cbor.h"
#include "dax/codec/codec_testing.h"
#include "dax/codec/methods.h"
#include "net/transport/socket_testing.h"

namespace armature::dax {

// --- Messages

// The bytes of options: none, unless digits are given.
inline std::string OptionBytes(std::string_view digits) { return Bytes("bf" + std::string(digits) + "ff"); }

inline std::string Handshake() { return Bytes("67 4a37796e653547 00 f6 a1 69 557365724167656e74 64 74657374 00"); }
// `arguments`: the values behind the method's number.
inline std::string Message(Method method, std::string_view arguments = {}) {
  std::string out;
  AppendCborInt(out, 1);
  AppendCborInt(out, static_cast<int32_t>(method));
  return out.append(arguments);
}
inline std::string AuthorizeWith(std::string_view key_id, std::string_view signature, std::string_view string_to_sign,
                                 std::string_view token = {}) {
  std::string out;
  AppendCborText(out, key_id);
  AppendCborText(out, signature);
  AppendCborBytes(out, string_to_sign);
  if (token.empty()) AppendCborNull(out);
  else AppendCborText(out, token);
  AppendCborText(out, "test");
  return Message(Method::kAuthorizeConnection, out);
}
// The example of the protocol (4.1), whose secret is "secretexample".
inline constexpr std::string_view kSignedKey = "AKIDEXAMPLE";
inline constexpr std::string_view kSignedSecret = "secretexample";
inline constexpr int64_t kSignedMillis = 1'794'710'166'000;  // 2026-11-15T02:36:06Z
inline constexpr std::string_view kSignature = "450b8539427e1b3c2055ea15f441750f83d742ed3c640da34356728d6f9bfa29";
inline constexpr std::string_view kStringToSign =
    "AWS4-HMAC-SHA256\n20261115T023606Z\n20261115/us-east-1/dax/aws4_request\n"
    "74b91d29d92d4a71ad5ebbe3362c665f4bbefecf20e2ebf7975b7a75c849175e";
inline std::string Authorize() { return AuthorizeWith(kSignedKey, kSignature, kStringToSign); }

// The key of Ids.
inline std::string IdKey(int64_t id) {
  std::string out;
  AppendCborInt(out, id);
  return out;
}
inline std::string ItemMessage(Method method, std::string_view table, std::string_view key, std::string_view options,
                               std::optional<std::string_view> blob = {}) {
  std::string out;
  AppendCborBytes(out, table);
  AppendCborBytes(out, key);
  if (blob) AppendCborBytes(out, *blob);
  return Message(method, out + OptionBytes(options));
}
inline std::string GetItem(int64_t id, std::string_view options = {}) {
  return ItemMessage(Method::kGetItem, "Ids", IdKey(id), options);
}
inline std::string PutItem(int64_t id, std::string_view blob, std::string_view options = {}) {
  return ItemMessage(Method::kPutItem, "Ids", IdKey(id), options, blob);
}
inline std::string UpdateItem(int64_t id, std::string_view options = {}) {
  return ItemMessage(Method::kUpdateItem, "Ids", IdKey(id), options);
}
inline std::string DeleteItem(int64_t id, std::string_view options = {}) {
  return ItemMessage(Method::kDeleteItem, "Ids", IdKey(id), options);
}
inline std::string DefineList(const std::vector<std::string>& names) {
  std::string out;
  AppendCborArrayHead(out, names.size());
  for (const std::string& name : names) AppendCborText(out, name);
  return Message(Method::kDefineAttributeListId, out);
}
inline std::string DefineKeySchema(std::string_view table) {
  std::string out;
  AppendCborBytes(out, table);
  return Message(Method::kDefineKeySchema, out);
}
inline std::string BatchGet(const std::vector<int64_t>& ids, std::string_view head = "83 f4 f6",
                            std::string_view options = {}) {
  std::string out = Bytes("a1 63 496473" + std::string(head));
  AppendCborArrayHead(out, ids.size());
  for (const int64_t id : ids) AppendCborBytes(out, IdKey(id));
  return Message(Method::kBatchGetItem, out + OptionBytes(options));
}
// Puts of a blob, or deletions.
inline std::string BatchWrite(const std::vector<std::pair<int64_t, std::optional<std::string>>>& writes) {
  std::string out = Bytes("a1 63 496473");
  AppendCborArrayHead(out, 2 * writes.size());
  for (const auto& [id, blob] : writes) {
    AppendCborBytes(out, IdKey(id));
    if (blob) AppendCborBytes(out, *blob);
    else AppendCborNull(out);
  }
  return Message(Method::kBatchWriteItem, out + OptionBytes(""));
}
// Deletions of these.
inline std::string TransactDelete(const std::vector<int64_t>& ids) {
  std::string out;
  const auto column = [&](auto&& append) {
    AppendCborArrayHead(out, ids.size());
    for (const int64_t id : ids) append(id);
  };
  column([&](int64_t) { AppendCborInt(out, 7); });
  column([&](int64_t) { AppendCborBytes(out, "Ids"); });
  column([&](int64_t id) { AppendCborBytes(out, IdKey(id)); });
  column([&](int64_t) { AppendCborNull(out); });
  AppendCborNull(out);
  column([&](int64_t) { AppendCborInt(out, 1); });
  column([&](int64_t) { AppendCborNull(out); });
  column([&](int64_t) { AppendCborNull(out); });
  return Message(Method::kTransactWriteItems, out + OptionBytes("13 63 746f6b"));
}
inline std::string Scan(std::string_view options = {}) {
  return Message(Method::kScan, Bytes("43 496473") + OptionBytes(options));
}
// Of all items with the partition key "A" in Music.
inline std::string Query(std::string_view options = {}) {
  return Message(Method::kQuery,
                 Bytes("45 4d75736963 53 83 01 83 00 82 12 66 417274697374 82 11 00 81 61 41") + OptionBytes(options));
}

// --- Answers

// How many values stand behind the 80 of a success.
inline int ValuesOf(Method method) {
  return method == Method::kBatchGetItem ? 2 : method == Method::kBatchWriteItem ? 3 : 1;
}

// An error in words: "4,23,31,33 MissingAuthenticationTokenException". Empty: it is none.
inline std::string ErrorIn(std::string_view answer) {
  if (answer.empty() || answer[0] == '\x80') return {};
  Arena arena;
  CborReader reader(answer);
  std::string codes;
  auto items = reader.Array();
  while (reader.Next(items)) codes += (codes.empty() ? "" : ",") + std::to_string(reader.Int());
  reader.Text(arena);
  auto details = reader.Array();
  reader.Next(details);
  reader.Skip();
  reader.Next(details);
  const std::string_view name = reader.Text(arena);
  return codes + " " + std::string(reader.ok() ? name : "unreadable");
}

class DaxClient {
 public:
  explicit DaxClient(uint16_t port, int receive_buffer_bytes = 0) : socket_(port, receive_buffer_bytes) {}

  net::TestSocket& socket() { return socket_; }
  // The handshake and a signature.
  DaxClient& SignIn() {
    socket_.Send(Handshake() + Authorize());
    return *this;
  }
  void Send(std::string_view message) { socket_.Send(message); }
  // The next answer's bytes; what has come of it if the end came first.
  std::string Read(Method method) {
    for (;;) {
      Arena arena;
      CborReader reader(pending_);
      const int values = pending_.starts_with('\x80') ? 1 + ValuesOf(method) : 3;
      for (int i = 0; i < values; ++i) reader.Skip();
      if (reader.ok()) {
        std::string answer = pending_.substr(0, reader.position());
        pending_.erase(0, answer.size());
        return answer;
      }
      const std::string more = socket_.ReadBytes(1);
      if (more.empty()) return std::exchange(pending_, {});
      pending_ += more + socket_.ReadNow();
    }
  }
  // In hexadecimal digits, or an error in words.
  std::string Call(std::string_view message) {
    Send(message);
    return ReadAnswer(message);
  }
  std::string ReadAnswer(std::string_view message) {
    CborReader reader(message);
    reader.Int();
    const std::string answer = Read(static_cast<Method>(reader.Int()));
    const std::string error = ErrorIn(answer);
    return error.empty() ? ToHex(answer) : error;
  }

 private:
  net::TestSocket socket_;
  std::string pending_;
};

}  // namespace armature::dax
