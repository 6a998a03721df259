// AttributeListFile: attribute lists in a file of their own, one behind the other.
//
// Only ever appended to; an append is durable (fdatasync) before it counts. Each append is a frame with two checksums,
// of its length and of its lists: what a crash has torn is the last frame, and is cut off when the file is read; a
// frame that is broken in the middle is an error, because the ids behind it are with clients already. The file is made
// for its owner only, and one process has it at a time. Lists from before they belonged to accounts are those of the
// file's own account. Called by one caller at a time. The format is on disks: it is described in
// attribute_list_file.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dax/attributes/attribute_list_store.h"

namespace armature::dax {

class AttributeListFile final : public AttributeListStore {
 public:
  // Makes the file if it is not there. kLocked: another process has it; kFormat: it is something else.
  static Result<std::unique_ptr<AttributeListFile>> Open(const std::string& path, const std::string& own_account);
  ~AttributeListFile() override;

  Result<std::vector<AttributeList>> Load() override;
  Status Append(std::span<const std::shared_ptr<const AttributeList>> lists) override;

 private:
  AttributeListFile(std::string path, std::string own_account, int file)
      : path_(std::move(path)), own_account_(std::move(own_account)), file_(file) {}

  Result<std::string> ReadAll() const;
  Status WriteAt(uint64_t offset, std::string_view bytes) const;
  // Whatever is behind the last frame that counts.
  Status CutTail() const;
  Status Begin();

  const std::string path_;
  const std::string own_account_;
  const int file_;
  uint64_t size_ = 0;  // of what counts
};

}  // namespace armature::dax
