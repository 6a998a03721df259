// FullDiskEngine: an engine whose store had to be opened read-only, for lack of space, and that opens it for writing as
// soon as there is some.
//
// Reads are served all the time; commits get kNoSpace until then. A thread tries to open the store for writing, sooner
// when the disk has more free space than at the last try; the reader stays open beside it until nobody uses it any
// more, and for as long compactions rest, because they would delete table files under it. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "storage/engine.h"

namespace armature::storage {

// An engine over the same store, opened for writing.
class WritableStore {
 public:
  virtual ~WritableStore() = default;
  virtual Engine& engine() = 0;
  // The reader beside it is gone.
  virtual void StartCompacting() = 0;
};

using OpenWritable = std::function<Result<std::shared_ptr<WritableStore>>()>;

// `directory` is where free space is looked at.
std::unique_ptr<Engine> MakeFullDiskEngine(std::shared_ptr<Engine> reader, std::string directory,
                                           OpenWritable open_writable);

}  // namespace armature::storage
