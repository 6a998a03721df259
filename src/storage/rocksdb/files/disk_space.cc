#include "storage/rocksdb/files/disk_space.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {

bool DiskSpace::owes_log() const {
  MutexLock lock(mutex_);
  return !owing_.empty();
}

void DiskSpace::Owe(std::shared_ptr<Log> log, Shortage shortage) {
  MutexLock lock(mutex_);
  shortage_.store(shortage, std::memory_order_relaxed);
  owing_.push_back(std::move(log));
  waiting_.fetch_add(1, std::memory_order_seq_cst);
}

void DiskSpace::Forget(const std::string& path) {
  MutexLock lock(mutex_);
  waiting_ -= static_cast<int>(std::erase_if(owing_, [&](const auto& log) { return log->path() == path; }));
}

rocksdb::IOStatus DiskSpace::WriteRests() {
  std::vector<std::shared_ptr<Log>> owing;
  {
    MutexLock lock(mutex_);
    owing = owing_;
  }
  for (const auto& log : owing) {
    if (rocksdb::IOStatus status = log->WriteRest(); !status.ok()) {
      if (const Shortage shortage = ShortageOf(status); shortage != Shortage::kNone)
        shortage_.store(shortage, std::memory_order_relaxed);
      return status;
    }
    // It may owe again already, by an append that met another shortage meanwhile: that is not to be forgotten.
    MutexLock lock(mutex_);
    waiting_ -=
        static_cast<int>(std::erase_if(owing_, [&](const auto& other) { return other == log && !log->has_rest(); }));
  }
  return rocksdb::IOStatus::OK();
}

void DiskSpace::BreakLog(const rocksdb::IOStatus& failure) {
  MutexLock lock(mutex_);
  if (!log_failure_.ok()) return;
  log_failure_ = FromRocksDb(failure);
  is_log_broken_.store(true, std::memory_order_release);
  LogError("storage: the log cannot be written, writes are refused until the server is started again: {}",
           failure.ToString());
}

Status DiskSpace::log_failure() const {
  if (!is_log_broken()) return {};
  MutexLock lock(mutex_);
  return log_failure_;
}

void DiskSpace::BePatient() {
  MutexLock lock(mutex_);
  patience_ = Patience::kPatient;
}

void DiskSpace::GiveUp() {
  MutexLock lock(mutex_);
  patience_ = Patience::kGivenUp;
  changed_.notify_all();
}

rocksdb::IOStatus DiskSpace::Told(rocksdb::IOStatus status) const {
  if (!status.IsNoSpace()) return status;
  MutexLock lock(mutex_);
  return patience_ == Patience::kGivenUp ? rocksdb::IOStatus::IOError("given up", status.ToString()) : status;
}

bool DiskSpace::is_patient() const {
  MutexLock lock(mutex_);
  return patience_ == Patience::kPatient;
}

bool DiskSpace::WaitALittle() {
  MutexLock lock(mutex_);
  if (patience_ == Patience::kPatient) changed_.wait_for(lock, std::chrono::milliseconds(50));
  return patience_ == Patience::kPatient;
}

}  // namespace armature::storage
