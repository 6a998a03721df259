#include "iam/sessions/session.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/codec/base64.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

constexpr uint8_t kTokenVersion = 1;
constexpr std::string_view kPurpose = "armature session tokens";
constexpr size_t kFingerprintSize = 16;
// More of anything than this is nothing that was made here.
constexpr uint64_t kMostElements = 1000;

void AppendTexts(std::string& out, const std::vector<std::string>& texts) {
  AppendVarint(out, texts.size());
  for (const std::string& text : texts) AppendLengthPrefixed(out, text);
}

std::string Encode(const Session& session) {
  std::string bytes;
  AppendByte(bytes, static_cast<uint8_t>(session.kind));
  for (const std::string* const text :
       {&session.account, &session.entity_id, &session.parent_key_id, &session.name, &session.source_identity,
        &session.federated_provider, &session.access_key_id, &session.secret})
    AppendLengthPrefixed(bytes, *text);
  AppendBigEndian(bytes, static_cast<uint64_t>(session.issued_millis));
  AppendBigEndian(bytes, static_cast<uint64_t>(session.expires_millis));
  AppendBigEndian(bytes, static_cast<uint64_t>(session.mfa_millis.value_or(0)));
  AppendTexts(bytes, session.policies);
  AppendTexts(bytes, session.policy_arns);
  AppendVarint(bytes, session.tags.size());
  for (const SessionTag& tag : session.tags) {
    AppendLengthPrefixed(bytes, tag.key);
    AppendLengthPrefixed(bytes, tag.value);
    AppendByte(bytes, tag.is_transitive);
  }
  AppendVarint(bytes, session.claims.size());
  for (const SessionClaim& claim : session.claims) {
    AppendLengthPrefixed(bytes, claim.name);
    AppendTexts(bytes, claim.values);
  }
  return bytes;
}

// How many elements follow; none, and a reader that has failed, if they cannot be there.
uint64_t ReadCount(ByteReader& reader) {
  const uint64_t count = reader.Varint();
  if (count <= kMostElements) return count;
  reader.Bytes(SIZE_MAX);
  return 0;
}

std::vector<std::string> ReadTexts(ByteReader& reader) {
  std::vector<std::string> texts(ReadCount(reader));
  for (std::string& text : texts) text = reader.LengthPrefixed();
  return texts;
}

std::optional<Session> Decode(std::string_view bytes) {
  ByteReader reader(bytes);
  Session session;
  session.kind = static_cast<SessionKind>(reader.Byte());
  for (std::string* const text :
       {&session.account, &session.entity_id, &session.parent_key_id, &session.name, &session.source_identity,
        &session.federated_provider, &session.access_key_id, &session.secret})
    *text = reader.LengthPrefixed();
  session.issued_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  session.expires_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  if (const auto mfa = static_cast<int64_t>(reader.BigEndian<uint64_t>())) session.mfa_millis = mfa;
  session.policies = ReadTexts(reader);
  session.policy_arns = ReadTexts(reader);
  session.tags.resize(ReadCount(reader));
  for (SessionTag& tag : session.tags) {
    tag.key = reader.LengthPrefixed();
    tag.value = reader.LengthPrefixed();
    tag.is_transitive = reader.Byte() != 0;
  }
  session.claims.resize(ReadCount(reader));
  for (SessionClaim& claim : session.claims) {
    claim.name = reader.LengthPrefixed();
    claim.values = ReadTexts(reader);
  }
  const bool is_known = session.kind >= SessionKind::kRole && session.kind <= SessionKind::kFederated;
  if (!reader.ok() || !reader.at_end() || !is_known) return std::nullopt;
  return session;
}

}  // namespace

size_t SessionTokens::PackedPolicyPercent(const Session& session) {
  size_t bytes = 0;
  for (const std::string& policy : session.policies) bytes += policy.size();
  for (const std::string& arn : session.policy_arns) bytes += arn.size();
  for (const SessionTag& tag : session.tags) bytes += tag.key.size() + tag.value.size();
  return (bytes * 100 + kPackedBudget - 1) / kPackedBudget;
}

IamResult<std::string> SessionTokens::Issue(Session& session, RandomSource& random) const {
  session.access_key_id = MakeAccessKeyId(kSessionKeyPrefix, session.account, random);
  session.secret = MakeSecret(random);
  std::string bytes;
  AppendByte(bytes, kTokenVersion);
  bytes += keys_->fingerprint();
  bytes += keys_->current().Derive(kPurpose).Seal(Encode(session), kPurpose, random);
  std::string token;
  AppendBase64(token, bytes);
  const size_t percent = PackedPolicyPercent(session);
  if (percent > 100 || token.size() > kMostTokenBytes)
    return IamError{
        "PackedPolicyTooLarge", 400,
        fmt::format("Packed size of session tags consumes {}% of allotted space.", std::max<size_t>(percent, 101))};
  return token;
}

std::optional<Session> SessionTokens::Open(std::string_view token) const {
  if (token.size() > kMostTokenBytes) return std::nullopt;
  std::string bytes(Base64DecodedCapacity(token.size()), '\0');
  const auto size = DecodeBase64To(token, bytes.data());
  if (!size || *size < 1 + kFingerprintSize) return std::nullopt;
  const std::string_view read(bytes.data(), *size);
  const AesGcmKey* const key = keys_->Find(read.substr(1, kFingerprintSize));
  if (read.front() != static_cast<char>(kTokenVersion) || !key) return std::nullopt;
  const auto opened = key->Derive(kPurpose).Open(read.substr(1 + kFingerprintSize), kPurpose);
  return opened ? Decode(*opened) : std::nullopt;
}

}  // namespace armature::iam
