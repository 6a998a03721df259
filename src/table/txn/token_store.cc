#include "table/txn/token_store.h"

#include <vector>

#include <xxhash.h>

#include "base/bytes.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::table {

ParameterHash HashParameters(std::string_view canonical) {
  const XXH128_hash_t hash = XXH3_128bits(canonical.data(), canonical.size());
  return {hash.high64, hash.low64};
}

std::string TokenStore::Record::Encode() const {
  std::string bytes;
  AppendByte(bytes, 1);  // version
  AppendBigEndian(bytes, parameters[0]);
  AppendBigEndian(bytes, parameters[1]);
  AppendBigEndian(bytes, static_cast<uint64_t>(expires_millis));
  return bytes;
}

Result<TokenStore::Record> TokenStore::Record::Decode(std::string_view bytes) {
  ByteReader reader(bytes);
  Record record;
  const bool is_known = reader.Byte() == 1;
  record.parameters[0] = reader.BigEndian<uint64_t>();
  record.parameters[1] = reader.BigEndian<uint64_t>();
  record.expires_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  if (!is_known || !reader.ok() || !reader.at_end()) return Status::Corruption("the record of a client token");
  return record;
}

bool TokenStore::TryClaim(const std::string& id) {
  MutexLock lock(mutex_);
  return claimed_.insert(id).second;
}

void TokenStore::Release(const std::string& id) {
  MutexLock lock(mutex_);
  claimed_.erase(id);
}

Task<Result<bool>> TokenStore::Read(std::string_view id, storage::View view, Record& record) {
  const std::string key = TokenKey(id);
  storage::GetOp get;
  get.partition = &engine_.system();
  get.key = key;
  get.at.view = view;
  engine_.Get(get);
  co_await get.done;
  if (!get.status.ok()) co_return get.status;
  if (!get.found) co_return false;
  ARMATURE_CO_TRY(record, Record::Decode(get.value));
  co_return true;
}

Task<Result<TokenStore::Begun>> TokenStore::Begin(std::string token_id, ParameterHash parameters) {
  Begun begun;
  if (!TryClaim(token_id)) {
    begun.state = State::kRunning;
    co_return begun;
  }
  Claim claim(this, token_id);
  const int64_t now = clock_.NowMillis();
  Record old;
  ARMATURE_CO_TRY(const bool is_known, co_await Read(token_id, storage::View::kLatest, old));
  if (is_known && old.expires_millis > now) {
    begun.state = old.parameters == parameters ? State::kDone : State::kMismatch;
    // A transaction whose sync failed may have left its record: neither done for sure nor to be done again.
    Record durable;
    ARMATURE_CO_TRY(const bool is_durable, co_await Read(token_id, storage::View::kDurable, durable));
    if (!is_durable) co_return Status::Unavailable("the transaction of this token is not durable yet");
    co_return begun;
  }
  const Record record{parameters, now + kTokenLifetimeMillis};
  begun.changes.Put(TokenKey(token_id), record.Encode());
  begun.changes.Put(TokenExpiryKey(record.expires_millis, token_id), {});
  begun.claim = std::move(claim);
  co_return begun;
}

Task<Status> TokenStore::RemoveExpired(size_t most) {
  const int64_t now = clock_.NowMillis();
  const storage::KeyRange range = ExpiredTokenRange(now);
  storage::ScanOp scan;
  scan.partition = &engine_.system();
  scan.begin = range.begin;
  scan.end = range.end;
  scan.limit_rows = most;
  engine_.Scan(scan);
  co_await scan.done;
  if (!scan.status.ok()) co_return scan.status;
  if (scan.rows.empty()) co_return Status();

  storage::Batch batch;
  std::vector<Claim> claims;  // until the commit: nobody may renew a token between the look at it and its removal
  for (const auto& row : scan.rows) {
    std::string id(TokenOfExpiryKey(row.key));
    if (!TryClaim(id)) continue;  // in use again: next time
    claims.emplace_back(this, id);
    Record record;
    auto found = co_await Read(id, storage::View::kLatest, record);
    const bool is_damaged = !found && found.error().code() == StatusCode::kCorruption;
    if (!found && !is_damaged) co_return found.error();
    if (is_damaged || (*found && record.expires_millis <= now)) batch.Delete(TokenKey(id));
    batch.Delete(row.key);
  }
  if (batch.empty()) co_return Status();
  co_return co_await WriteSystemRecords(engine_, batch);
}

}  // namespace armature::table
