// Writes that somebody hears of. Where nobody listens this is a look at a null pointer.
#include "table/write/write_path.h"

namespace armature::table {

using model::ApiResult;

template <class T>
Task<T> WritePath::Telling(Task<T> doing, std::span<ItemWrite> writes) {
  const auto tell = [&] {
    for (const ItemWrite& write : writes)
      if (write.kind != ItemWrite::Kind::kCheck) listener_->OnWritten(*write.table, write.key);
  };
  try {
    T done = co_await std::move(doing);
    tell();
    co_return done;
  } catch (...) {  // no memory, and perhaps behind the commit
    tell();
    throw;
  }
}

Task<ApiResult<void>> WritePath::Execute(ItemWrite& write, Arena& arena) {
  return listener_ ? Telling(DoOne(write, arena), {&write, 1}) : DoOne(write, arena);
}

Task<ApiResult<void>> WritePath::ExecuteBatch(std::span<ItemWrite> writes, Arena& arena) {
  return listener_ ? Telling(DoBatch(writes, arena), writes) : DoBatch(writes, arena);
}

Task<ApiResult<bool>> WritePath::ExecuteTransaction(std::span<ItemWrite> writes, const storage::Batch* system_changes,
                                                    Arena& arena) {
  return listener_ ? Telling(DoTransaction(writes, system_changes, arena), writes)
                   : DoTransaction(writes, system_changes, arena);
}

}  // namespace armature::table
