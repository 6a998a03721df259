#include "storage/rocksdb/survey/manifest_reader.h"

#include <charconv>
#include <string_view>

#include <fmt/core.h>
#include <rocksdb/env.h>

#include "base/bytes.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/survey/log_scanner.h"

namespace armature::storage {
namespace {

constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr size_t kWholeRecord = size_t{1} << 30;

// The fields of an edit. They are RocksDB's format on disk and do not change; unknown ones above kMayBeSkipped have a
// length in front.
enum Tag : uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kNewFile2 = 100,
  kNewFile3 = 102,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
  kMayBeSkipped = 1 << 13,
};

void SkipPrefixed(ByteReader& edit) { edit.Bytes(edit.Varint()); }

void SkipCustomFields(ByteReader& edit) {
  constexpr uint64_t kEndOfFields = 1;
  while (edit.ok() && edit.Varint() != kEndOfFields) SkipPrefixed(edit);
}

void ReadNewFile(uint64_t tag, ByteReader& edit, Manifest& manifest) {
  edit.Varint();  // level
  const uint64_t number = edit.Varint();
  if (tag == kNewFile3) edit.Varint();  // path
  const uint64_t size = edit.Varint();
  SkipPrefixed(edit);                                 // smallest key
  SkipPrefixed(edit);                                 // largest key
  if (tag != kNewFile) edit.Varint(), edit.Varint();  // sequences
  if (tag == kNewFile4) SkipCustomFields(edit);
  manifest.tables[number] = size;
}

// False when the edit has a field that is not known.
bool ApplyEdit(std::string_view bytes, Manifest& manifest) {
  ByteReader edit(bytes);
  while (edit.ok() && !edit.at_end()) {
    const uint64_t tag = edit.Varint();
    switch (tag) {
      case kComparator:
      case kColumnFamilyAdd: SkipPrefixed(edit); break;
      case kLogNumber: manifest.first_log = std::max(manifest.first_log, edit.Varint()); break;
      case kLastSequence: manifest.last_sequence = edit.Varint(); break;
      case kNextFileNumber:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
      case kColumnFamily:
      case kMaxColumnFamily:
      case kInAtomicGroup: edit.Varint(); break;
      case kColumnFamilyDrop: break;
      case kCompactCursor: edit.Varint(), SkipPrefixed(edit); break;
      case kDeletedFile: {
        edit.Varint();  // level
        manifest.tables.erase(edit.Varint());
        break;
      }
      case kNewFile:
      case kNewFile2:
      case kNewFile3:
      case kNewFile4: ReadNewFile(tag, edit, manifest); break;
      default:
        if ((tag & kMayBeSkipped) == 0) return false;
        SkipPrefixed(edit);
    }
  }
  return edit.ok();
}

Result<std::string> ManifestName(rocksdb::FileSystem& files, const std::string& database) {
  const std::string path = database + "/CURRENT";
  std::string name;
  if (auto status = rocksdb::ReadFileToString(&files, path, &name); !status.ok()) {
    if (status.IsNotFound() || status.IsPathNotFound()) return Status::Corruption("CURRENT is missing");
    return FromRocksDb(status);
  }
  uint64_t number = 0;
  const bool has_end = name.ends_with('\n');
  if (has_end) name.pop_back();
  const auto digits = std::string_view(name).substr(std::min(name.size(), kManifestPrefix.size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!has_end || !name.starts_with(kManifestPrefix) || error != std::errc() || end != digits.data() + digits.size())
    return Status::Corruption("CURRENT does not name a manifest");
  if (!files.FileExists(database + "/" + name, {}, nullptr).ok())
    return Status::Corruption(fmt::format("{} is missing, which CURRENT names", name));
  return name;
}

}  // namespace

Result<Manifest> ReadManifest(rocksdb::FileSystem& files, const std::string& database) {
  Manifest manifest;
  ARMATURE_TRY(manifest.name, ManifestName(files, database));
  const char* digits = manifest.name.data() + kManifestPrefix.size();
  std::from_chars(digits, manifest.name.data() + manifest.name.size(), manifest.number);
  const std::string path = database + "/" + manifest.name;
  if (auto status = files.GetFileSize(path, {}, &manifest.bytes, nullptr); !status.ok()) return FromRocksDb(status);
  ARMATURE_TRY(LogScanner scanner, LogScanner::Open(files, path, kWholeRecord));
  bool is_in_order = true;
  for (;;) {
    ARMATURE_TRY(const LogScanner::Event event, scanner.Next());
    if (event == LogScanner::Event::kEnd) break;
    if (event == LogScanner::Event::kGap) {
      if (is_in_order && !scanner.is_gap_of_zeros()) manifest.fault = scanner.fault();
      is_in_order = false;
      continue;
    }
    if (!is_in_order) {
      ++manifest.edits_behind_fault;
      if (!manifest.fault) manifest.fault = "edits are missing";
      continue;
    }
    if (!ApplyEdit(scanner.record(), manifest)) {
      manifest.fault = "an edit of unknown form";
      is_in_order = false;
      continue;
    }
    ++manifest.edits;
    manifest.readable_bytes = scanner.end();
  }
  return manifest;
}

}  // namespace armature::storage
