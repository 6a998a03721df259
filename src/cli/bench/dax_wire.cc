#include "cli/bench/dax_wire.h"

#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "auth/signature.h"
#include "base/codec/sha256.h"
#include "base/memory/arena.h"
#include "cli/bench/dax_answer_parser.h"
#include "cli/bench/socket.h"
#include "dax/codec/cbor.h"
#include "dax/codec/methods.h"
#include "dax/codec/value_codec.h"
#include "net/http_message.h"

namespace armature::cli::bench {

namespace {

using dax::Method;

constexpr std::string_view kMagic = "J7yne5G";
constexpr std::string_view kSignedHost = "dax.amazonaws.com";
constexpr std::string_view kSignedHeaders = "host;x-amz-date";
constexpr std::string_view kUserAgent = "armature bench";

void AppendMethod(std::string& out, Method method) {
  dax::AppendCborInt(out, 1);  // the service
  dax::AppendCborInt(out, static_cast<int64_t>(method));
}

void AppendNoOptions(std::string& out) {
  dax::AppendCborIndefiniteMap(out);
  dax::AppendCborBreak(out);
}

std::string_view TextAt(simdjson::dom::element object, std::string_view pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

}  // namespace

Result<std::unique_ptr<DaxWire>> DaxWire::Open(const Options& options) {
  std::unique_ptr<DaxWire> wire(new DaxWire(options));
  std::string message;
  AppendMethod(message, Method::kDefineAttributeListId);
  dax::AppendCborArrayHead(message, 2);
  dax::AppendCborText(message, "data");
  dax::AppendCborText(message, "v");
  ARMATURE_TRY(const std::string answer, wire->Ask(message));
  dax::CborReader reader(answer);
  wire->list_id_ = reader.Unsigned();
  if (!reader.ok()) return Status::IoError("the DAX node gives no number to a list of attributes");
  wire->names_[wire->list_id_] = {"data", "v"};
  return wire;
}

void DaxWire::Greet(int64_t unix_seconds, std::string& out) {
  dax::AppendCborText(out, kMagic);
  dax::AppendCborInt(out, 0);
  dax::AppendCborBytes(out, std::string(16, 's'));
  dax::AppendCborMapHead(out, 1);
  dax::AppendCborText(out, "UserAgent");
  dax::AppendCborText(out, kUserAgent);
  dax::AppendCborInt(out, 0);

  const std::string time = auth::SignatureTime(unix_seconds);
  const std::string scope = auth::CredentialScope(time.substr(0, 8), credentials_.region, "dax");
  const net::Header headers[] = {{"host", kSignedHost}, {"x-amz-date", time}};
  const auth::SignedParts parts{
      .method = "POST", .path = "/", .query = {}, .headers = headers, .signed_headers = kSignedHeaders};
  const HexDigest nothing(Sha256::Of({}));
  std::string canonical = auth::CanonicalHead(parts);
  canonical.append(nothing.text());
  std::string to_sign = auth::StringToSignHead(time, scope);
  to_sign.append(HexDigest(Sha256::Of(canonical)).text());
  const Sha256Digest key =
      auth::SigningKey(credentials_.secret_access_key, time.substr(0, 8), credentials_.region, "dax");
  AppendMethod(out, Method::kAuthorizeConnection);
  dax::AppendCborText(out, credentials_.access_key_id);
  dax::AppendCborText(out, auth::Sign(parts, nothing, time, scope, key).text());
  dax::AppendCborBytes(out, to_sign);
  dax::AppendCborNull(out);
  dax::AppendCborText(out, kUserAgent);
}

std::unique_ptr<AnswerParser> DaxWire::MakeParser() { return std::make_unique<DaxAnswerParser>(*this); }

void DaxWire::AppendRequest(std::string_view target, std::string_view body, int64_t, AnswerParser& parser,
                            std::string& out) {
  thread_local simdjson::dom::parser json;
  const simdjson::dom::element request = json.parse(body.data(), body.size());
  const bool is_put = target == "PutItem";
  const std::string_view key = TextAt(request, is_put ? "/Item/pk/S" : "/Key/pk/S");
  static_cast<DaxAnswerParser&>(parser).Expect(key, is_put);
  AppendMethod(out, is_put ? Method::kPutItem : Method::kGetItem);
  dax::AppendCborBytes(out, TextAt(request, "/TableName"));
  dax::AppendCborBytes(out, key);
  if (is_put) {
    std::string blob;
    dax::AppendCborUnsigned(blob, list_id_);
    dax::AppendCborText(blob, TextAt(request, "/Item/data/S"));
    dax::AppendCborUnsigned(blob, std::stoull(std::string(TextAt(request, "/Item/v/N"))));
    dax::AppendCborBytes(out, blob);
  }
  AppendNoOptions(out);
}

const std::vector<std::string>* DaxWire::NamesOf(uint64_t list_id) {
  if (const auto found = names_.find(list_id); found != names_.end()) return &found->second;
  std::string message;
  AppendMethod(message, Method::kDefineAttributeList);
  dax::AppendCborUnsigned(message, list_id);
  const auto answer = Ask(message);
  if (!answer) return nullptr;
  Arena arena;
  dax::CborReader reader(*answer);
  std::vector<std::string> names;
  for (auto items = reader.Array(); reader.Next(items);) names.emplace_back(reader.Text(arena));
  return reader.ok() ? &(names_[list_id] = std::move(names)) : nullptr;
}

// The value behind the sign of success.
Result<std::string> DaxWire::Ask(std::string_view message) {
  ARMATURE_TRY(const Socket socket, Socket::Connect(endpoint_));
  std::string out;
  Greet(std::time(nullptr), out);
  out.append(message);
  for (size_t sent = 0; sent < out.size();) {
    const ssize_t count = socket.Send(std::string_view(out).substr(sent));
    if (count <= 0) return Status::IoError("the DAX node took no request");
    sent += static_cast<size_t>(count);
  }
  std::string answer;
  for (char room[4096];;) {
    const ssize_t count = socket.Receive(room);
    if (count <= 0) return Status::IoError("the DAX node gave no answer");
    answer.append(room, static_cast<size_t>(count));
    dax::CborReader reader(answer);
    const auto codes = reader.Array();
    if (reader.ok() && codes.left > 0) {
      Arena arena;
      for (uint64_t i = 0; i < codes.left; ++i) reader.Skip();
      const std::string_view why = reader.Text(arena);
      if (!reader.ok()) continue;
      return Status::IoError(fmt::format("the DAX node refuses: {}", why));
    }
    const std::string_view value = reader.Raw();
    if (reader.ok()) return std::string(value);
  }
}

}  // namespace armature::cli::bench
