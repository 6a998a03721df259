#include "dax/attributes/attribute_list_file.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/codec/crc32c.h"

// The file: kFileMagic, then frames. A frame, integers being big-endian:
//
//   u32 length of the body, u32 CRC-32C of those four bytes, u32 CRC-32C of the body
//   body: lists; each a varint, how many names, then the names: a varint, how many bytes, and these. Where a list is
//         another account's than the one before it: a varint 0, which is no list, and the account: a varint, how many
//         bytes, and these
//
// Files that begin with kFirstMagic have no accounts: their lists are of the file's own account, as those of a body are
// before it names one. Such a file becomes one of today's by its magic alone.

namespace armature::dax {

namespace {

constexpr std::string_view kFirstMagic = "ARMDAXL1";
constexpr std::string_view kFileMagic = "ARMDAXL2";
constexpr size_t kHeaderBytes = 12;
constexpr uint64_t kAnAccount = 0;  // instead of how many names

Status Failure(std::string_view what, const std::string& path) {
  const int why = errno;
  std::string text = fmt::format("cannot {} {}: {}", what, path, std::strerror(why));
  return why == ENOSPC || why == EDQUOT ? Status::NoSpace(std::move(text)) : Status::IoError(std::move(text));
}

Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = opened >= 0 && fsync(opened) == 0;
  Status status = is_synced ? Status::Ok() : Failure("sync", folder);
  if (opened >= 0) close(opened);
  return status;
}

std::string FrameOf(std::span<const std::shared_ptr<const AttributeList>> lists) {
  std::string body;
  std::string_view account;
  for (const auto& list : lists) {
    if (std::exchange(account, list->account) != list->account) {
      AppendVarint(body, kAnAccount);
      AppendLengthPrefixed(body, account);
    }
    AppendVarint(body, list->names.size());
    for (const std::string& name : list->names) AppendLengthPrefixed(body, name);
  }
  std::string frame;
  AppendBigEndian(frame, static_cast<uint32_t>(body.size()));
  AppendBigEndian(frame, Crc32c(frame));
  AppendBigEndian(frame, Crc32c(body));
  return frame + body;
}

// Appends the lists of a body; false if it is none.
bool ReadLists(std::string_view body, std::string account, std::vector<AttributeList>& lists) {
  ByteReader reader(body);
  while (!reader.at_end()) {
    const uint64_t count = reader.Varint();
    if (count > reader.remaining()) return false;
    if (count == kAnAccount) {
      account = reader.LengthPrefixed();
    } else {
      AttributeNames& names = lists.emplace_back(AttributeList{account, {}}).names;
      for (uint64_t i = 0; i < count; ++i) names.emplace_back(reader.LengthPrefixed());
    }
    if (!reader.ok()) return false;
  }
  return true;
}

// Room that a crash has left unwritten.
bool IsBlank(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

enum class FrameKind { kGood, kTorn, kBroken };

struct FoundFrame {
  FrameKind kind = FrameKind::kBroken;
  std::string_view body;
};

// The frame that `rest`, all there is up to the file's end, begins with. Torn is what a crash can leave: a frame whose
// end is not there, or whose bytes are not all what they were to be and which is the last, or room that was never
// written.
FoundFrame FindFrame(std::string_view rest) {
  if (rest.size() < kHeaderBytes) return {FrameKind::kTorn, {}};
  const auto length = ReadBigEndian<uint32_t>(rest.data());
  if (Crc32c(rest.substr(0, 4)) != ReadBigEndian<uint32_t>(rest.data() + 4)) {
    return {IsBlank(rest) ? FrameKind::kTorn : FrameKind::kBroken, {}};
  }
  if (rest.size() - kHeaderBytes < length) return {FrameKind::kTorn, {}};
  const std::string_view body = rest.substr(kHeaderBytes, length);
  if (Crc32c(body) == ReadBigEndian<uint32_t>(rest.data() + 8)) return {FrameKind::kGood, body};
  return {rest.size() == kHeaderBytes + length ? FrameKind::kTorn : FrameKind::kBroken, {}};
}

}  // namespace

Result<std::unique_ptr<AttributeListFile>> AttributeListFile::Open(const std::string& path,
                                                                   const std::string& own_account) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return Failure("open", path);
  std::unique_ptr<AttributeListFile> opened(new AttributeListFile(path, own_account, file));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) return Status::Locked(fmt::format("another process uses {}", path));
  return opened;
}

AttributeListFile::~AttributeListFile() { close(file_); }

Result<std::string> AttributeListFile::ReadAll() const {
  struct stat about {};
  if (fstat(file_, &about) != 0) return Failure("read", path_);
  std::string text(static_cast<size_t>(about.st_size), '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = pread(file_, text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure("read", path_);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

Status AttributeListFile::WriteAt(uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failure("write", path_);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return fdatasync(file_) == 0 ? Status::Ok() : Failure("sync", path_);
}

Status AttributeListFile::CutTail() const {
  return ftruncate(file_, static_cast<off_t>(size_)) == 0 ? Status::Ok() : Failure("cut the torn end of", path_);
}

// A file that is new, or that a crash has left before it had begun.
Status AttributeListFile::Begin() {
  size_ = 0;
  if (Status status = CutTail(); !status.ok()) return status;
  if (Status status = WriteAt(0, kFileMagic); !status.ok()) return status;
  size_ = kFileMagic.size();
  return SyncFolderOf(path_);
}

Result<std::vector<AttributeList>> AttributeListFile::Load() {
  ARMATURE_TRY(const std::string text, ReadAll());
  std::vector<AttributeList> lists;
  if ((text.size() < kFileMagic.size() && kFileMagic.starts_with(text)) || IsBlank(text)) {
    if (Status status = Begin(); !status.ok()) return status;
    return lists;
  }
  const bool is_of_before = text.starts_with(kFirstMagic);
  if (!is_of_before && !text.starts_with(kFileMagic))
    return Status::Format(fmt::format("{} is no file of attribute lists", path_));
  size_ = kFileMagic.size();
  while (size_ < text.size()) {
    const FoundFrame frame = FindFrame(std::string_view(text).substr(size_));
    if (frame.kind == FrameKind::kTorn) break;
    if (frame.kind == FrameKind::kBroken || !ReadLists(frame.body, own_account_, lists))
      return Status::Corruption(
          fmt::format("{} is damaged at byte {}: the attribute lists behind it cannot be read", path_, size_));
    size_ += kHeaderBytes + frame.body.size();
  }
  if (Status status = CutTail(); !status.ok()) return status;
  if (is_of_before)
    if (Status status = WriteAt(0, kFileMagic); !status.ok()) return status;
  return lists;
}

Status AttributeListFile::Append(std::span<const std::shared_ptr<const AttributeList>> lists) {
  const std::string frame = FrameOf(lists);
  // What a failed append has left would be in the middle otherwise.
  if (Status status = CutTail(); !status.ok()) return status;
  if (Status status = WriteAt(size_, frame); !status.ok()) return status;
  size_ += frame.size();
  return Status::Ok();
}

}  // namespace armature::dax
