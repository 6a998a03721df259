#include "storage/rocksdb/encrypted/encrypted_file_system.h"

#include <array>
#include <utility>

#include "base/random.h"
#include "storage/rocksdb/encrypted/log_format_file.h"
#include "storage/rocksdb/encrypted/page_file.h"
#include "storage/rocksdb/files/table_file.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

IOStatus Refuse(const std::string& path) { return IOStatus::NotSupported("not for an encrypted file: " + path); }

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

uint64_t TextBytes(FileKind kind, uint64_t file_bytes) {
  switch (kind) {
    case FileKind::kPlain: return file_bytes;
    case FileKind::kPages: return SealedPages::TextBytes(file_bytes);
    case FileKind::kLog: return file_bytes - std::min<uint64_t>(file_bytes, FileHeader::kBytes);
  }
  return file_bytes;
}

IOStatus ToIoStatus(const Status& status) { return IOStatus::Corruption(status.message()); }

// The first bytes of a file that is read from its front, as many as there are.
IOStatus ReadFront(rocksdb::FSSequentialFile& file, const IOOptions& options, std::string& bytes,
                   IODebugContext* context) {
  std::array<char, FileHeader::kBytes> buffer;
  while (bytes.size() < buffer.size()) {
    Slice read;
    IOStatus status = file.Read(buffer.size() - bytes.size(), options, &read, buffer.data(), context);
    if (!status.ok()) return status;
    if (read.empty()) break;
    bytes.append(read.data(), read.size());
  }
  return IOStatus::OK();
}

}  // namespace

EncryptedFileSystem::EncryptedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base,
                                         std::shared_ptr<const DataKeys> keys)
    : FileSystemWrapper(base), base_(base), keys_(std::move(keys)), is_real_(base == rocksdb::FileSystem::Default()) {}

IOStatus EncryptedFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  IOStatus status = base_->NewWritableFile(path, options, file, context);
  const FileKind kind = KindOf(path);
  if (!status.ok() || kind == FileKind::kPlain) return status;
  std::array<char, FileHeader::kSaltBytes> salt;
  SecretRandom().FillBytes(salt);
  FileHeader header;
  const std::string bytes = FileHeader::Make(kind, *keys_->newest(), {salt.data(), salt.size()}, path, header);
  status = (*file)->PositionedAppend(bytes, 0, options.io_options, context);
  if (!status.ok()) {
    file->reset();
    return status;
  }
  if (kind == FileKind::kLog) *file = std::make_unique<LogWriter>(std::move(*file), header);
  else *file = std::make_unique<PageWriter>(std::move(*file), header);
  return status;
}

IOStatus EncryptedFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                                std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                                IODebugContext* context) {
  const FileKind kind = KindOf(path);
  if (kind == FileKind::kPages) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> pages;
    IOStatus status = NewRandomAccessFile(path, options, &pages, context);
    if (status.ok()) *file = std::make_unique<PageSequence>(std::move(pages));
    return status;
  }
  IOStatus status = base_->NewSequentialFile(path, options, file, context);
  if (!status.ok() || kind == FileKind::kPlain) return status;
  std::string front;
  status = ReadFront(**file, options.io_options, front, context);
  std::unique_ptr<LogCipher> cipher;
  if (status.ok() && !FileHeader::IsBlank(front)) {
    const auto header = FileHeader::Read(front, *keys_, path);
    if (header) cipher = std::make_unique<LogCipher>(header->secrets);
    else status = ToIoStatus(header.error());
  }
  if (status.ok()) *file = std::make_unique<LogReader>(std::move(*file), std::move(cipher));
  else file->reset();
  return status;
}

IOStatus EncryptedFileSystem::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                                  std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                                  IODebugContext* context) {
  const FileKind kind = KindOf(path);
  if (kind == FileKind::kLog) return Refuse(path);
  IOStatus status = base_->NewRandomAccessFile(path, options, file, context);
  if (!status.ok() || kind == FileKind::kPlain) return status;
  std::array<char, FileHeader::kBytes> buffer;
  Slice front;
  uint64_t file_bytes = 0;
  status = (*file)->Read(0, buffer.size(), options.io_options, &front, buffer.data(), context);
  if (status.ok()) status = base_->GetFileSize(path, options.io_options, &file_bytes, context);
  if (status.ok()) {
    const auto header = FileHeader::Read(front.ToStringView(), *keys_, path);
    if (header) {
      auto sealed = std::make_unique<TableFile>(std::move(*file), is_real_ ? path : std::string());
      *file = std::make_unique<PageReader>(std::move(sealed), *header, file_bytes, path);
      return status;
    }
    status = ToIoStatus(header.error());
  }
  file->reset();
  return status;
}

IOStatus EncryptedFileSystem::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                                 std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                 IODebugContext* context) {
  const FileKind kind = KindOf(path);
  if (kind == FileKind::kPages) return Refuse(path);
  IOStatus status = base_->ReopenWritableFile(path, options, file, context);
  if (status.ok() && kind == FileKind::kLog) *file = std::make_unique<LogCutter>(std::move(*file));
  return status;
}

IOStatus EncryptedFileSystem::ReuseWritableFile(const std::string& path, const std::string&, const FileOptions&,
                                                std::unique_ptr<rocksdb::FSWritableFile>*, IODebugContext*) {
  return Refuse(path);
}

IOStatus EncryptedFileSystem::NewRandomRWFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* context) {
  return KindOf(path) == FileKind::kPlain ? base_->NewRandomRWFile(path, options, file, context) : Refuse(path);
}

IOStatus EncryptedFileSystem::NewMemoryMappedFileBuffer(const std::string& path,
                                                        std::unique_ptr<rocksdb::MemoryMappedFileBuffer>*) {
  return Refuse(path);
}

IOStatus EncryptedFileSystem::Truncate(const std::string& path, size_t size, const IOOptions& options,
                                       IODebugContext* context) {
  return KindOf(path) == FileKind::kPlain ? base_->Truncate(path, size, options, context) : Refuse(path);
}

IOStatus EncryptedFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                         IODebugContext* context) {
  const bool keeps_name = NameOf(from) == NameOf(to);
  bool is_directory = false;
  if (!keeps_name && (KindOf(from) != FileKind::kPlain || KindOf(to) != FileKind::kPlain) &&
      !(base_->IsDirectory(from, options, &is_directory, context).ok() && is_directory))
    return Refuse(from);
  return base_->RenameFile(from, to, options, context);
}

IOStatus EncryptedFileSystem::LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                                       IODebugContext* context) {
  if (NameOf(from) != NameOf(to) && KindOf(from) != FileKind::kPlain) return Refuse(from);
  return base_->LinkFile(from, to, options, context);
}

IOStatus EncryptedFileSystem::GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                                          IODebugContext* context) {
  IOStatus status = base_->GetFileSize(path, options, size, context);
  if (status.ok()) *size = TextBytes(KindOf(path), *size);
  return status;
}

IOStatus EncryptedFileSystem::GetChildrenFileAttributes(const std::string& directory, const IOOptions& options,
                                                        std::vector<rocksdb::FileAttributes>* files,
                                                        IODebugContext* context) {
  IOStatus status = base_->GetChildrenFileAttributes(directory, options, files, context);
  if (status.ok())
    for (rocksdb::FileAttributes& file : *files) file.size_bytes = TextBytes(KindOf(file.name), file.size_bytes);
  return status;
}

}  // namespace armature::storage
