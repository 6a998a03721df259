#include "storage/rocksdb/files/synced_point.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "base/bytes.h"
#include "base/codec/crc32c.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {
namespace {

constexpr std::string_view kNoteMagic = "\xa7S";
constexpr size_t kBatchHeader = 12;  // sequence and count
constexpr uint8_t kLogDataTag = 3;   // RocksDB's, of what is in the log only
constexpr std::string_view kFileMagic = "armature synced 1";
constexpr size_t kFileBytes = 512;  // one sector, so that it is written as a whole
constexpr size_t kMostLogs = 16;

// " name value" off the front of the text.
bool TakeNumber(std::string_view& text, std::string_view name, uint64_t& value) {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string EncodeSyncedNote(const SyncedPoint& point) {
  std::string note(kNoteMagic);
  AppendVarint(note, point.log);
  AppendVarint(note, point.log_bytes);
  AppendVarint(note, point.sequence);
  return note;
}

std::optional<SyncedPoint> FindSyncedNote(std::string_view record) {
  if (record.size() <= kBatchHeader || static_cast<uint8_t>(record[kBatchHeader]) != kLogDataTag) return {};
  ByteReader data(record.substr(kBatchHeader + 1));
  const std::string_view note = data.LengthPrefixed();
  if (!data.ok() || !note.starts_with(kNoteMagic)) return {};
  ByteReader fields(note.substr(kNoteMagic.size()));
  SyncedPoint point;
  point.log = fields.Varint();
  point.log_bytes = fields.Varint();
  point.sequence = fields.Varint();
  if (!fields.ok()) return {};
  return point;
}

std::string EncodeSyncedFile(const SyncedPoint& point) {
  std::string text = fmt::format("{} log {} bytes {} sequence {} manifest {} bytes {}", kFileMagic, point.log,
                                 point.log_bytes, point.sequence, point.manifest, point.manifest_bytes);
  const size_t left_out = point.logs.size() - std::min(point.logs.size(), kMostLogs);
  for (size_t i = left_out; i < point.logs.size(); ++i) text += fmt::format(" live {}", point.logs[i]);
  text += fmt::format(" crc {:08x}\n", Crc32c(text));
  text.resize(kFileBytes, ' ');
  text.back() = '\n';
  return text;
}

std::optional<SyncedPoint> DecodeSyncedFile(std::string_view text) {
  const size_t crc_at = text.find(" crc ");
  if (crc_at == std::string_view::npos || !text.starts_with(kFileMagic)) return {};
  if (!text.substr(crc_at).starts_with(fmt::format(" crc {:08x}\n", Crc32c(text.substr(0, crc_at))))) return {};
  std::string_view fields = text.substr(kFileMagic.size(), crc_at - kFileMagic.size());
  SyncedPoint point;
  if (!TakeNumber(fields, "log", point.log) || !TakeNumber(fields, "bytes", point.log_bytes) ||
      !TakeNumber(fields, "sequence", point.sequence) || !TakeNumber(fields, "manifest", point.manifest) ||
      !TakeNumber(fields, "bytes", point.manifest_bytes))
    return {};
  for (uint64_t log = 0; TakeNumber(fields, "live", log);) point.logs.push_back(log);
  return point;
}

std::optional<SyncedPoint> ReadSyncedFile(rocksdb::FileSystem& files, const std::string& path) {
  std::string text;
  if (!rocksdb::ReadFileToString(&files, path, &text).ok()) return {};
  return DecodeSyncedFile(text);
}

SyncedFile::SyncedFile(std::shared_ptr<rocksdb::FileSystem> files, std::string path)
    : files_(std::move(files)), path_(std::move(path)) {}

Status SyncedFile::Create() {
  if (ReadSyncedFile(*files_, path_)) return {};
  std::unique_ptr<rocksdb::FSWritableFile> file;
  const rocksdb::IOOptions options;
  auto status = files_->NewWritableFile(path_, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(EncodeSyncedFile({}), options, nullptr);
  if (!status.ok()) return FromFiles(status);
  // Not a shortage that passes, whatever it says.
  status = file->Sync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  return status.ok() ? Status() : Status::IoError(status.ToString());
}

void SyncedFile::Write(const SyncedPoint& point) {
  if (!file_ && !files_->NewRandomRWFile(path_, rocksdb::FileOptions(), &file_, nullptr).ok()) return;
  file_->Write(0, EncodeSyncedFile(point), rocksdb::IOOptions(), nullptr).PermitUncheckedError();
}

void SyncedFile::Sync() {
  if (file_) file_->Sync(rocksdb::IOOptions(), nullptr).PermitUncheckedError();
}

}  // namespace armature::storage
