#include "storage/rocksdb/setup/store_env.h"

#include <algorithm>
#include <utility>

#include <rocksdb/system_clock.h>

#include "storage/rocksdb/encrypted/encrypted_file_system.h"

namespace armature::storage {

namespace {

class ClockSince1970 final : public rocksdb::SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "armature.ClockSince1970"; }
  rocksdb::Status GetCurrentTime(int64_t* unix_time) override {
    rocksdb::Status status = SystemClockWrapper::GetCurrentTime(unix_time);
    *unix_time = std::max<int64_t>(*unix_time, 1);
    return status;
  }
};

class StoreEnv final : public rocksdb::EnvWrapper {
 public:
  StoreEnv(std::unique_ptr<rocksdb::Env> target, const std::shared_ptr<rocksdb::FileSystem>& files)
      : EnvWrapper(target.get()), target_env_(std::move(target)) {
    file_system_ = files;
    system_clock_ = std::make_shared<ClockSince1970>(rocksdb::SystemClock::Default());
  }
  const char* Name() const override { return "armature.StoreEnv"; }

 private:
  const std::unique_ptr<rocksdb::Env> target_env_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> DatabaseFiles(const RocksDbOptions& options) {
  const auto& base = (options.env ? options.env : rocksdb::Env::Default())->GetFileSystem();
  if (!options.data_keys) return base;
  return std::make_shared<EncryptedFileSystem>(base, options.data_keys);
}

std::unique_ptr<rocksdb::Env> MakeStoreEnv(const std::shared_ptr<rocksdb::FileSystem>& files) {
  return std::make_unique<StoreEnv>(rocksdb::NewCompositeEnv(files), files);
}

}  // namespace armature::storage
