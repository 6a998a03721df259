#include "storage/rocksdb/encrypted/store_encryption.h"

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "storage/rocksdb/encrypted/file_header.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {
namespace {

// As much of a header as the file has.
rocksdb::IOStatus ReadHeader(rocksdb::FileSystem& base, const std::string& path, std::string& bytes) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status = base.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return status;
  std::array<char, FileHeader::kBytes> buffer;
  rocksdb::Slice read;
  status = file->Read(buffer.size(), {}, &read, buffer.data(), nullptr);
  bytes.assign(read.data(), read.size());
  return status;
}

}  // namespace

Status CheckEncryption(rocksdb::FileSystem& base, const std::string& data_directory, bool has_keys) {
  const std::string database = data_directory + "/db/";
  std::string manifest, front;
  const auto current = rocksdb::ReadFileToString(&base, database + "CURRENT", &manifest);
  if (current.ok() && manifest.ends_with('\n')) {
    manifest.pop_back();
    // What cannot be read is for the survey to judge.
    if (!ReadHeader(base, database + manifest, front).ok()) front.clear();
  }
  const bool has_keys_file = base.FileExists(data_directory + "/KEYS", {}, nullptr).ok();
  if (!has_keys && (has_keys_file || FileHeader::HasMagic(front)))
    return Status::Format(fmt::format("{} is encrypted: it opens with its master key only", data_directory));
  // A header that is only damaged is for the survey, too: a log begins with a piece, whose type is there.
  const bool is_plain = front.size() > 6 && front[6] >= 1 && front[6] <= 4;
  if (has_keys && is_plain)
    return Status::Format(
        fmt::format("{} is not encrypted, and cannot become so: open it without a master key, or "
                    "begin in a new directory",
                    data_directory));
  return {};
}

Result<std::map<uint32_t, uint64_t>> CountFilesByDataKey(rocksdb::FileSystem& base, const std::string& data_directory) {
  const std::string database = data_directory + "/db";
  std::vector<std::string> names;
  if (const auto status = base.GetChildren(database, {}, &names, nullptr); !status.ok()) return FromRocksDb(status);
  std::map<uint32_t, uint64_t> counts;
  for (const std::string& name : names) {
    if (KindOf(name) == FileKind::kPlain) continue;
    std::string front;
    const auto status = ReadHeader(base, database + "/" + name, front);
    if (status.IsNotFound() || status.IsPathNotFound()) continue;
    if (!status.ok()) return FromFiles(status);
    if (const uint32_t number = FileHeader::ReadDataKey(front); number != 0) ++counts[number];
  }
  return counts;
}

}  // namespace armature::storage
